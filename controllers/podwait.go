package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/ours"
)

// pollWaiting is how often it is looked whether storage that was refused may be made now.
const pollWaiting = 2 * time.Second

// podWait is the wait for a pod, of an anchor or of a run: it says what it waits for, in the words of whoever is
// asked for it, and gives up at a deadline.
type podWait struct {
	*writer

	// what is started, for messages.
	what string
	// began is when the wait began, as the status has it.
	began *metav1.Time
	// made is when the pod was made, or the Job that makes it. It is zero while neither is there.
	made metav1.Time
	// pod is what is waited for, nil while it is not there.
	pod *corev1.Pod
	// job is the Job that makes the pod, if one does.
	job types.UID
	// others are when the waits of other pods began that wait for the same.
	others []*metav1.Time
	// resources is the field of the spec that sets the pod's resources.
	resources string
	// needs are the volumes that the pod needs.
	needs []children.Need
	// invalid ends what is waited for: the API server does not take the pod, or its Job, and never will.
	invalid func(error)
	// expire ends the benchmark.
	expire func(message string)
	// yield lets go of the nodes that the benchmark has already, so that an older one can have them. Nil if it has none.
	yield func(older string)
	// release ends the attempt whose pod keeps others off a node while its volume is being made. Nil if no other pod can have
	// the volume made.
	release func()
	// crowded explains, for a pod that finds no node, that those of other clients keep it off theirs.
	crowded string
	// elsewhere explains, for a pod that has to go to the node that the benchmark holds, that its volume cannot be used there. It is "" of a
	// volume that the anchor has there.
	elsewhere string
}

// watch goes on waiting for a pod.
func (p *pass) watch(ctx context.Context, st *podWait) (outcome, error) {
	claim := st.FirstUnbound(st.needs)
	st.pod = withoutOldScheduling(st.pod, claim)
	rivals, err := p.seeRivals(ctx, st.pod)
	if err != nil {
		return outcome{}, err
	}
	competes := st.judgeRivals(rivals)
	decision := attempt.DecideStart(st.startFacts(claim, competes))
	if decision.Yield {
		st.yield(competes.older)
		return saveFirst(), nil
	}
	if decision.Release {
		st.release()
		return saveFirst(), nil
	}
	st.noteNodeWait(decision)
	switch {
	case decision.For == attempt.AwaitedNode:
		return st.await(decision, v1alpha1.ReasonWaitingForNode, st.what, "a node of its own", competes.held, attempt.NodeLimit(st.sb.Spec.Deadlines)), nil
	case decision.Quiet:
		reason := v1alpha1.ReasonPreparing
		if decision.For == attempt.AwaitedVolume {
			reason = v1alpha1.ReasonProvisioning
		}
		st.step(reason, st.what)
		return awaitFor(decision.After), nil
	case decision.For == attempt.AwaitedVolume:
		return p.watchVolume(ctx, st, decision, claim)
	default:
		return p.watchPod(ctx, st, decision)
	}
}

// watchVolume goes on waiting for a pod whose volume is not there.
func (p *pass) watchVolume(ctx context.Context, st *podWait, decision attempt.StartDecision, claim *corev1.PersistentVolumeClaim) (outcome, error) {
	target := "target " + st.ClaimTargets[claim.Name]
	message, err := p.explainClaim(ctx, claim, st.pod)
	if err != nil {
		return outcome{}, err
	}
	return st.await(decision, v1alpha1.ReasonProvisioning, target, "the volume of "+target, message, attempt.VolumeLimit(st.sb.Spec.Deadlines)), nil
}

// watchPod goes on waiting for a pod that has its volumes.
func (p *pass) watchPod(ctx context.Context, st *podWait, decision attempt.StartDecision) (outcome, error) {
	message, err := p.explain(ctx, st.job, st.pod)
	if err != nil {
		return outcome{}, err
	}
	return st.await(decision, v1alpha1.ReasonPreparing, st.what, "its pod to start", st.ownReason()+message+attempt.ResourceRemedy(message, st.resources), attempt.StartLimit(st.sb.Spec.Deadlines)), nil
}

// startFacts returns what the wait is decided by.
func (s *podWait) startFacts(claim *corev1.PersistentVolumeClaim, competes competition) attempt.StartFacts {
	limits, began := s.sb.Spec.Deadlines, children.AwaitedSince(s.began, s.made)
	return attempt.StartFacts{
		Now: s.now.Time, Began: began, Ready: s.waits().ReadySince(began, s.needs), Node: attempt.NodeWaitOf(&s.sb.Status), Blocked: competes.held != "", Rival: competes.older != "",
		Reserves: s.reserves(claim),
		HasPod:   s.pod != nil, CrowdedOut: attempt.IsCrowdedOut(s.pod), Unbound: claim != nil,
		NodeLimit: attempt.NodeLimit(limits).Duration(), VolumeLimit: attempt.VolumeLimit(limits).Duration(), PodLimit: attempt.StartLimit(limits).Duration(),
	}
}

// reserves reports whether the pod keeps other benchmarks off the node for which the volume of a claim is being made.
func (s *podWait) reserves(claim *corev1.PersistentVolumeClaim) bool {
	return s.pod != nil && s.pod.Spec.NodeName == "" && !job.OnlyBinds(s.pod) && s.release != nil &&
		claim != nil && claim.Annotations[ours.SelectedNode] != ""
}

// noteNodeWait writes down whether the benchmark waits for nodes that others hold.
func (s *podWait) noteNodeWait(decision attempt.StartDecision) {
	switch {
	case decision.For == attempt.AwaitedNode:
		attempt.WaitForNode(&s.sb.Status, s.now)
	case decision.NodeFreed:
		s.sb.Status.NodeFreeSince = new(s.now)
		for _, began := range append(s.others, s.began) {
			*began = s.now
		}
	}
}

// await tells users what is waited for, and why, or ends the benchmark when that has taken too long.
func (s *podWait) await(decision attempt.StartDecision, reason, what, forWhat, why string, limit attempt.Limit) outcome {
	if decision.Expired {
		s.expire(fmt.Sprintf("%s %s: %s", s.what, limit.Waited(forWhat), why))
		return saveFirst()
	}
	s.step(reason, what+": "+why)
	return awaitFor(decision.After)
}

// ownReason says of a pod that finds no node what its benchmark has to do with that, "" if nothing.
func (s *podWait) ownReason() (text string) {
	if attempt.IsVolumeElsewhere(s.pod) {
		text = s.elsewhere
	}
	if attempt.IsCrowdedOut(s.pod) {
		text += s.crowded
	}
	return text
}

// competition is what other benchmarks have to do with a pod that finds no node.
type competition struct {
	// held says who keeps the pod off a node, for people, "" if nobody does.
	held string
	// older is the benchmark that waits for nodes which this one holds, and goes first, "" if there is none.
	older string
}

// seeRivals reads which other benchmarks hold nodes, or wait for one. It is asked only for a pod that finds none.
func (p *pass) seeRivals(ctx context.Context, pod *corev1.Pod) (attempt.Rivals, error) {
	if !attempt.IsCrowdedOut(pod) {
		return attempt.Rivals{}, nil
	}
	return p.rivals(ctx)
}

// judgeRivals says what they have to do with the pod.
func (s *podWait) judgeRivals(rivals attempt.Rivals) (competes competition) {
	holders := rivals.Holders(s.sb)
	switch {
	case !attempt.IsCrowdedOut(s.pod):
	case len(holders) > 0:
		competes.held = "other benchmarks measure on " + strings.Join(holders, ", ")
		if s.yield != nil {
			competes.older = rivals.NameOfOlder(s.sb)
		}
	case isCrowdedByUnseen(s.namespaces.AreSet(), s.crowded, s.sb.Spec.Placement):
		competes.held = fmt.Sprintf("other benchmarks hold nodes, in namespaces that the operator cannot see (%s): %s", s.namespaces.Words(), attempt.StartMessage(s.pod))
	}
	return competes
}

// notMade says how the wait goes on when the pod, or the Job that makes it, was not made.
func (s *podWait) notMade(object string, err error) (outcome, error) {
	switch {
	case apierrors.IsInvalid(err):
		s.invalid(err)
		return saveFirst(), nil
	case isRefused(err):
		return s.refused(object, err), nil
	default:
		return outcome{}, fmt.Errorf("apply %s: %w", object, err)
	}
}

// refused waits for those who do not let the pod, or the Job that makes it, be made to change their minds: they may, by a deadline.
func (s *podWait) refused(object string, err error) outcome {
	decision := attempt.DecideRefused(s.startFacts(nil, competition{}))
	s.noteNodeWait(decision)
	what := fmt.Sprintf("%s: the %s was refused", s.what, object)
	about, refusal := what+": ", err.Error()
	refusal += attempt.ResourceRemedy(refusal, s.resources)
	why := strings.TrimPrefix(s.retold(v1alpha1.ConditionSucceeded, about, refusal), about)
	out := s.await(decision, v1alpha1.ReasonPreparing, what, "its "+object, why, attempt.StartLimit(s.sb.Spec.Deadlines))
	return out.resting(s.remaining(s.began.Time, attempt.StartLimit(s.sb.Spec.Deadlines))) // before each try it is looked what is left of others
}

// isCrowdedByUnseen says whether a pod that others keep off nodes finds none because of benchmarks that the operator does not see: it is confined
// to namespaces, and no other client and no wish of the user can be the reason.
func isCrowdedByUnseen(confined bool, crowded string, placement *v1alpha1.Placement) bool {
	return confined && crowded == "" && (placement == nil || placement.Affinity == nil || placement.Affinity.PodAntiAffinity == nil)
}
