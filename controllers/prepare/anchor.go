package prepare

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
)

// Anchor holds a node for each client for the whole benchmark, by a pod that has all the client's volumes mounted. When
// one is lost, the run under way is repeated from another node.
func Anchor(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if p.SB.Status.HasMeasured() || !p.Anchored() || p.SB.Status.EndedRuns() == len(p.SB.Status.Runs) {
		return pass.GoOn(), nil
	}
	if len(p.SB.Status.Anchors) == 0 {
		p.SB.Status.Anchors = make([]v1alpha1.Anchor, p.SB.Spec.MostClients())
	}
	if p.BeginAnchors(p.World.Clock.Now()) {
		return pass.SaveFirst(), nil
	}
	switch decision := attempt.DecideAnchors(p.Children.SeeAnchors()); decision.Action {
	case attempt.LoseAnchor:
		NoteAnchors(p)
		return loseAnchor(ctx, p, decision.Clients[0], decision.Why)
	case attempt.HoldNext:
		attempt.RenewAnchors(&p.SB.Status, decision.Clients, p.World.Clock.Now())
		return pass.SaveFirst(), nil
	case attempt.HoldNodes:
		NoteAnchors(p)
		return HoldNodes(ctx, p, decision)
	case attempt.FindAnchor:
		return workers.IfFresh(ctx, p, func() (pass.Outcome, error) { return findAnchor(ctx, p, decision.Clients[0]) })
	case attempt.MakeAnchors:
		return workers.IfFresh(ctx, p, func() (pass.Outcome, error) { return createAnchors(ctx, p, decision.Clients) })
	default:
		return pass.Outcome{}, fmt.Errorf("no way is known to %s", decision.Action)
	}
}

// NoteAnchors writes down the pods of all anchors, which are there.
func NoteAnchors(s *pass.Pass) {
	for i, name := range owned.AnchorNames(s.SB) {
		s.SB.Status.Anchors[i].Pod = name
	}
}

// HoldNodes notes the nodes that anchors hold, and waits for the first one that holds none yet.
func HoldNodes(ctx context.Context, p *pass.Pass, decision attempt.AnchorDecision) (pass.Outcome, error) {
	for _, i := range decision.Clients {
		if err := holdNode(ctx, p, i, p.Children.AnchorOf(i)); err != nil {
			return pass.Outcome{}, err
		}
		if p.SB.Status.HasMeasured() {
			return pass.SaveFirst(), nil
		}
	}
	if len(decision.Waiting) == 0 {
		return pass.GoOn(), nil
	}
	first := decision.Waiting[0]
	return workers.AwaitPod(ctx, p, AnchorWait(p, first, p.Children.AnchorOf(first)))
}

// createAnchors makes the pods of anchors.
func createAnchors(ctx context.Context, p *pass.Pass, missing []int) (pass.Outcome, error) {
	if len(missing) > 1 {
		if out, err := workers.AwaitOlder(ctx, p, AnchorWait(p, missing[0], nil)); err != nil || out.Stop {
			return out, err
		}
	}
	if out, err := endLost(ctx, p); err != nil || out.Stop {
		return out, err
	}
	errs := world.InParallel(ctx, missing, func(client int) error {
		return workers.MakeAnchor(ctx, p, nextAnchor(p, int32(client)))
	})
	for i, client := range missing {
		if errs[i] != nil {
			return AnchorWait(p, client, nil).NotMade("pod", errs[i])
		}
		a := &p.SB.Status.Anchors[client]
		a.Pod = childmeta.AnchorName(p.SB, int32(client), a.Attempts)
	}
	began := p.SB.Status.Anchors[missing[0]].StartTime.Time
	return pass.AwaitFor(p.Remaining(began, attempt.StartLimit(p.SB.Spec.Deadlines))), nil
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

// nextAnchor returns the pod that is made for a client. The first pod of a benchmark holds its node, be it of an anchor
// or of a run. Later ones hold none while claims are not bound: the first one was released because that takes long.
func nextAnchor(p *pass.Pass, client int32) *corev1ac.PodApplyConfiguration {
	attempts := p.SB.Status.Anchors[client].Attempts
	anchor := job.Anchor{
		Client: client, Attempt: attempts, NeededSeconds: p.NeededSeconds(), Volumes: anchorVolumes(p, client),
	}
	hasBegun := func(run v1alpha1.Run) bool { return run.Attempts > 0 }
	isFirst := attempts == 1 && !slices.ContainsFunc(p.SB.Status.Runs, hasBegun)
	if !isFirst && !p.Children.IsBound(client) {
		return job.ForBinding(p.SB, p.World.Image, anchor)
	}
	return job.ForAnchor(p.SB, p.World.Image, anchor)
}

// endLost ends what was under way when anchors were lost. An old anchor that Kubernetes has not ended yet would keep
// the new one off its node, and what an attempt measures without one does not count. The next attempt begins when this
// one has ended.
func endLost(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if p.Children.MayMeasure {
		if p.Changed() {
			return pass.SaveFirst(), nil
		}
		if _, err := workers.EndAttempts(ctx, p); err != nil {
			return pass.Outcome{}, err
		}
		if p.Changed() { // pods with news have not been deleted
			return pass.SaveFirst(), nil
		}
	}
	if !slices.ContainsFunc(p.SB.Status.Anchors, func(a v1alpha1.Anchor) bool { return a.Attempts > 1 }) {
		return pass.GoOn(), nil // there are none from before
	}
	_, err := workers.RemoveAnchors(ctx, p, owned.AnchorNames(p.SB)...)
	return pass.GoOn(), err
}

// anchorVolumes returns the volumes that a client's anchor mounts: all but those that are left to the runs.
func anchorVolumes(s *pass.Pass, client int32) []job.Volume {
	var volumes []job.Volume
	for i := range s.SB.Spec.Targets {
		target := &s.SB.Spec.Targets[i]
		if !s.SB.Status.Target(target.Name).IsForOnePod() {
			volumes = append(volumes, job.VolumeOf(s.SB, target, client))
		}
	}
	return volumes
}

// AnchorWait is the wait for the pod of a client's anchor.
func AnchorWait(s *pass.Pass, client int, pod *corev1.Pod) *workers.PodWait {
	st := &workers.PodWait{
		Pass: s, What: attempt.DescribeAnchor(&s.SB.Status, client), Pod: pod, Resources: attempt.AnchorResources,
		Began: s.SB.Status.Anchors[client].StartTime, Made: children.AnchorMadeAt(s.Children.AnchorOf(client)),
	}
	st.Invalid = func(err error) { s.Fail(v1alpha1.ReasonRunFailed, fmt.Sprintf("%s was refused: %v", st.What, err)) }
	st.Expire = func(message string) { s.Fail(v1alpha1.ReasonDeadlineExceeded, message) }
	st.Needs = s.Children.AnchorVolumes(int32(client))
	st.Release = func() {
		for _, i := range unbound(&s.Children) { // the wait for their volumes goes on
			attempt.RenewAnchors(&s.SB.Status, []int{i}, s.SB.Status.Anchors[i].StartTime.Time)
		}
	}
	for i := range s.SB.Status.Anchors {
		if a := &s.SB.Status.Anchors[i]; a.Node == "" {
			st.Others = append(st.Others, a.StartTime)
		}
	}
	if all := len(s.SB.Status.Anchors); all > 1 {
		placed := all - len(st.Others)
		if placed > 0 {
			st.Yield = func(older string) { workers.Yield(s, older) }
		}
		st.Crowded = fmt.Sprintf("%d of %d clients have a node, and each needs its own: add nodes, "+
			"or, in another StorageBenchmark, lower clients or set spec.placement.spread to None: ", placed, all)
	}
	return st
}

// holdNode notes the node that a client's anchor holds, and the volumes mounted there.
func holdNode(ctx context.Context, p *pass.Pass, client int, pod *corev1.Pod) error {
	a := &p.SB.Status.Anchors[client]
	if a.Node == pod.Spec.NodeName {
		return nil
	}
	for i := range p.SB.Spec.Targets {
		target := &p.SB.Spec.Targets[i]
		if err := pvc.NoteExistingClaim(ctx, p, target); err != nil || p.SB.Status.HasMeasured() {
			return err
		}
		if err := pvc.RecordPlace(ctx, p, target, int32(client), pod); err != nil {
			return err
		}
	}
	labels, err := p.World.NodeLabels(ctx, pod.Spec.NodeName)
	if err != nil {
		return err
	}
	a.Node, a.InstanceType = pod.Spec.NodeName, labels[corev1.LabelInstanceTypeStable]
	return nil
}

// loseAnchor ends the run under way, unless that has ended by itself, and has another node looked for.
func loseAnchor(ctx context.Context, p *pass.Pass, client int, why string) (pass.Outcome, error) {
	run := p.SB.Status.RunningRun()
	collected, err := workers.CollectEnded(ctx, p, run)
	if err != nil {
		return pass.Outcome{}, err
	}
	a := &p.SB.Status.Anchors[client]
	loss := attempt.Loss{Node: a.Node, Why: why, Before: a.Disruptions, Run: run, Collected: collected}
	LoseNode(p, client, run, attempt.DecideLoss(loss), p.World.Clock.Now())
	return pass.SaveFirst(), nil
}

// LoseNode writes down that a client's node is lost, and what becomes of the run under way, and begins to look for
// another node.
func LoseNode(s *pass.Pass, client int, run *v1alpha1.Run, decision attempt.LossDecision, now time.Time) {
	switch decision.Action {
	case attempt.RepeatRun:
		s.Disrupted(run, decision.Message)
	case attempt.AwaitNode:
		s.Children.NoteUnseen(run, &s.Memory.OwnAttempt)
		run.State = v1alpha1.RunPending
	case attempt.LeaveRun:
	}
	a := &s.SB.Status.Anchors[client]
	a.Disruptions++
	a.Message = humanize.Fit(decision.Message, world.MaxAnchorMessage)
	if decision.Fails != "" {
		s.Fail(v1alpha1.ReasonRunFailed, decision.Fails)
		return
	}
	a.StartTime = nil
	s.BeginAnchors(now)
}
