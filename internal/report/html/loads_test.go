package html

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/wording"
	"github.com/storagebench/storagebench/test/builder"
)

// A search is a line of latency over what was done, with the answer marked, and the budget across.
func TestLoads(t *testing.T) {
	workload := builder.NewWorkload("reads")
	sb := builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("gp3")).Workload(workload).Build()
	for _, step := range []struct {
		depth      int32
		iops, mean int64
		verdict    v1alpha1.SearchVerdict
	}{{4, 3000, 6_000_000, v1alpha1.SearchBeyond}, {1, 1000, 1_000_000, v1alpha1.SearchWithin}, {2, 2000, 2_000_000, v1alpha1.SearchWithin}, {2, 2000, 4_000_000, v1alpha1.SearchAnswer}} {
		result := builder.Result()
		result.Of(v1alpha1.OperationRead).MilliIOPS, result.Of(v1alpha1.OperationRead).Latency.MeanNanoseconds = 1000*step.iops, step.mean
		sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{
			Target: "gp3", Workload: "reads", State: v1alpha1.RunSucceeded, Result: result, Parameters: map[string]string{"iodepth": "1"},
			Search: &v1alpha1.RunSearch{Vary: v1alpha1.VaryIODepth, Value: step.depth, Verdict: step.verdict},
		})
	}
	sb.Status.Searches = []v1alpha1.SearchResult{{
		Target: "gp3", Workload: "reads", Vary: v1alpha1.VaryIODepth, Objective: "read.mean", BudgetNanoseconds: 5_000_000, Message: "found",
	}}
	figures := newResults(sb).loads("reads")
	if len(figures) != 1 {
		t.Fatalf("%d figures", len(figures))
	}
	want := plotted{
		Label: "read mean", Log: true, Rules: []rule{{Value: 5_000_000, Text: "budget: 5.00ms"}},
		Points: []point{
			{Target: "gp3", X: 1000, Value: 1e6, Low: 1e6, High: 1e6, Text: "gp3, iodepth 1\n1000 IOPS, read mean 1.00ms"},
			{Target: "gp3", X: 2000, Value: 3e6, Low: 2e6, High: 4e6, Text: "gp3, iodepth 2\n2000 IOPS, read mean 3.00ms", Marked: true},
			{Target: "gp3", X: 3000, Value: 6e6, Low: 6e6, High: 6e6, Text: "gp3, iodepth 4\n3000 IOPS, read mean 6.00ms"},
		},
	}
	if diff := cmp.Diff(want, figures[0].Chart.Metrics[metricLatency], cmp.AllowUnexported(plotted{}, wording.Unit{})); diff != "" {
		t.Errorf("chart (-want +got):\n%s", diff)
	}
	if rows := figures[0].Table.Rows; len(rows) != 3 || rows[1][5].Text != "answer" {
		t.Errorf("rows are %+v", rows)
	}
}
