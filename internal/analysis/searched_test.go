package analysis

import (
	"strconv"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A repetition of a search in which no load kept the budget is one in which nothing was done within it. Without those the others alone would be compared.
func TestSearchesWithoutAnswerAreCompared(t *testing.T) {
	searched := func(target string, repetition int32, iops int64, verdicts ...v1alpha1.SearchVerdict) []v1alpha1.Run {
		var steps []v1alpha1.Run
		for i, verdict := range verdicts {
			value := int32(i) + 1
			steps = append(steps, v1alpha1.Run{
				Target: target, Workload: "w", Repetition: repetition, State: v1alpha1.RunSucceeded, Parameters: map[string]string{"iodepth": strconv.Itoa(int(value))},
				Result: &v1alpha1.Result{Write: burstOf(iops, 4096)}, Search: &v1alpha1.RunSearch{Step: value, Vary: v1alpha1.VaryIODepth, Value: value, Verdict: verdict},
			})
		}
		return steps
	}
	const answer, within, beyond = v1alpha1.SearchAnswer, v1alpha1.SearchWithin, v1alpha1.SearchBeyond
	runs := searched("gp3", 1, 2900, answer, beyond)
	runs = append(runs, searched("gp3", 2, 2900, beyond, beyond)...)
	runs = append(runs, searched("gp3", 3, 2900, beyond, beyond)...)
	runs = append(runs, searched("gp3", 4, 2900, within)...) // goes on
	for repetition := range int32(3) {
		runs = append(runs, searched("gp2", repetition+1, 2000, answer)...)
	}
	runs = append(runs, searched("st1", 1, 2000, beyond, beyond)...) // of which there is nothing to compare
	got := Compare(runs, []string{"gp2", "gp3", "st1"}, "gp2")[0].Targets
	if len(got) != 2 {
		t.Fatalf("%d targets are compared, want those with an answer: %+v", len(got), got)
	}
	if gp3 := got[1]; gp3.Runs != 3 || gp3.Write.IOPS.Median != 0 || gp3.Write.IOPS.Max != 2900 || gp3.Write.IOPSRatio != "0.00" || gp3.Write.P99Nanoseconds != nil {
		t.Errorf("gp3 is %+v of %d runs, want a median of 0 of 3 and no latencies", gp3.Write, gp3.Runs)
	}
}
