package search

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// planned are the steps of a repetition: those that were made, and as many more as are planned.
func planned(repetition int32, made []v1alpha1.Run, more int) []v1alpha1.Run {
	runs := append([]v1alpha1.Run{}, made...)
	for range more {
		pending := step(0, 0, 0)
		pending.State, pending.Result, pending.Parameters = v1alpha1.RunPending, nil, nil
		runs = append(runs, pending)
	}
	for i := range runs {
		runs[i].Repetition, runs[i].Search.Step, runs[i].Name = repetition, int32(i+1), Text(repetition)+"-"+Text(int32(i+1))
	}
	return runs
}

// A search that has its answer, or has failed, makes no more steps. One that goes on has its next load, which is the same each time. Of a search that the spec does
// not know nothing is done.
func TestRuns(t *testing.T) {
	failed := step(2, 0, 0)
	failed.State, failed.Result = v1alpha1.RunFailed, nil
	minBeyond := []v1alpha1.Run{step(1, 100, 7_000_000), step(1, 100, 7_000_000)}
	for name, test := range map[string]struct {
		first  []v1alpha1.Run
		known  bool
		ended  bool
		left   int32
		second int32 // the load of the first step of the second repetition, after it
	}{
		"the first goes on":   {[]v1alpha1.Run{step(1, 100, 1)}, true, false, 7, 1},
		"it has its answer":   {minBeyond, true, true, 5, 1},
		"it has failed":       {[]v1alpha1.Run{step(1, 100, 1), failed}, true, true, 5, 1},
		"nobody knows of one": {minBeyond, false, false, 8, 0},
	} {
		t.Run(name, func(t *testing.T) {
			status := &v1alpha1.StorageBenchmarkStatus{Runs: append(planned(1, test.first, 3), planned(2, nil, 3)...)}
			status.PlannedRuns = int32(len(status.Runs))
			spec := &v1alpha1.StorageBenchmarkSpec{Workloads: []v1alpha1.Workload{{Name: "w"}}}
			if test.known {
				spec.Workloads[0].Search = budget
			}
			runs := Runs{Spec: spec, Status: status}
			if ended := runs.End(); ended != test.ended || status.PlannedRuns != test.left || len(status.Runs) != int(test.left) {
				t.Errorf("it ended: %t, and %d runs are left, %d planned", ended, len(status.Runs), status.PlannedRuns)
			}
			if runs.End() {
				t.Error("it ends twice")
			}
			second := &status.Runs[test.left-3]
			for range 2 {
				if load := runs.Load(second); second.Name != "2-1" || load != test.second {
					t.Errorf("%s has load %d, want %d", second.Name, load, test.second)
				}
			}
		})
	}
}
