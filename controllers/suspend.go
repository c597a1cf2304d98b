package controllers

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// suspend holds a benchmark: the run under way is ended and will be repeated, everything else stays.
func suspend(ctx context.Context, s *scope) (outcome, error) {
	if !ptr.Deref(s.sb.Spec.Suspend, false) || s.concluded() {
		return goOn(), nil
	}
	if _, err := observe(ctx, s); err != nil {
		return outcome{}, err
	}
	stopped, err := s.stopRuns(ctx)
	if err != nil {
		return outcome{}, err
	}
	if !stopped {
		s.step(v1alpha1.ReasonSuspended, "spec.suspend is true; the run under way is being ended")
		return haltFor(pollChildren), nil
	}
	for i := range s.sb.Status.Runs {
		if run := &s.sb.Status.Runs[i]; run.State == v1alpha1.RunRunning {
			run.State, run.Job = v1alpha1.RunPending, ""
			run.Message = "ended by spec.suspend, will be repeated"
		}
	}
	s.step(v1alpha1.ReasonSuspended, "spec.suspend is true; set it to false to go on")
	return halt(), nil
}
