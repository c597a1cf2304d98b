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

const (
	// firstLead is how far ahead the first start is set, for which nothing is measured yet: three times what the
	// slowest pod took to hear of it in a local cluster (0.63 s). leadPerClient is for the calls that tell them.
	firstLead     = 2 * time.Second
	leadPerClient = 25 * time.Millisecond
	// minLead is the least, for a kubelet that is slower than it was before: of one and the same, on an idle node, it was
	// seen to take from 0.15 to 1.1 s.
	minLead = 2 * time.Second
	// maxLead is the most: clients that hear later are not waited for.
	maxLead = time.Minute
)

// agree sets one instant at which all clients of an attempt begin, which wait for it. It is saved before anybody is told, so
// that two passes never tell two of them. Now is that of the call, because the lead is too short for what a pass may take.
func (s *scope) agree(run *v1alpha1.Run, now time.Time) outcome {
	lead := startLead(s.sb.Status.Runs, run)
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

// startLead returns how far ahead the start of a run is set: twice what the slowest client of the runs before took to
// hear of theirs, in proportion to the number of clients, but no less than an attempt before that was too short wants.
func startLead(runs []v1alpha1.Run, run *v1alpha1.Run) time.Duration {
	clients := int64(run.ClientCount())
	lead := firstLead.Milliseconds() + clients*leadPerClient.Milliseconds()
	if slowest, known := slowestClient(runs, clients); known {
		lead = max(minLead.Milliseconds(), 2*slowest)
	}
	return time.Duration(min(max(lead, run.StartLeadMilliseconds), maxLead.Milliseconds())) * time.Millisecond
}

// rememberedStarts is of how many runs before the slowest client counts: what slowed down one pod once need not hold back
// all runs after it.
const rememberedStarts = 3

// slowestClient returns how many milliseconds the slowest client of the last runs took to hear of its start, as it would
// be of so many clients, and whether that is known.
func slowestClient(runs []v1alpha1.Run, clients int64) (int64, bool) {
	slowest, seen := int64(0), 0
	for i := len(runs) - 1; i >= 0 && seen < rememberedStarts; i-- {
		run := &runs[i]
		if run.State != v1alpha1.RunSucceeded || run.AgreedStart == nil {
			continue
		}
		took := run.StartLeadMilliseconds - run.StartMarginMilliseconds
		slowest = max(slowest, took*clients/min(int64(run.ClientCount()), clients))
		seen++
	}
	return slowest, seen > 0
}
