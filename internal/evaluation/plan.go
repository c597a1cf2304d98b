package evaluation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/preset"
	"github.com/storagebench/storagebench/internal/search"
)

// Begin writes down the runs that are to be made. From then on the spec is fixed.
func Begin(sb *v1alpha1.StorageBenchmark, runs []plan.Run, now metav1.Time) {
	sb.Status.StartTime = &now
	sb.Status.Presets = preset.Used(&sb.Spec)
	sb.Status.PlannedRuns = int32(len(runs))
	sb.Status.Runs = plan.Record(runs)
}

// Next returns the first run that has not ended, nil if all have, and reports whether a search has ended by what was
// measured. A step of a search has its load then.
func Next(sb *v1alpha1.StorageBenchmark, runs []plan.Run) (next *v1alpha1.Run, searchEnded bool) {
	steps := search.Runs{Spec: &sb.Spec, Status: &sb.Status}
	searchEnded = steps.End()
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		if run.HasEnded() {
			continue
		}
		if run.Search != nil && run.Search.Value == 0 {
			setLoad(run, runs, steps.Load(run))
		}
		return run, searchEnded
	}
	return nil, searchEnded
}

// setLoad gives a step of a search its load, if there is one.
func setLoad(run *v1alpha1.Run, runs []plan.Run, load int32) {
	planned, known := plan.Of(runs, run)
	if !known || load == 0 { // which the caller finds out as well
		return
	}
	planned = planned.At(load)
	run.Search.Value, run.Parameters, run.Clients = load, planned.Parameters, 0
	if planned.Clients > 1 {
		run.Clients = planned.Clients
	}
}
