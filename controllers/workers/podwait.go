package workers

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
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
)

// PollWaiting is how often it is looked whether storage that was refused may be made now.
const PollWaiting = 2 * time.Second

// PodWait is the wait for a pod, of an anchor or of a run. It says what it waits for, in the words of the component
// that has to act, and gives up at a deadline.
type PodWait struct {
	Pass *pass.Pass

	// What names the run or the client that is started, for messages.
	What string
	// Began is when the wait began, as the status has it.
	Began *metav1.Time
	// Made is when the pod was made, or the Job that makes it. It is zero while neither is there.
	Made metav1.Time
	// Pod is what is waited for, nil while it is not there.
	Pod *corev1.Pod
	// Job is the Job that makes the pod, if one does.
	Job types.UID
	// Others are when the waits of other pods began that wait for the same.
	Others []*metav1.Time
	// Resources is the field of the spec that sets the pod's resources.
	Resources string
	// Needs are the volumes that the pod needs.
	Needs []children.Need
	// Invalid ends what is waited for: the API server does not take the pod, or its Job, and never will.
	Invalid func(error)
	// Expire ends the benchmark.
	Expire func(message string)
	// Yield lets go of the nodes that the benchmark has already, so that an older one can have them. Nil if it has none.
	Yield func(older string)
	// Release ends the attempt whose pod keeps others off a node while its volume is being made. Nil if no other pod can
	// have the volume made.
	Release func()
	// Crowded explains, for a pod that finds no node, that those of other clients keep it off theirs.
	Crowded string
	// Elsewhere explains, for a pod that has to go to the node that the benchmark holds, that its volume cannot be used
	// there. It is "" of a volume that the anchor has there.
	Elsewhere string
}

// AwaitPod goes on waiting for a pod.
func AwaitPod(ctx context.Context, p *pass.Pass, st *PodWait) (pass.Outcome, error) {
	claim := st.Pass.Children.FirstUnbound(st.Needs)
	st.Pod = WithoutOldScheduling(st.Pod, claim)
	rivals, err := seeRivals(ctx, p, st.Pod)
	if err != nil {
		return pass.Outcome{}, err
	}
	competes := st.JudgeRivals(rivals)
	decision := attempt.DecideStart(st.StartFacts(claim, competes))
	if decision.Yield {
		st.Yield(competes.Older)
		return pass.SaveFirst(), nil
	}
	if decision.Release {
		st.Release()
		return pass.SaveFirst(), nil
	}
	st.NoteNodeWait(decision)
	switch {
	case decision.For == attempt.AwaitedNode:
		limit := attempt.NodeLimit(st.Pass.SB.Spec.Deadlines)
		why := competes.Held
		if decision.IsFree {
			why = "nobody holds its node any more; waiting for the scheduler"
		}
		return st.Await(decision, v1alpha1.ReasonWaitingForNode, st.What, "a node of its own", why, limit), nil
	case decision.Quiet:
		reason := v1alpha1.ReasonPreparing
		if decision.For == attempt.AwaitedVolume {
			reason = v1alpha1.ReasonProvisioning
		}
		st.Pass.Step(reason, st.What)
		return pass.AwaitFor(decision.After), nil
	case decision.For == attempt.AwaitedVolume:
		return watchVolume(ctx, p, st, decision, claim)
	default:
		return watchPod(ctx, p, st, decision)
	}
}

// watchVolume goes on waiting for a pod whose volume is not there.
func watchVolume(
	ctx context.Context, p *pass.Pass, st *PodWait,
	decision attempt.StartDecision, claim *corev1.PersistentVolumeClaim,
) (pass.Outcome, error) {
	target := "target " + st.Pass.Children.ClaimTargets[claim.Name]
	message, err := ExplainClaim(ctx, p, claim, st.Pod)
	if err != nil {
		return pass.Outcome{}, err
	}
	limit := attempt.VolumeLimit(st.Pass.SB.Spec.Deadlines)
	return st.Await(decision, v1alpha1.ReasonProvisioning, target, "the volume of "+target, message, limit), nil
}

// watchPod goes on waiting for a pod that has its volumes.
func watchPod(ctx context.Context, p *pass.Pass, st *PodWait, decision attempt.StartDecision) (pass.Outcome, error) {
	message, err := Explain(ctx, p, st.Job, st.Pod)
	if err != nil {
		return pass.Outcome{}, err
	}
	why := st.OwnReason() + message + attempt.ResourceRemedy(message, st.Resources)
	limit := attempt.StartLimit(st.Pass.SB.Spec.Deadlines)
	return st.Await(decision, v1alpha1.ReasonPreparing, st.What, "its pod to start", why, limit), nil
}

// StartFacts returns what the wait is decided by.
func (s *PodWait) StartFacts(claim *corev1.PersistentVolumeClaim, competes Competition) attempt.StartFacts {
	limits, began := s.Pass.SB.Spec.Deadlines, children.AwaitedSince(s.Began, s.Made)
	return attempt.StartFacts{
		Now: s.Pass.Now.Time, Began: began, Ready: s.Pass.Waits().ReadySince(began, s.Needs),
		Node:    attempt.NodeWaitOf(&s.Pass.SB.Status, s.Pass.Memory.NodeFreeSince),
		Blocked: competes.Held != "", Rival: competes.Older != "", Reserves: s.reserves(claim),
		HasPod: s.Pod != nil, Placed: s.isPlaced(claim), CrowdedOut: attempt.IsCrowdedOut(s.Pod), Unbound: claim != nil,
		NodeLimit:   attempt.NodeLimit(limits).Duration(),
		VolumeLimit: attempt.VolumeLimit(limits).Duration(),
		PodLimit:    attempt.StartLimit(limits).Duration(),
	}
}

// isPlaced reports whether the scheduler has chosen a node for the pod, also while the volume of a claim is being made
// there.
func (s *PodWait) isPlaced(claim *corev1.PersistentVolumeClaim) bool {
	hasSelectedNode := claim != nil && claim.Annotations[owned.SelectedNode] != ""
	return s.Pod != nil && (s.Pod.Spec.NodeName != "" || hasSelectedNode)
}

// reserves reports whether the pod keeps other benchmarks off the node for which the volume of a claim is being made.
func (s *PodWait) reserves(claim *corev1.PersistentVolumeClaim) bool {
	return s.Pod != nil && s.Pod.Spec.NodeName == "" && !job.OnlyBinds(s.Pod) && s.Release != nil &&
		claim != nil && claim.Annotations[owned.SelectedNode] != ""
}

// NoteNodeWait notes since when the nodes are free that the benchmark waits for. When the wait has ended, all that
// waited has its time to start.
func (s *PodWait) NoteNodeWait(decision attempt.StartDecision) {
	switch memory := s.Pass.Memory; {
	case decision.IsFree && memory.NodeFreeSince.IsZero():
		memory.NodeFreeSince = s.Pass.Now.Time
	case !decision.IsFree:
		memory.NodeFreeSince = time.Time{}
	}
	if decision.NodeFreed {
		for _, began := range append(s.Others, s.Began) {
			*began = s.Pass.Now
		}
	}
}

// Await tells users what is waited for, and why, or ends the benchmark when that has taken too long.
func (s *PodWait) Await(
	decision attempt.StartDecision, reason, what, forWhat, why string, limit attempt.Limit,
) pass.Outcome {
	if decision.Expired {
		s.Expire(fmt.Sprintf("%s %s: %s", s.What, limit.Waited(forWhat), why))
		return pass.SaveFirst()
	}
	s.Pass.Step(reason, what+": "+why)
	return pass.AwaitFor(decision.After)
}

// OwnReason says of a pod that finds no node what its benchmark has to do with that, "" if nothing.
func (s *PodWait) OwnReason() (text string) {
	if attempt.IsVolumeElsewhere(s.Pod) {
		text = s.Elsewhere
	}
	if attempt.IsCrowdedOut(s.Pod) {
		text += s.Crowded
	}
	return text
}

// Competition is what other benchmarks have to do with a pod that finds no node.
type Competition struct {
	// Held says who keeps the pod off a node, for people, "" if nobody does.
	Held string
	// Older is the benchmark that waits for nodes which this one holds, and goes first, "" if there is none.
	Older string
}

// seeRivals reads which other benchmarks hold nodes, or wait for one. It is asked only for a pod that finds none.
func seeRivals(ctx context.Context, p *pass.Pass, pod *corev1.Pod) (attempt.Rivals, error) {
	if !attempt.IsCrowdedOut(pod) {
		return attempt.Rivals{}, nil
	}
	return Rivals(ctx, p)
}

// JudgeRivals says what they have to do with the pod.
func (s *PodWait) JudgeRivals(rivals attempt.Rivals) (competes Competition) {
	holders := rivals.Holders(s.Pass.SB)
	switch {
	case !attempt.IsCrowdedOut(s.Pod):
	case len(holders) > 0:
		competes.Held = "other benchmarks measure on " + strings.Join(holders, ", ")
		if s.Yield != nil {
			competes.Older = rivals.NameOfOlder(s.Pass.SB)
		}
	case IsCrowdedByUnseen(s.Pass.Namespaces.AreSet(), s.Crowded, s.Pass.SB.Spec.Placement):
		competes.Held = fmt.Sprintf("other benchmarks hold nodes, in namespaces that the operator cannot see (%s): %s",
			s.Pass.Namespaces.Words(), attempt.StartMessage(s.Pod))
	}
	return competes
}

// NotMade says how the wait goes on when the pod, or the Job that makes it, was not made.
func (s *PodWait) NotMade(object string, err error) (pass.Outcome, error) {
	switch {
	case apierrors.IsInvalid(err):
		s.Invalid(err)
		return pass.SaveFirst(), nil
	case world.IsRefused(err):
		return s.Refused(object, err), nil
	default:
		return pass.Outcome{}, fmt.Errorf("apply %s: %w", object, err)
	}
}

// Refused waits, by a deadline, while a quota, a policy or a webhook refuses the pod, or the Job that makes it: the
// refusal may end.
func (s *PodWait) Refused(object string, err error) pass.Outcome {
	decision := attempt.DecideRefused(s.StartFacts(nil, Competition{}))
	s.NoteNodeWait(decision)
	what := fmt.Sprintf("%s: the %s was refused", s.What, object)
	about, refusal := what+": ", err.Error()
	refusal += attempt.ResourceRemedy(refusal, s.Resources)
	why := strings.TrimPrefix(s.Pass.Retold(v1alpha1.ConditionSucceeded, about, refusal), about)
	limit := attempt.StartLimit(s.Pass.SB.Spec.Deadlines)
	out := s.Await(decision, v1alpha1.ReasonPreparing, what, "its "+object, why, limit)
	// Each try is preceded by a search for leftovers of other attempts.
	return out.Resting(s.Pass.Remaining(s.Began.Time, limit))
}

// IsCrowdedByUnseen reports whether a pod finds no node because of benchmarks that the operator does not see: the
// operator is confined to namespaces, and no other client and no wish of the user can be the reason.
func IsCrowdedByUnseen(confined bool, crowded string, placement *v1alpha1.Placement) bool {
	hasAntiAffinity := placement != nil && placement.Affinity != nil && placement.Affinity.PodAntiAffinity != nil
	return confined && crowded == "" && !hasAntiAffinity
}
