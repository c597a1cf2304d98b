package result

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
)

// What is usual is the median of the same on the same, in a thousand seconds, and of one run nothing is.
func TestUsual(t *testing.T) {
	run := func(target, bs string, read, write int64) v1alpha1.Run {
		return v1alpha1.Run{Target: target, Workload: "w", Parameters: map[string]string{"bs": bs}, Result: &v1alpha1.Result{
			Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 1000 * read}, {Name: v1alpha1.OperationWrite, MilliIOPS: 1000 * write}},
		}}
	}
	planned := &plan.Run{Target: &v1alpha1.Target{Name: "gp3"}, Workload: &v1alpha1.Workload{Name: "w"}, Parameters: map[string]string{"bs": "4k"}}
	others := []v1alpha1.Run{run("efs", "4k", 1, 1), run("gp3", "16k", 2, 2), {Target: "gp3", Workload: "w", Parameters: planned.Parameters}}
	for name, test := range map[string]struct {
		runs []v1alpha1.Run
		want int64
	}{
		"one":   {[]v1alpha1.Run{run("gp3", "4k", 1000, 500)}, 0},
		"three": {[]v1alpha1.Run{run("gp3", "4k", 1000, 500), run("gp3", "4k", 100, 50), run("gp3", "4k", 1001, 500)}, 1_500_000},
	} {
		f := Facts{Planned: planned, Runs: append(others, test.runs...)}
		if got := f.usual(); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}
