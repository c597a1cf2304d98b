package analysis

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestAbsurdRuns: figures that a forged report claims make verdicts of no use, and neither a fault nor a text that an API
// server refuses.
func TestAbsurdRuns(t *testing.T) {
	var runs []v1alpha1.Run
	for repetition := range int32(4) {
		for _, target := range []string{"forged", "honest"} {
			f := v1alpha1.Figures{Name: v1alpha1.OperationRead, Count: 3000, Bytes: 3000 * 4096, MilliIOPS: 3_048_499, BytesPerSecond: 12_484_608,
				Latency: &v1alpha1.Latency{MeanNanoseconds: 5_400_000}, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: 5_000_000, P99Nanoseconds: 8_978_432}}
			if target == "forged" {
				f.Count, f.Bytes, f.MilliIOPS, f.BytesPerSecond = math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64
				f.Latency.MeanNanoseconds, f.Latency.StddevNanoseconds, f.CompletionLatency.MaxNanoseconds = math.MaxInt64, math.MaxInt64, math.MaxInt64
			}
			runs = append(runs, v1alpha1.Run{Name: target, Target: target, Workload: "w", Repetition: repetition + 1, State: v1alpha1.RunSucceeded, Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{f}}})
		}
	}
	comparisons := Compare(runs, []string{"forged", "honest"}, "forged")
	text, err := json.Marshal(comparisons)
	if err != nil || strings.Contains(string(text), "NaN") || strings.Contains(string(text), "Inf") {
		t.Errorf("%v: %s", err, text)
	}
	t.Log(string(text))
}
