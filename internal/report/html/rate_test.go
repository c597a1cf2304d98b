package html

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/html/internal/sample"
)

// Where both did the rate that the workload asks for, card and table have the verdict on latency, and say so.
func TestVerdictAtRate(t *testing.T) {
	sb := sample.GP3VsEFS()
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		run.LimitedBy = &v1alpha1.LimitedBy{Reason: v1alpha1.BoundWorkloadRate}
		w := run.Result.Of(v1alpha1.OperationWrite)
		w.MilliIOPS, w.BytesPerSecond, w.Count, w.Bytes = 1000_000, 1000<<14, 0, 0
		times := int64(1)
		if run.Target == "efs" {
			times = 10
		}
		w.CompletionLatency.P99Nanoseconds = times * (900_000 + int64(run.Repetition)*3000)
	}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	r := newResults(sb)
	if c := r.cards()[1]; c.Role != "latency against gp3" || c.Figure != "10.00x" || c.Verdict != "Slower than gp3 in both comparisons." || c.Class != "slower" {
		t.Errorf("card %+v", c)
	}
	found := 0
	for _, cells := range r.comparisonTable("randwrite").Rows {
		for _, c := range cells {
			if c.Text == "▼ Slower (P99)" && c.Class == "slower" && strings.HasPrefix(c.Sub, "p = ") {
				found++
			}
		}
	}
	if found != 2 {
		t.Errorf("%d rows have the verdict on P99", found)
	}
}

// A card has ratios of IOPS where there are some, and each direction's verdict where the total has none.
func TestCardOfSomeAtRate(t *testing.T) {
	efs := func(io v1alpha1.FiguresComparison) v1alpha1.TargetComparison {
		return v1alpha1.TargetComparison{Name: "efs", Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}
	}
	free := efs(v1alpha1.FiguresComparison{MilliIOPS: &v1alpha1.Statistic{Ratio: "0.50", Verdict: v1alpha1.VerdictSlower}})
	rated := efs(v1alpha1.FiguresComparison{MilliIOPS: &v1alpha1.Statistic{Ratio: "1.00"}, P99Nanoseconds: &v1alpha1.Statistic{Ratio: "10.00", Verdict: v1alpha1.VerdictSlower}, JudgedBy: v1alpha1.JudgedByP99})
	rated.Figures = append(rated.Figures,
		*(&v1alpha1.FiguresComparison{MilliIOPS: &v1alpha1.Statistic{Ratio: "1.00"}, P99Nanoseconds: &v1alpha1.Statistic{Ratio: "1.01", Verdict: v1alpha1.VerdictSame}, JudgedBy: v1alpha1.JudgedByP99}).As(v1alpha1.OperationWrite),
		*(&v1alpha1.FiguresComparison{MilliIOPS: &v1alpha1.Statistic{Ratio: "1.00"}}).As(v1alpha1.OperationTotal))
	r := &results{cases: []*compared{
		{Comparison: &v1alpha1.Comparison{Targets: []v1alpha1.TargetComparison{free}}}, {Comparison: &v1alpha1.Comparison{Targets: []v1alpha1.TargetComparison{rated}}},
	}}
	beside := r.beside("efs")
	role, figure := ratios(beside, "gp3")
	if verdict, _ := judge(beside, "gp3"); role != "IOPS against gp3" || figure != "0.50x" || verdict != "Slower in 2, the same in 1 of 3 comparisons with gp3." {
		t.Errorf("%s %s: %s", role, figure, verdict)
	}
}
