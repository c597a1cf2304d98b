package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
)

// agree sets one instant at which all clients of an attempt begin, which wait for it. It is saved before anybody is told, so
// that two passes never tell two of them. Now is that of the call, because the lead is too short for what a pass may take.
func (s *writer) agree(run *v1alpha1.Run, now time.Time) outcome {
	lead := attempt.StartLead(s.sb.Status.Runs, run)
	run.StartLeadMilliseconds = lead.Milliseconds()
	run.AgreedStart = new(metav1.NewMicroTime(now.Add(lead).Truncate(time.Millisecond)))
	s.step(v1alpha1.ReasonPreparing, attempt.DescribeRun(&s.sb.Status, run)+": all clients wait for their start")
	return saveFirst()
}

// ifMayTell tells clients of their start, or gives it up, unless this pass has found out something that is not saved yet, or has read an old version.
func (p *pass) ifMayTell(ctx context.Context, act func(saved) (outcome, error)) (outcome, error) {
	proof, ok := p.allSaved()
	if !ok {
		return saveFirst(), nil
	}
	return p.ifFresh(ctx, func() (outcome, error) { return act(proof) })
}

// tellClients tells clients of their start.
func (p *pass) tellClients(ctx context.Context, run *v1alpha1.Run, parts []part, waiting []int) (outcome, error) {
	return p.ifMayTell(ctx, func(proof saved) (outcome, error) {
		if err := errors.Join(inParallel(ctx, waiting, func(i int) error { return p.tell(ctx, proof, parts[i], run.AgreedStart.Time) })...); err != nil {
			return outcome{}, fmt.Errorf("tell the clients of their start: %w", err)
		}
		return goOn(), nil
	})
}

// startMissed ends an attempt whose start has passed before all clients could be told of it.
func (p *pass) startMissed(ctx context.Context, run *v1alpha1.Run, decision attempt.Decision) (outcome, error) {
	return p.ifMayTell(ctx, func(saved) (outcome, error) {
		p.late(run, decision.Why)
		return saveFirst(), nil
	})
}

// told says which of the clients' pods have been told of the start.
func told(parts []part) []bool {
	return each(parts, func(p part) bool { return p.pod != nil && p.pod.Annotations[v1alpha1.AnnotationStartTime] != "" })
}

// tell writes the start into an annotation of the client's pod, where the runner reads it.
func (p *pass) tell(ctx context.Context, _ saved, one part, start time.Time) error {
	annotations := map[string]string{v1alpha1.AnnotationStartTime: start.UTC().Format(time.RFC3339Nano)}
	// Whether one that is not found is gone is for the next pass to find out.
	return p.patchMeta(ctx, one.pod.DeepCopy(), map[string]any{"annotations": annotations})
}
