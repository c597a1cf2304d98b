package analysis

import (
	"math"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestAdjust has the example of Y. Benjamini and Y. Hochberg, "Controlling the False Discovery Rate", Journal of the Royal Statistical Society B 57,
// 1995, section 3.2: of 15 p-values their procedure finds the first four at 0.05.
func TestAdjust(t *testing.T) {
	ps := []float64{0.5719, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.6528, 0.7590, 1.0000}
	want := []float64{0.714875, 0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.06385714, 0.06385714, 0.0645, 0.0765, 0.486, 0.58118182, 0.75323077, 0.81321429, 1}
	got := adjust(ps)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-7 {
			t.Errorf("%v becomes %v, want %v", ps[i], got[i], want[i])
		}
	}
	if one := adjust([]float64{0.03}); one[0] != 0.03 {
		t.Errorf("a single one becomes %v", one[0])
	}
	if none := adjust(nil); len(none) != 0 {
		t.Errorf("none become %v", none)
	}
}

// One difference among many comparisons needs more than one alone, also between two benchmarks. The raw p-value stays the same.
func TestVerdictsAreCorrected(t *testing.T) {
	slightly := func(target string, iops int64) []v1alpha1.Run {
		return repeated(target, [2]int64{iops, 1000}, [2]int64{iops + 30, 1000}, [2]int64{iops + 60, 1000}, [2]int64{iops + 90, 1000})
	}
	var baseline, other []v1alpha1.Run
	for i := range 24 {
		choice := map[string]string{"bs": string(rune('a' + i))}
		shift := int64(0)
		if i == 0 {
			shift = 90
		}
		baseline = append(baseline, ofWorkload(slightly("t", 1000), "w", choice)...)
		other = append(other, ofWorkload(slightly("t", 1000+shift), "w", choice)...)
	}
	between := func(runs int) v1alpha1.Statistic {
		return *Between(&v1alpha1.StorageBenchmarkStatus{Runs: baseline[:runs]}, &v1alpha1.StorageBenchmarkStatus{Runs: other[:runs]}).Both[0].Targets[1].Of(v1alpha1.OperationWrite).MilliIOPS
	}
	alone, among := between(4), between(len(other))
	if alone.Verdict != v1alpha1.VerdictFaster || among.Verdict != v1alpha1.VerdictNotShown {
		t.Errorf("alone it is %s, p %s, corrected %s; among 24 it is %s, p %s, corrected %s",
			alone.Verdict, alone.PValue, alone.AdjustedPValue, among.Verdict, among.PValue, among.AdjustedPValue)
	}
	if alone.PValue != among.PValue || alone.AdjustedPValue == among.AdjustedPValue || alone.RatioLow != among.RatioLow {
		t.Errorf("alone %+v, among others %+v", alone, among)
	}
	if alone.DetectablePercent != 0 || among.DetectablePercent == 0 {
		t.Errorf("from %d %% on alone, from %d %% on among 24", alone.DetectablePercent, among.DetectablePercent)
	}
}

// Percentiles of clients whose buckets are coarse say less than fio's own.
func TestCoarsePercentiles(t *testing.T) {
	runs := func(target string, p99 int64, bucketPercent int32) []v1alpha1.Run {
		all := four(target, 1000)
		for i := range all {
			io := *all[i].Result.Of(v1alpha1.OperationWrite)
			io.CompletionLatency = &v1alpha1.LatencyDistribution{P50Nanoseconds: 100_000, P90Nanoseconds: 200_000, P99Nanoseconds: p99, BucketPercent: bucketPercent}
			all[i].Result = &v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationWrite))}
		}
		return all
	}
	for name, test := range map[string]struct {
		own, base int32
		p99       int64
		want      v1alpha1.Verdict
	}{
		"one bucket":              {0, 0, 1_015_000, v1alpha1.VerdictSame},
		"three buckets":           {0, 0, 1_047_000, v1alpha1.VerdictSlower},
		"the target is coarse":    {7, 0, 1_047_000, v1alpha1.VerdictNotShown},
		"the baseline is coarse":  {0, 7, 1_047_000, v1alpha1.VerdictNotShown},
		"both are, and far apart": {7, 7, 1_300_000, v1alpha1.VerdictSlower},
	} {
		all := append(runs("base", 1_000_000, test.base), runs("own", test.p99, test.own)...)
		if got := Compare(all, []string{"base", "own"}, "base")[0].Targets[1].Of(v1alpha1.OperationWrite).P99Nanoseconds; got.Verdict != test.want {
			t.Errorf("%s: %s, want %s (%+v)", name, got.Verdict, test.want, got)
		}
	}
}
