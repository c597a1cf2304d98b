package evaluation

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// A benchmark that measures one target after the other says so of its verdicts.
func TestOrderOfComparison(t *testing.T) {
	for order, want := range map[v1alpha1.Order]int{v1alpha1.OrderByTarget: 1, v1alpha1.OrderInterleaved: 0} {
		sb := builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("a")).Target(builder.NewTarget("b")).Build()
		sb.Spec.Order = order
		for i, name := range []string{"a", "b"} {
			sb.Status.Targets = append(sb.Status.Targets, v1alpha1.TargetStatus{Name: name})
			for repetition := range int64(4) {
				figures := v1alpha1.Figures{Name: v1alpha1.OperationWrite, MilliIOPS: 1000 * (int64(i+1)*1000 + repetition)}
				sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{
					Target: name, Workload: "w", State: v1alpha1.RunSucceeded,
					Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{figures}},
				})
			}
		}
		Compare(sb, true)
		if got := sb.Status.Warnings; len(got) != want || want > 0 && got[0].Reason != v1alpha1.WarningOrderByTarget {
			t.Errorf("%s: warnings %+v", order, got)
		}
	}
}
