package analysis

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// four are four runs on a target, of IOPS from there on.
func four(target string, iops int64) []v1alpha1.Run {
	return repeated(target, [2]int64{iops, 1000}, [2]int64{iops + 1, 1000}, [2]int64{iops + 2, 1000}, [2]int64{iops + 3, 1000})
}

// ofWorkload returns the runs as those of another workload, with a choice of its matrix.
func ofWorkload(runs []v1alpha1.Run, workload string, choice map[string]string) []v1alpha1.Run {
	for i := range runs {
		runs[i].Workload, runs[i].Parameters = workload, choice
	}
	return runs
}

// summarized says what each comparison has, such as "w: a 100 beside b 200 2.00 Faster".
func summarized(comparisons []v1alpha1.Comparison) []string {
	var all []string
	for _, c := range comparisons {
		text := fmt.Sprintf("%s %v %s:", c.Workload, c.Parameters, c.Section)
		for _, t := range c.Targets {
			text += fmt.Sprintf(" %s %d %s %s", t.Name, t.Of(v1alpha1.OperationWrite).IOPS().Median, t.Of(v1alpha1.OperationWrite).MilliIOPS.Ratio, t.Of(v1alpha1.OperationWrite).Verdict())
		}
		all = append(all, text)
	}
	return all
}

func TestBetween(t *testing.T) {
	join := func(all ...[]v1alpha1.Run) []v1alpha1.Run {
		var runs []v1alpha1.Run
		for _, some := range all {
			runs = append(runs, some...)
		}
		return runs
	}
	failed := v1alpha1.Run{Target: "a", Workload: "w", State: v1alpha1.RunFailed}
	sections := func(target string, iops ...int64) []v1alpha1.Run {
		r := v1alpha1.Run{Target: target, Workload: "file", State: v1alpha1.RunSucceeded}
		for _, n := range iops {
			r.Sections = append(r.Sections, v1alpha1.SectionResult{Name: "s", Result: v1alpha1.Result{Figures: v1alpha1.ListOf(timed(n, 1).As(v1alpha1.OperationWrite))}})
		}
		return []v1alpha1.Run{r}
	}
	for name, test := range map[string]struct {
		baseline, other               []v1alpha1.Run
		both, onlyBaseline, onlyOther []string
	}{
		"one target each, whatever its name": {
			baseline: four("gp2", 100), other: four("gp3", 200), both: []string{"w map[] : gp2 102   gp3 202 1.99 Faster"},
		},
		"by name, in the baseline's order": {
			baseline: join(four("a", 100), four("b", 300)), other: join(four("b", 150), four("a", 100)),
			both: []string{"w map[] : a 102   a 102 1.00 Same", "w map[] : b 302   b 152 0.50 Slower"},
		},
		"several against one go by name": {
			baseline: join(four("a", 100), four("b", 300)), other: four("c", 150),
			onlyBaseline: []string{"w map[] : a 102  ", "w map[] : b 302  "}, onlyOther: []string{"w map[] : c 152  "},
		},
		"other parameters and workloads": {
			baseline:     join(ofWorkload(four("a", 100), "w", map[string]string{"bs": "4k"}), ofWorkload(four("a", 300), "v", nil)),
			other:        join(ofWorkload(four("a", 100), "w", map[string]string{"bs": "8k"}), ofWorkload(four("a", 600), "v", nil)),
			both:         []string{"v map[] : a 302   a 602 2.00 Faster"},
			onlyBaseline: []string{"w map[bs:4k] : a 102  "}, onlyOther: []string{"w map[bs:8k] : a 102  "},
		},
		"too few runs": {
			baseline: four("a", 100), other: four("a", 200)[:3], both: []string{"w map[] : a 102   a 201 1.98 TooFewRuns"},
		},
		"sections of one name, in their order": {
			baseline: sections("a", 10, 20), other: sections("a", 20, 20),
			both: []string{"file map[] s: a 10   a 20 2.00 TooFewRuns", "file map[] s: a 20   a 20 1.00 TooFewRuns"},
		},
		"targets that are called as the sides are": {
			baseline: join(four("other", 100), four("baseline", 300)), other: join(four("baseline", 150), four("other", 200)),
			both: []string{"w map[] : other 102   other 202 1.99 Faster", "w map[] : baseline 302   baseline 152 0.50 Slower"},
		},
		"no results": {baseline: []v1alpha1.Run{failed}, other: nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := fmt.Sprint(test.baseline, test.other)
			got := Between(&v1alpha1.StorageBenchmarkStatus{Runs: test.baseline}, &v1alpha1.StorageBenchmarkStatus{Runs: test.other})
			for what, lists := range map[string][2][]string{
				"both": {test.both, summarized(got.Both)}, "only the baseline": {test.onlyBaseline, summarized(got.OnlyBaseline)}, "only the other": {test.onlyOther, summarized(got.OnlyOther)},
			} {
				if diff := cmp.Diff(lists[0], lists[1]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			if after := fmt.Sprint(test.baseline, test.other); after != before {
				t.Error("the runs were changed")
			}
		})
	}
}
