package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/jobspec"
	"github.com/storagebench/storagebench/internal/legible"
	"github.com/storagebench/storagebench/internal/ours"
)

// anchor holds a node for each client for the whole benchmark, by a pod that has all the client's volumes mounted. When
// one is lost, the run under way is repeated from another node.
func anchor(ctx context.Context, p *pass) (outcome, error) {
	if p.sb.Status.HasMeasured() || !p.anchored() || p.sb.Status.EndedRuns() == len(p.sb.Status.Runs) {
		return goOn(), nil
	}
	if len(p.sb.Status.Anchors) == 0 {
		p.sb.Status.Anchors = make([]v1alpha1.Anchor, p.sb.Spec.MostClients())
	}
	if p.beginAnchors(p.Clock.Now()) {
		return saveFirst(), nil
	}
	switch decision := attempt.DecideAnchors(p.SeeAnchors()); decision.Action {
	case attempt.LoseAnchor:
		p.noteAnchors()
		return p.loseAnchor(ctx, decision.Clients[0], decision.Why)
	case attempt.HoldNext:
		attempt.RenewAnchors(&p.sb.Status, decision.Clients, p.Clock.Now())
		return saveFirst(), nil
	case attempt.HoldNodes:
		p.noteAnchors()
		return p.holdNodes(ctx, decision)
	case attempt.FindAnchor:
		return p.ifFresh(ctx, func() (outcome, error) { return p.findAnchor(ctx, decision.Clients[0]) })
	case attempt.MakeAnchors:
		return p.ifFresh(ctx, func() (outcome, error) { return p.createAnchors(ctx, decision.Clients) })
	default:
		return outcome{}, fmt.Errorf("no way is known to %s", decision.Action)
	}
}

// noteAnchors writes down the pods of all anchors, which are there.
func (s *writer) noteAnchors() {
	for i, name := range ours.AnchorNames(s.sb) {
		s.sb.Status.Anchors[i].Pod = name
	}
}

// holdNodes notes the nodes that anchors hold, and waits for the first one that holds none yet.
func (p *pass) holdNodes(ctx context.Context, decision attempt.AnchorDecision) (outcome, error) {
	for _, i := range decision.Clients {
		if err := p.holdNode(ctx, i, p.AnchorOf(i)); err != nil {
			return outcome{}, err
		}
		if p.sb.Status.HasMeasured() {
			return saveFirst(), nil
		}
	}
	if len(decision.Waiting) == 0 {
		attempt.EndNodeWait(&p.sb.Status)
		return goOn(), nil
	}
	first := decision.Waiting[0]
	return p.watch(ctx, p.anchorWait(first, p.AnchorOf(first)))
}

// anchored says whether the benchmark has anchors. The pod of a single run by one client can hold its node itself, unless its claim has to be bound before.
func (s *scope) anchored() bool {
	return len(s.sb.Status.Runs) > 1 || s.sb.Spec.MostClients() > 1 || len(s.sb.Status.Anchors) > 0
}

// beginAnchors has attempts to hold nodes begin now, and says whether there are any.
func (s *writer) beginAnchors(now time.Time) bool {
	first := attempt.BeginAnchors(&s.sb.Status, now)
	if first >= 0 {
		s.step(v1alpha1.ReasonProvisioning, attempt.DescribeAnchor(&s.sb.Status, first))
	}
	return first >= 0
}

// createAnchors makes the pods of anchors.
func (p *pass) createAnchors(ctx context.Context, missing []int) (outcome, error) {
	if len(missing) > 1 {
		if out, err := p.awaitOlder(ctx, p.anchorWait(missing[0], nil)); err != nil || out.stop {
			return out, err
		}
	}
	if out, err := p.endLost(ctx); err != nil || out.stop {
		return out, err
	}
	errs := inParallel(ctx, missing, func(client int) error {
		return p.makeAnchor(ctx, p.nextAnchor(int32(client)))
	})
	for i, client := range missing {
		if errs[i] != nil {
			return p.anchorWait(client, nil).notMade("pod", errs[i])
		}
		a := &p.sb.Status.Anchors[client]
		a.Pod = job.AnchorName(p.sb, int32(client), a.Attempts)
	}
	return awaitFor(p.remaining(p.sb.Status.Anchors[missing[0]].StartTime.Time, attempt.StartLimit(p.sb.Spec.Deadlines))), nil
}

// unbound returns the clients whose anchors hold nodes, or are about to, before their claims are bound.
func unbound(c *children.Children) []int {
	var clients []int
	for i := range c.Benchmark.Status.Anchors {
		if pod := c.AnchorOf(i); pod != nil && !job.OnlyBinds(pod) && !c.IsBound(int32(i)) {
			clients = append(clients, i)
		}
	}
	return clients
}

// nextAnchor returns the pod that is made for a client. The first pod of a benchmark holds its node, be it of an anchor or of
// a run. Later ones hold none while claims are not bound: the first one was released because that takes long.
func (p *pass) nextAnchor(client int32) *corev1ac.PodApplyConfiguration {
	attempts, volumes := p.sb.Status.Anchors[client].Attempts, p.anchorVolumes(client)
	isFirst := attempts == 1 && !slices.ContainsFunc(p.sb.Status.Runs, func(run v1alpha1.Run) bool { return run.Attempts > 0 })
	if !isFirst && !p.IsBound(client) {
		return job.ForBinding(p.sb, p.Image, client, attempts, volumes)
	}
	return job.ForAnchor(p.sb, p.Image, client, attempts, volumes)
}

// endLost ends what was under way when anchors were lost. An old anchor that Kubernetes has not ended yet would keep the new one off its node,
// and what an attempt measures without one does not count. The next attempt begins when this one has ended.
func (p *pass) endLost(ctx context.Context) (outcome, error) {
	if p.MayMeasure {
		proof, ok := p.allSaved()
		if !ok {
			return saveFirst(), nil
		}
		if _, err := p.endAttempts(ctx, proof); err != nil {
			return outcome{}, err
		}
		if p.changed() { // pods with news have not been deleted
			return saveFirst(), nil
		}
	}
	if !slices.ContainsFunc(p.sb.Status.Anchors, func(a v1alpha1.Anchor) bool { return a.Attempts > 1 }) {
		return goOn(), nil // there are none from before
	}
	_, err := p.removeAnchors(ctx, ours.AnchorNames(p.sb)...)
	return goOn(), err
}

// anchorVolumes returns the volumes that a client's anchor mounts: all but those that are left to the runs.
func (s *scope) anchorVolumes(client int32) []job.Volume {
	var volumes []job.Volume
	for i := range s.sb.Spec.Targets {
		target := &s.sb.Spec.Targets[i]
		if !s.sb.Status.Target(target.Name).IsForOnePod() {
			volumes = append(volumes, jobspec.VolumeOf(s.sb, target, client))
		}
	}
	return volumes
}

// anchorWait is the wait for the pod of a client's anchor.
func (s *writer) anchorWait(client int, pod *corev1.Pod) *podWait {
	st := &podWait{
		writer: s, what: attempt.DescribeAnchor(&s.sb.Status, client), pod: pod, resources: attempt.AnchorResources,
		began: s.sb.Status.Anchors[client].StartTime, made: children.AnchorMadeAt(s.AnchorOf(client)),
	}
	st.invalid = func(err error) { s.fail(v1alpha1.ReasonRunFailed, fmt.Sprintf("%s was refused: %v", st.what, err)) }
	st.expire = func(message string) { s.fail(v1alpha1.ReasonDeadlineExceeded, message) }
	st.needs = s.AnchorVolumes(int32(client))
	st.release = func() {
		for _, i := range unbound(&s.Children) { // the wait for their volumes goes on
			attempt.RenewAnchors(&s.sb.Status, []int{i}, s.sb.Status.Anchors[i].StartTime.Time)
		}
	}
	for i := range s.sb.Status.Anchors {
		if a := &s.sb.Status.Anchors[i]; a.Node == "" {
			st.others = append(st.others, a.StartTime)
		}
	}
	if all := len(s.sb.Status.Anchors); all > 1 {
		placed := all - len(st.others)
		if placed > 0 {
			st.yield = s.yield
		}
		st.crowded = fmt.Sprintf("%d of %d clients have a node, and each needs its own: add nodes, or, in another StorageBenchmark, lower clients or set spec.placement.spread to None: ", placed, all)
	}
	return st
}

// holdNode notes the node that a client's anchor holds, and the volumes mounted there.
func (p *pass) holdNode(ctx context.Context, client int, pod *corev1.Pod) error {
	a := &p.sb.Status.Anchors[client]
	if a.Node == pod.Spec.NodeName {
		return nil
	}
	for i := range p.sb.Spec.Targets {
		target := &p.sb.Spec.Targets[i]
		if err := p.noteExistingClaim(ctx, target); err != nil || p.sb.Status.HasMeasured() {
			return err
		}
		if err := p.recordPlace(ctx, target, int32(client), pod); err != nil {
			return err
		}
	}
	labels, err := p.nodeLabels(ctx, pod.Spec.NodeName)
	if err != nil {
		return err
	}
	a.Node, a.InstanceType = pod.Spec.NodeName, labels[corev1.LabelInstanceTypeStable]
	return nil
}

// loseAnchor ends the run under way, unless that has ended by itself, and has another node looked for.
func (p *pass) loseAnchor(ctx context.Context, client int, why string) (outcome, error) {
	run := p.sb.Status.RunningRun()
	collected, err := p.collectEnded(ctx, run)
	if err != nil {
		return outcome{}, err
	}
	a := &p.sb.Status.Anchors[client]
	loss := attempt.Loss{Node: a.Node, Why: why, Before: a.Disruptions, Run: run, Collected: collected}
	p.loseNode(client, run, attempt.DecideLoss(loss), p.Clock.Now())
	return saveFirst(), nil
}

// loseNode writes down that a client's node is lost, and what becomes of the run under way, and begins to look for another node.
func (s *writer) loseNode(client int, run *v1alpha1.Run, decision attempt.LossDecision, now time.Time) {
	switch decision.Action {
	case attempt.RepeatRun:
		s.disrupted(run, decision.Message)
	case attempt.AwaitNode:
		s.NoteUnseen(run, &s.memory.ownAttempt)
		run.State = v1alpha1.RunPending
	case attempt.LeaveRun:
	}
	a := &s.sb.Status.Anchors[client]
	a.Disruptions++
	a.Message = legible.Fit(decision.Message, maxAnchorMessage)
	if decision.Fails != "" {
		s.fail(v1alpha1.ReasonRunFailed, decision.Fails)
		return
	}
	a.StartTime = nil
	s.beginAnchors(now)
}
