package controllers

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/cleanup"
)

// suspend holds a benchmark: the run under way is ended and will be repeated, everything else stays.
func suspend(ctx context.Context, p *pass) (outcome, error) {
	if !ptr.Deref(p.sb.Spec.Suspend, false) || p.sb.Status.HasMeasured() {
		return goOn(), nil
	}
	run := p.sb.Status.RunningRun()
	collected, err := p.collectEnded(ctx, run)
	if err != nil {
		return outcome{}, err
	}
	if run != nil && !collected {
		p.suspended(run)
	}
	p.sb.Status.StorageRefusedSince = nil
	attempt.ReleaseNodes(&p.sb.Status)
	// A user who resumes at once does not find a disruption, and a result is not lost with its pod.
	proof, ok := p.allSaved()
	if !ok {
		p.step(v1alpha1.ReasonSuspended, "spec.suspend is true; what is under way is being ended")
		return saveFirst(), nil
	}
	left, err := p.untilNothingIsLeft(ctx, func(ctx context.Context) ([]cleanup.Leftover, error) { return p.endAll(ctx, proof) })
	if err != nil {
		return outcome{}, err
	}
	if len(left) > 0 {
		return p.awaitSuspended(left), nil
	}
	p.step(v1alpha1.ReasonSuspended, "spec.suspend is true; set it to false to go on")
	return awaitChange(), nil
}

// endAll ends attempts and anchors, and returns what is left of them. What is on nodes that do not answer is not waited for.
func (p *pass) endAll(ctx context.Context, proof saved) ([]cleanup.Leftover, error) {
	left, err := p.endAttempts(ctx, proof)
	if err != nil {
		return nil, err
	}
	anchors, err := p.removeAnchors(ctx)
	return append(left, cleanup.WithoutLost(anchors)...), err
}
