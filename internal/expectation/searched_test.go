package expectation

import (
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// Of a search the answer alone is held to expectations. Where no load kept the budget, nothing was done within it.
func TestSearchesAreJudgedByTheirAnswers(t *testing.T) {
	step := func(value int32, iops int64, verdict v1alpha1.SearchVerdict) v1alpha1.Run {
		result := builder.Result()
		result.Of(v1alpha1.OperationRead).MilliIOPS = 1000 * iops
		return v1alpha1.Run{
			Target: "t", Workload: "w", Repetition: 1, State: v1alpha1.RunSucceeded, Result: result, Parameters: map[string]string{"iodepth": strconv.Itoa(int(value))},
			LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundWorkloadRate},
			Search:    &v1alpha1.RunSearch{Step: value, Vary: v1alpha1.VaryIODepth, Value: value, Verdict: verdict},
		}
	}
	pending := step(2, 0, "")
	pending.State, pending.Result = v1alpha1.RunPending, nil
	least := intstr.FromInt32(2000)
	spec := builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("t")).Workload(builder.NewWorkload("w")).Build().Spec
	spec.Expectations = []v1alpha1.Expectation{{Metric: "read.iops", Min: &least}}
	for _, test := range []struct {
		name    string
		runs    []v1alpha1.Run
		verdict Verdict
		values  int
	}{
		{"met", []v1alpha1.Run{step(1, 1000, v1alpha1.SearchWithin), step(2, 2000, v1alpha1.SearchAnswer), step(3, 3000, v1alpha1.SearchBeyond)}, Met, 1},
		{"missed, though more was done", []v1alpha1.Run{step(1, 1900, v1alpha1.SearchAnswer), step(2, 3000, v1alpha1.SearchBeyond)}, Missed, 1},
		{"nothing within the budget", []v1alpha1.Run{step(1, 3000, v1alpha1.SearchBeyond), step(2, 3000, v1alpha1.SearchBeyond)}, Missed, 1},
		{"no answer yet", []v1alpha1.Run{step(1, 3000, v1alpha1.SearchWithin), pending}, Unknown, 0},
		{"no answer in the end", []v1alpha1.Run{step(1, 3000, v1alpha1.SearchBeyond), step(2, 3000, v1alpha1.SearchWithin), step(3, 3000, v1alpha1.SearchBeyond)}, Missed, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			findings := Judge(&spec, &v1alpha1.StorageBenchmarkStatus{Runs: test.runs})
			if len(findings) != 1 || findings[0].Verdict != test.verdict || len(findings[0].Values) != test.values || findings[0].Runs != 1 {
				t.Errorf("findings are %+v, want %s of %d values", findings, test.verdict.Name(), test.values)
			}
		})
	}
}
