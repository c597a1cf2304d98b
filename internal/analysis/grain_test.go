package analysis

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// comparedTimes compares operations on 4,000 files that took so many milliseconds, of which fio tells whole ones.
func comparedTimes(t *testing.T, own, base []float64) v1alpha1.Statistic {
	t.Helper()
	const files = 4000
	var runs []v1alpha1.Run
	for target, times := range map[string][]float64{"own": own, "base": base} {
		for _, milliseconds := range times {
			r := operated(int64(files*1000/math.Ceil(milliseconds)), 1000)
			m := r.Of(v1alpha1.OperationMetadata)
			m.Count, m.MilliIOPS, r.ElapsedMilliseconds = files, int64(files*1e6/math.Ceil(milliseconds)), int64(math.Ceil(milliseconds))
			runs = append(runs, run(target, *r))
		}
	}
	return *Compare(runs, []string{"own", "base"}, "base")[0].Targets[0].Of(v1alpha1.OperationMetadata).MilliIOPS
}

// What whole milliseconds make of times is no difference, however many runs agree on it.
func TestWholeMilliseconds(t *testing.T) {
	four := func(milliseconds float64) []float64 {
		return []float64{milliseconds, milliseconds + 0.01, milliseconds - 0.01, milliseconds}
	}
	for _, test := range []struct {
		own, base float64
		want      v1alpha1.Verdict
	}{
		{20.2, 19.8, v1alpha1.VerdictNotShown}, {2.05, 1.95, v1alpha1.VerdictNotShown}, {1.9, 1.2, v1alpha1.VerdictNotShown},
		{24.5, 19.5, v1alpha1.VerdictSlower}, {1000.5, 1001.5, v1alpha1.VerdictSame}, {900.5, 1001.5, v1alpha1.VerdictFaster},
	} {
		s := comparedTimes(t, four(test.own), four(test.base))
		if s.Verdict != test.want {
			t.Errorf("%v ms beside %v ms: %s, ratio %s to %s, want %s", test.own, test.base, s.Verdict, s.RatioLow, s.RatioHigh, test.want)
		}
	}
}

// The interval of a ratio covers the true one where operations took but some milliseconds.
func TestIntervalsOfWholeMilliseconds(t *testing.T) {
	const benchmarks, runs = 1000, 6
	random := rand.New(rand.NewPCG(1, 2))
	missed := 0
	for range benchmarks {
		truth := [2]float64{5 + 45*random.Float64()}
		truth[1] = truth[0] * (1 + 0.02*random.Float64())
		var times [2][]float64
		for i := range times {
			for range runs {
				times[i] = append(times[i], truth[i]*(1+0.005*random.NormFloat64()))
			}
		}
		s := comparedTimes(t, times[1], times[0])
		low, errLow := strconv.ParseFloat(s.RatioLow, 64)
		high, errHigh := strconv.ParseFloat(s.RatioHigh, 64)
		if errLow != nil || errHigh != nil {
			t.Fatalf("an interval of %q to %q", s.RatioLow, s.RatioHigh)
		}
		if ratio := truth[0] / truth[1]; ratio < low || ratio > high {
			missed++
		}
	}
	t.Logf("%d of %d intervals do not cover the true ratio", missed, benchmarks)
	if missed*100 > benchmarks*5 {
		t.Errorf("%d of %d intervals do not cover the true ratio, more than 5 %%", missed, benchmarks)
	}
}
