package job

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
)

// This file has what is done before a run measures.

// Shares returns what the clients of a run have to lay out before it, by what was measured on the volumes that are there now.
func (b Spec) Shares(planned *plan.Run) plan.Shares {
	layout := plan.NewLayout(b.Plan, b.found())
	for _, before := range b.measured() {
		layout.Measured(before)
	}
	return layout.Before(planned)
}

// measured returns the runs that have a result.
func (b Spec) measured() (measured []*plan.Run) {
	for i := range b.Status.Runs {
		run := &b.Status.Runs[i]
		if before, known := plan.Of(b.Plan, run); known && run.State == v1alpha1.RunSucceeded {
			measured = append(measured, before)
		}
	}
	return measured
}

// layoutFile returns the text of the job file whose files a client lays out, "" if there are none to lay out.
func (b Spec) layoutFile(planned *plan.Run, described Run, shares plan.Shares) string {
	file := shares.Of(described.Client)
	if file == nil {
		return ""
	}
	return b.ownNames(planned.Target, described.Client, file).On(b.placeOf(described.Volume)).String()
}

// Preconditions says whether a client writes its device, or what it lays out, before a run: a device on which something was measured was written.
func (b Spec) Preconditions(planned *plan.Run, client int32, shares plan.Shares) bool {
	if planned.Target.Precondition == nil {
		return false
	}
	return plan.Preconditions(planned, client, b.found().ModeOf(planned.Target), b.measured(), shares)
}

// WritesDevice says whether a target's devices are written before they are measured.
func WritesDevice(sb *v1alpha1.StorageBenchmark, target *v1alpha1.Target) bool {
	return target.Precondition != nil && plan.VolumesOf(sb.Status.Targets).ModeOf(target) == corev1.PersistentVolumeBlock
}
