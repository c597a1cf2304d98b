package controllers

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
)

// suspend holds a benchmark: the run under way is ended and will be repeated, everything else stays.
func suspend(ctx context.Context, s *scope) (outcome, error) {
	if !ptr.Deref(s.sb.Spec.Suspend, false) || s.concluded() {
		return goOn(), nil
	}
	run := s.runningRun()
	collected, err := s.collectEnded(ctx, run)
	if err != nil {
		return outcome{}, err
	}
	if run != nil && !collected {
		s.suspended(run)
	}
	s.sb.Status.StorageRefusedSince = nil
	s.releaseNodes()
	// Whoever resumes at once does not find a disruption, and a result is not lost with its pod.
	proof, ok := s.allSaved()
	if !ok {
		s.step(v1alpha1.ReasonSuspended, "spec.suspend is true; what is under way is being ended")
		return saveFirst(), nil
	}
	left, err := s.endAttempts(ctx, proof)
	if err != nil {
		return outcome{}, err
	}
	anchors, err := s.removeAnchors(ctx)
	if err != nil {
		return outcome{}, err
	}
	left = append(left, withoutLost(anchors)...)
	if len(left) > 0 {
		return s.awaitSuspended(left), nil
	}
	s.step(v1alpha1.ReasonSuspended, "spec.suspend is true; set it to false to go on")
	return awaitChange(), nil
}

// collectEnded takes the outcome of a run that had ended by itself before it could be suspended.
func (s *scope) collectEnded(ctx context.Context, run *v1alpha1.Run) (bool, error) {
	if run == nil || len(s.missingJobs(run)) > 0 {
		return false, nil
	}
	parts, err := s.partsOf(ctx, run)
	if err != nil {
		return false, err
	}
	if whole, _ := attempt.Together(statesOf(parts)); !whole.Ended() || whole.Repeatable() {
		return false, nil
	}
	return true, s.collect(ctx, run, parts)
}

// runningRun returns the run whose attempt is under way, or nil.
func (s *scope) runningRun() *v1alpha1.Run {
	for i := range s.sb.Status.Runs {
		if run := &s.sb.Status.Runs[i]; run.State == v1alpha1.RunRunning {
			return run
		}
	}
	return nil
}
