package analysis

import (
	"strconv"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// searched returns the steps of a search, each with a verdict.
func searched(target string, repetition int32, iops int64, verdicts ...v1alpha1.SearchVerdict) []v1alpha1.Run {
	var steps []v1alpha1.Run
	for i, verdict := range verdicts {
		value := int32(i) + 1
		steps = append(steps, v1alpha1.Run{
			Target: target, Workload: "w", Repetition: repetition, State: v1alpha1.RunSucceeded, Parameters: map[string]string{"iodepth": strconv.Itoa(int(value))},
			Result: &v1alpha1.Result{Figures: v1alpha1.ListOf(burstOf(iops+int64(repetition), 4096).As(v1alpha1.OperationWrite))}, Search: &v1alpha1.RunSearch{Step: value, Vary: v1alpha1.VaryIODepth, Value: value, Verdict: verdict},
		})
	}
	return steps
}

// Repetitions in which a search found no load are not compared. The answers of the others are told, and show nothing.
func TestSearchesWithoutAnswerShowNothing(t *testing.T) {
	const answer, within, beyond = v1alpha1.SearchAnswer, v1alpha1.SearchWithin, v1alpha1.SearchBeyond
	answered := func(target string, iops int64, repetitions int32) (runs []v1alpha1.Run) {
		for repetition := range repetitions {
			runs = append(runs, searched(target, repetition+1, iops, answer, beyond)...)
		}
		return runs
	}
	pending := searched("own", 6, 0, "", "")[1]
	pending.Result, pending.State = nil, v1alpha1.RunPending
	failed := searched("own", 6, 10, "", "")[1]
	failed.State = v1alpha1.RunFailed
	for name, test := range map[string]struct {
		own, base []v1alpha1.Run
		want      v1alpha1.Verdict
	}{
		"all have an answer":       {answered("own", 2900, 5), answered("base", 2000, 5), v1alpha1.VerdictFaster},
		"one has none":             {append(answered("own", 2900, 5), searched("own", 6, 2900, beyond, beyond)...), answered("base", 2000, 5), v1alpha1.VerdictNotShown},
		"one kept the budget once": {append(answered("own", 2900, 5), searched("own", 6, 2900, beyond, within, beyond)...), answered("base", 2000, 5), v1alpha1.VerdictNotShown},
		"one failed with a result": {append(append(answered("own", 2900, 5), searched("own", 6, 2900, beyond)...), failed), answered("base", 2000, 5), v1alpha1.VerdictFaster},
		"one goes on":              {append(append(answered("own", 2900, 5), searched("own", 6, 2900, within)...), pending), answered("base", 2000, 5), v1alpha1.VerdictFaster},
		"one of the baseline's":    {answered("own", 2900, 5), append(answered("base", 2000, 5), searched("base", 6, 2000, beyond, beyond)...), v1alpha1.VerdictNotShown},
		"few, and one has none":    {append(answered("own", 2900, 1), searched("own", 2, 2900, beyond, beyond)...), answered("base", 2000, 2), v1alpha1.VerdictNotShown},
	} {
		t.Run(name, func(t *testing.T) {
			own := Compare(append(test.own, test.base...), []string{"own", "base"}, "base")[0].Targets[0]
			if own.Of(v1alpha1.OperationWrite).Verdict() != test.want || own.Of(v1alpha1.OperationWrite).IOPS().Median < 2900 || own.Of(v1alpha1.OperationWrite).MilliIOPS.Ratio == "" || own.Of(v1alpha1.OperationWrite).P99Nanoseconds == nil {
				t.Errorf("got %+v, want verdict %s on what answers did", own.Of(v1alpha1.OperationWrite), test.want)
			}
		})
	}
	none := Compare(append(answered("base", 2000, 5), searched("own", 1, 2900, beyond, beyond)...), []string{"own", "base"}, "base")[0].Targets
	if len(none) != 1 || none[0].Name != "base" {
		t.Errorf("a target without an answer is compared: %+v", none)
	}
}
