package clean

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/cleanup"
)

// Suspend holds a benchmark: the run under way is ended and will be repeated, everything else stays.
func Suspend(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if !ptr.Deref(p.SB.Spec.Suspend, false) || p.SB.Status.HasMeasured() {
		return pass.GoOn(), nil
	}
	run := p.SB.Status.RunningRun()
	collected, err := workers.CollectEnded(ctx, p, run)
	if err != nil {
		return pass.Outcome{}, err
	}
	if run != nil && !collected {
		p.Suspended(run)
	}
	attempt.ReleaseNodes(&p.SB.Status)
	// A user who resumes at once does not find a disruption, and a result is not lost with its pod.
	if p.Changed() {
		p.Step(v1alpha1.ReasonSuspended, "spec.suspend is true; what is under way is being ended")
		return pass.SaveFirst(), nil
	}
	left, err := workers.UntilNothingIsLeft(ctx, p, endAll)
	if err != nil {
		return pass.Outcome{}, err
	}
	if len(left) > 0 {
		return p.AwaitSuspended(left), nil
	}
	p.Step(v1alpha1.ReasonSuspended, "spec.suspend is true; set it to false to go on")
	return pass.AwaitChange(), nil
}

// endAll ends attempts and anchors, and returns what is left of them. It does not wait for pods on nodes that do not
// answer.
func endAll(ctx context.Context, p *pass.Pass) ([]cleanup.Leftover, error) {
	left, err := workers.EndAttempts(ctx, p)
	if err != nil {
		return nil, err
	}
	anchors, err := workers.RemoveAnchors(ctx, p)
	return append(left, cleanup.WithoutLost(anchors)...), err
}
