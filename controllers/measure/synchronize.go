package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
)

// Agree sets one instant at which all clients of an attempt begin, which wait for it. It is saved before anybody is
// told, so that two passes never tell two of them. Now is that of the call, because the lead is too short for what a
// pass may take.
func Agree(s *pass.Pass, run *v1alpha1.Run, now time.Time) pass.Outcome {
	lead := attempt.StartLead(s.SB.Status.AbandonedAttempts, run.ClientCount())
	run.AgreedStart = new(metav1.NewMicroTime(now.Add(lead).Truncate(time.Millisecond)))
	s.Step(v1alpha1.ReasonPreparing, attempt.DescribeRun(&s.SB.Status, run)+": all clients wait for their start")
	return pass.SaveFirst()
}

// ifMayTell tells clients of their start, or gives it up, unless this pass has found out something that is not saved
// yet, or has read an old version.
func ifMayTell(ctx context.Context, p *pass.Pass, act func() (pass.Outcome, error)) (pass.Outcome, error) {
	if p.Changed() {
		return pass.SaveFirst(), nil
	}
	return workers.IfFresh(ctx, p, act)
}

// tellClients tells clients of their start.
func tellClients(
	ctx context.Context, p *pass.Pass, run *v1alpha1.Run, parts []workers.Part, waiting []int,
) (pass.Outcome, error) {
	return ifMayTell(ctx, p, func() (pass.Outcome, error) {
		tellOne := func(i int) error { return tell(ctx, p, parts[i], run.AgreedStart.Time) }
		if err := errors.Join(world.InParallel(ctx, waiting, tellOne)...); err != nil {
			return pass.Outcome{}, fmt.Errorf("tell the clients of their start: %w", err)
		}
		return pass.GoOn(), nil
	})
}

// startMissed ends an attempt whose start has passed before all clients could be told of it.
func startMissed(
	ctx context.Context, p *pass.Pass, run *v1alpha1.Run, decision attempt.Decision,
) (pass.Outcome, error) {
	return ifMayTell(ctx, p, func() (pass.Outcome, error) {
		p.Late(run, decision.Why)
		return pass.SaveFirst(), nil
	})
}

// told says which of the clients' pods have been told of the start.
func told(parts []workers.Part) []bool {
	return world.Each(parts, func(p workers.Part) bool {
		return p.Pod != nil && p.Pod.Annotations[v1alpha1.AnnotationStartTime] != ""
	})
}

// tell writes the start into an annotation of the client's pod, where the runner reads it.
func tell(ctx context.Context, p *pass.Pass, one workers.Part, start time.Time) error {
	annotations := map[string]string{v1alpha1.AnnotationStartTime: start.UTC().Format(time.RFC3339Nano)}
	// Whether one that is not found is gone is for the next pass to find out.
	return p.World.PatchMeta(ctx, one.Pod.DeepCopy(), map[string]any{"annotations": annotations})
}
