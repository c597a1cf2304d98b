package analysis

import (
	"slices"
	"strconv"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// accessed are runs that write, one for each of the figures, on a volume that was made from a snapshot.
func accessed(iops ...int64) []v1alpha1.Run {
	var runs []v1alpha1.Run
	for _, n := range iops {
		runs = append(runs, repeated("a", [2]int64{n, 1})...)
		runs[len(runs)-1].Warnings = []v1alpha1.Warning{{Reason: v1alpha1.WarningFirstAccess}}
	}
	return runs
}

// A comparison tells that its figures are of first access and of later access, where the figures show it.
func TestMixedAccess(t *testing.T) {
	failed := accessed(100, 3000, 2990)
	failed[0].State = v1alpha1.RunFailed
	for _, test := range []struct {
		name string
		runs []v1alpha1.Run
		want string
	}{
		{"one run", accessed(100), ""},
		{
			"a slow first one", accessed(100, 3000, 2990),
			"the first of 3 runs had 100 IOPS, and the others 2990 to 3000: blocks may be loaded when they are first used, and medians and verdicts mix both",
		},
		{
			"just slow enough", accessed(899, 1000),
			"the first of 2 runs had 899 IOPS, and the others 1000 to 1000: blocks may be loaded when they are first used, and medians and verdicts mix both",
		},
		{"as repetitions differ", accessed(900, 1000), ""},
		{"a fast first one", accessed(3000, 100), ""},
		{"a slow second one", accessed(2000, 1000, 3000), ""},
		{"without the first one", failed, ""},
		{"a volume that was made empty", repeated("a", [2]int64{100, 1}, [2]int64{3000, 1}), ""},
		{"another target's", append(repeated("a", [2]int64{100, 1}, [2]int64{3000, 1}), func() []v1alpha1.Run {
			other := accessed(100)
			other[0].Target = "b"
			return other
		}()...), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			for _, w := range Compare(test.runs, []string{"a", "b"}, "a")[0].Targets[0].Warnings {
				if w.Reason == v1alpha1.WarningFirstAccess {
					got = w.Message
				}
			}
			if got != test.want {
				t.Errorf("the warning is %q, want %q", got, test.want)
			}
		})
	}
}

// Of all that is said of first access, the figures are told, once, with the number of runs.
func TestSummaryOfFirstAccess(t *testing.T) {
	for name, test := range map[string]struct {
		runs []v1alpha1.Run
		want string
	}{
		"figures show it": {accessed(100, 3000), "w on a: the first of 2 runs had 100 IOPS, and the others 3000 to 3000: " +
			"blocks may be loaded when they are first used, and medians and verdicts mix both"},
		"figures do not": {accessed(3000, 3000), "1: m"},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range test.runs {
				test.runs[i].Name, test.runs[i].Warnings[0].Message = strconv.Itoa(i+1), "m"
			}
			summaries := Summarize(nil, test.runs, Compare(test.runs, []string{"a"}, "a"))
			at := slices.IndexFunc(summaries, func(s v1alpha1.WarningSummary) bool { return s.Reason == v1alpha1.WarningFirstAccess })
			if at < 0 || summaries[at].Message != test.want || summaries[at].Results != 2 || summaries[at].Remedy == "" {
				t.Errorf("it is %+v", summaries)
			}
		})
	}
}
