package html

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// What latencies are beside the baseline's is told with its interval, or without one where there is none.
func TestLatencyBesideTheBaseline(t *testing.T) {
	for _, test := range []struct {
		name string
		s    *v1alpha1.Statistic
		want string
	}{
		{"with an interval", &v1alpha1.Statistic{Ratio: "1.98", RatioLow: "1.900", RatioHigh: "2.040"}, "1.98x 1.900–2.040"},
		{"without one", &v1alpha1.Statistic{Ratio: "1.98"}, "1.98x"},
		{"the baseline", &v1alpha1.Statistic{}, ""},
		{"not measured", nil, ""},
	} {
		if got := beside(number("15.9ms"), test.s); got.Text != "15.9ms" || got.Sub != test.want || !got.Number {
			t.Errorf("%s: %+v, want %q", test.name, got, test.want)
		}
	}
}

// The row of syncs has the ratio and the interval of what its verdict is on: the 99th percentile, or the mean.
func TestSyncsBesideTheBaseline(t *testing.T) {
	s := v1alpha1.Statistic{Median: 5_000_000, RatioLow: "5.502", RatioHigh: "5.595", PValue: "5.24e-12", Verdict: v1alpha1.VerdictSlower}
	sync := &v1alpha1.FiguresComparison{MeanNanoseconds: builder.Compared(new(s), "5.55", ""), P99Nanoseconds: builder.Compared(new(s), "5.55", v1alpha1.VerdictSlower)}
	for name, test := range map[string]struct {
		sync *v1alpha1.FiguresComparison
		mean string
		p99  string
	}{
		"percentiles":    {sync, "", "5.55x 5.502–5.595"},
		"no percentiles": {&v1alpha1.FiguresComparison{MeanNanoseconds: builder.Compared(new(s), "5.55", v1alpha1.VerdictSlower)}, "5.55x 5.502–5.595", ""},
	} {
		r := newResults(&v1alpha1.StorageBenchmark{Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp3"}, {Name: "efs"}}}})
		target := &v1alpha1.TargetComparison{Name: "efs", Runs: 4, Figures: v1alpha1.ListOf(test.sync.As(v1alpha1.OperationSync))}
		row := r.targetRows(&compared{Comparison: &v1alpha1.Comparison{Targets: []v1alpha1.TargetComparison{*target}}}, target)[0]
		const mean, p99, verdict = 5, 8, 10
		if row[mean].Sub != test.mean || row[p99].Sub != test.p99 || row[verdict].Sub != "p = 5.24e-12" {
			t.Errorf("%s: mean %+v, p99 %+v, verdict %+v", name, row[mean], row[p99], row[verdict])
		}
	}
}
