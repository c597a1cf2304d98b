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
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
)

// pollWaiting is how often it is looked whether storage that was refused may be made now.
const pollWaiting = 2 * time.Second

// podWait is the wait for a pod, of an anchor or of a run: it says what it waits for, in the words of whoever is
// asked for it, and gives up at a deadline.
type podWait struct {
	*pass

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
	// needs are the volumes that the pod needs.
	needs []neededVolume
	// invalid ends what is waited for: the API server does not take the pod, or its Job, and never will.
	invalid func(error)
	// expire ends the benchmark.
	expire func(message string)
	// yield lets go of the nodes that the benchmark has already, so that an older one can have them. Nil if it has none.
	yield func(older string)
	// crowded explains, for a pod that finds no node, that those of other clients keep it off theirs.
	crowded string
	// elsewhere explains, for a pod that has to go to the node that the benchmark holds, that its volume cannot be used there. It is "" of a
	// volume that the anchor has there.
	elsewhere string
}

// neededVolume is a volume that a pod needs to start.
type neededVolume struct{ target, claim string }

// watch goes on waiting.
func (s *podWait) watch(ctx context.Context) (outcome, error) {
	rivals, err := s.seeRivals(ctx)
	if err != nil {
		return outcome{}, err
	}
	claim, competes := s.unboundClaim(), s.judgeRivals(rivals)
	decision := attempt.DecideStart(s.startFacts(claim, competes))
	if decision.Yield {
		s.yield(competes.older)
		return saveFirst(), nil
	}
	s.noteNodeWait(decision)
	switch {
	case decision.For == attempt.AwaitedNode:
		return s.await(decision, v1alpha1.ReasonWaitingForNode, s.what, "a node of its own", competes.held, s.nodeLimit()), nil
	case decision.Quiet:
		reason := v1alpha1.ReasonPreparing
		if decision.For == attempt.AwaitedVolume {
			reason = v1alpha1.ReasonProvisioning
		}
		s.step(reason, s.what)
		return awaitFor(decision.After), nil
	case decision.For == attempt.AwaitedVolume:
		return s.watchVolume(ctx, decision, claim)
	default:
		return s.watchPod(ctx, decision)
	}
}

func (s *podWait) watchVolume(ctx context.Context, decision attempt.StartDecision, claim *corev1.PersistentVolumeClaim) (outcome, error) {
	target := "target " + s.claimTargets[claim.Name]
	message, err := s.explainClaim(ctx, claim, s.pod)
	if err != nil {
		return outcome{}, err
	}
	return s.await(decision, v1alpha1.ReasonProvisioning, target, "the volume of "+target, message, s.volumeLimit()), nil
}

func (s *podWait) watchPod(ctx context.Context, decision attempt.StartDecision) (outcome, error) {
	message, err := s.explain(ctx, s.job, s.pod)
	if err != nil {
		return outcome{}, err
	}
	return s.await(decision, v1alpha1.ReasonPreparing, s.what, "its pod to start", s.ownReason()+message, s.startLimit()), nil
}

// startFacts returns what the wait is decided by.
func (s *podWait) startFacts(claim *corev1.PersistentVolumeClaim, competes competition) attempt.StartFacts {
	limits, began := s.sb.Spec.Deadlines, awaitedSince(s.began, s.made)
	return attempt.StartFacts{
		Now: s.now.Time, Began: began, Ready: s.readySince(began, s.needs), Node: s.nodeWait(), Blocked: competes.held != "", Rival: competes.older != "",
		HasPod: s.pod != nil, CrowdedOut: attempt.IsCrowdedOut(s.pod), Unbound: claim != nil,
		NodeLimit: seconds(limits.NodeSeconds), VolumeLimit: seconds(limits.ProvisioningSeconds), PodLimit: seconds(limits.StartSeconds),
	}
}

// awaitedSince returns since when a pod is waited for: not before it was made, or the Job that makes it. Between the beginning of an attempt, which
// is written down first, and that, the operator may have been away.
func awaitedSince(began *metav1.Time, made metav1.Time) time.Time {
	if began.Before(&made) {
		return made.Time
	}
	return began.Time
}

// madeAt returns when an object was made, zero if it is not there.
func madeAt[T any, Object interface {
	*T
	metav1.Object
}](object Object) (at metav1.Time) {
	if object != nil {
		at = object.GetCreationTimestamp()
	}
	return at
}

// noteNodeWait writes down whether the benchmark waits for nodes that others hold.
func (s *podWait) noteNodeWait(decision attempt.StartDecision) {
	switch {
	case decision.For == attempt.AwaitedNode:
		s.waitForNode()
	case decision.NodeFreed:
		s.sb.Status.NodeFreeSince = new(s.now)
		for _, began := range append(s.others, s.began) {
			*began = s.now
		}
	}
}

// await tells users what is waited for, and why, or ends the benchmark when that has taken too long.
func (s *podWait) await(decision attempt.StartDecision, reason, what, forWhat, why string, limit waitLimit) outcome {
	if decision.Expired {
		s.expire(fmt.Sprintf("%s %s: %s", s.what, limit.waited(forWhat), why))
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
func (s *podWait) seeRivals(ctx context.Context) (attempt.Rivals, error) {
	if !attempt.IsCrowdedOut(s.pod) {
		return attempt.Rivals{}, nil
	}
	return s.rivals(ctx)
}

// judgeRivals says what they have to do with the pod.
func (s *podWait) judgeRivals(rivals attempt.Rivals) (competes competition) {
	holders := s.describeHolders(rivals)
	switch {
	case !attempt.IsCrowdedOut(s.pod):
	case len(holders) > 0:
		competes.held = "other benchmarks measure on " + strings.Join(holders, ", ")
		if s.yield != nil {
			competes.older = s.nameOfOlder(rivals)
		}
	case s.crowdedByUnseen():
		competes.held = fmt.Sprintf("other benchmarks hold nodes, in namespaces that the operator cannot see (%s): %s", s.confinement(), attempt.StartMessage(s.pod))
	}
	return competes
}

// isRefused says whether a quota or an admission policy does not let an object be made. A webhook that gives no code
// answers with that of a bad request.
func isRefused(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) }

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
	about := what + ": "
	why := strings.TrimPrefix(s.retold(v1alpha1.ConditionSucceeded, about, err.Error()), about)
	out := s.await(decision, v1alpha1.ReasonPreparing, what, "its "+object, why, s.startLimit())
	return out.resting(s.deadline(s.began.Time, s.sb.Spec.Deadlines.StartSeconds)) // before each try it is looked what is left of others
}

// unboundClaim returns the first claim of those needed that has no volume yet, or nil.
func (s *podWait) unboundClaim() *corev1.PersistentVolumeClaim {
	for _, needed := range s.needs {
		if claim := s.claims[needed.claim]; claim != nil && claim.Status.Phase != corev1.ClaimBound {
			return claim
		}
	}
	return nil
}

// readySince returns when all volumes were there that a pod needs, or when the wait for it began if that was later. From then on it has
// time to start.
func (s *scope) readySince(began time.Time, needs []neededVolume) time.Time {
	since := began
	for _, needed := range needs {
		if bound := s.boundAt(began, needed); bound.After(since) {
			since = bound
		}
	}
	return since
}

// boundAt returns when a volume was there, as it says itself, or before a pod was seen that uses it: since when its claim is seen to have it. It is
// zero if that is not known. An operator that was started anew may see it late: it came in the time that it had.
func (s *scope) boundAt(began time.Time, needed neededVolume) time.Time {
	claim := s.claims[needed.claim]
	if claim == nil {
		return time.Time{}
	}
	if took := s.sb.Status.Target(needed.target).ProvisionedMilliseconds; took != nil {
		return claim.CreationTimestamp.Add(time.Duration(*took) * time.Millisecond)
	}
	seen, latest := s.memory.boundSince[claim.UID], began.Add(seconds(s.sb.Spec.Deadlines.ProvisioningSeconds))
	if seen.After(latest) {
		return latest
	}
	return seen
}

// nodeWait returns how the benchmark has waited for nodes until now.
func (s *scope) nodeWait() attempt.NodeWait {
	since, free := s.sb.Status.WaitingForNodeSince, s.sb.Status.NodeFreeSince
	return attempt.NodeWait{Since: ptr.Deref(since, metav1.Time{}).Time, FreeSince: ptr.Deref(free, metav1.Time{}).Time}
}

// waitForNode writes down that others hold the nodes that the benchmark wants. Each of them that ends may be followed by one that is
// faster than this one.
func (s *scope) waitForNode() {
	s.sb.Status.NodeFreeSince = nil
	if s.sb.Status.WaitingForNodeSince == nil {
		s.sb.Status.WaitingForNodeSince = new(s.now)
	}
}

// hasNodes writes down that the benchmark waits for no node.
func (s *scope) hasNodes() { s.sb.Status.WaitingForNodeSince, s.sb.Status.NodeFreeSince = nil, nil }
