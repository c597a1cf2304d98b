package analysis

import (
	"slices"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// inOrder returns the warnings of a target with a verdict in a benchmark with an order of runs.
func inOrder(order v1alpha1.Order, verdict v1alpha1.Verdict) []v1alpha1.Warning {
	c := []v1alpha1.Comparison{{Targets: []v1alpha1.TargetComparison{{Name: "a", Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead, MilliIOPS: &v1alpha1.Statistic{Verdict: verdict}}}}}}}
	WarnOfOrder(c, order)
	return c[0].Targets[0].Warnings
}

// A verdict between targets that were measured one after the other has a warning, whatever it is.
func TestWarnOfOrder(t *testing.T) {
	for _, test := range []struct {
		order   v1alpha1.Order
		verdict v1alpha1.Verdict
		want    bool
	}{
		{v1alpha1.OrderByTarget, v1alpha1.VerdictFaster, true},
		{v1alpha1.OrderByTarget, v1alpha1.VerdictSame, true},
		{v1alpha1.OrderByTarget, v1alpha1.VerdictNotShown, true},
		{v1alpha1.OrderByTarget, v1alpha1.VerdictTooFewRuns, false},
		{v1alpha1.OrderByTarget, "", false}, // the baseline
		{v1alpha1.OrderInterleaved, v1alpha1.VerdictSlower, false},
		{"", v1alpha1.VerdictSlower, false},
	} {
		got := inOrder(test.order, test.verdict)
		if (len(got) == 1) != test.want || test.want && got[0].Reason != v1alpha1.WarningOrderByTarget {
			t.Errorf("%q with verdict %q: %+v", test.order, test.verdict, got)
		}
	}
	if remedy := remedyOf(v1alpha1.WarningOrderByTarget); !strings.Contains(remedy, "order: "+string(v1alpha1.OrderInterleaved)) {
		t.Errorf("the remedy is %q", remedy)
	}
}

// Of runs of a drifting target the warning is on the target that has a verdict, once for all of its rows.
func TestWarnOfOrderOfRuns(t *testing.T) {
	runs := slices.Concat(repeated("a", [2]int64{100, 1}, [2]int64{101, 1}, [2]int64{102, 1}, [2]int64{103, 1}),
		repeated("b", [2]int64{200, 1}, [2]int64{201, 1}, [2]int64{202, 1}, [2]int64{203, 1}))
	comparisons := Compare(runs, []string{"a", "b"}, "a")
	WarnOfOrder(comparisons, v1alpha1.OrderByTarget)
	a, b := comparisons[0].Targets[0], comparisons[0].Targets[1]
	if len(a.Warnings) != 0 || len(b.Warnings) != 1 {
		t.Fatalf("the baseline has %+v, the other %+v", a.Warnings, b.Warnings)
	}
	got := Summarize(nil, runs, comparisons)
	if len(got) != 1 || got[0].Reason != v1alpha1.WarningOrderByTarget || got[0].Results != 1 || got[0].Message != "w on b: "+b.Warnings[0].Message {
		t.Errorf("summary %+v", got)
	}
}
