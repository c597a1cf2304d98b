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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/storage"
)

const (
	// pollWaiting is how often the reason why something waits is read anew: it stands in events of other
	// objects, which are not watched.
	pollWaiting = 2 * time.Second
	// quietStart is how long a pod may take to start before the events are asked why. Most start sooner.
	quietStart = 2 * time.Second
)

// start is the wait for a pod, of an anchor or of a run: it says what it waits for, in the words of whoever is
// asked for it, and gives up at a deadline.
type start struct {
	*scope

	// what is started, for messages.
	what string
	// began is when the wait began, as the status has it.
	began *metav1.Time
	// pod is what is waited for, nil while it is not there.
	pod *corev1.Pod
	// job is the Job that makes the pod, if one does.
	job types.UID
	// others are when the waits of other pods began that wait for the same.
	others []*metav1.Time
	// needs are the volumes that the pod needs.
	needs []neededVolume
	// expire ends the benchmark.
	expire func(message string)
	// giveWay lets go of what the benchmark has already, and says so, if two that wait for each other would wait for
	// ever. Nil if it has nothing.
	giveWay func(context.Context) (bool, error)
	// crowded explains, for a pod that finds no node, that those of other clients keep it off theirs.
	crowded string
	// elsewhere explains, for a pod that has to go to the node that the benchmark holds, that its volume cannot be used there. It is "" of a
	// volume that the anchor has there.
	elsewhere string
}

// neededVolume is a volume that a pod needs to start.
type neededVolume struct{ target, claim string }

// need adds the volume that a client uses of a target.
func (s *start) need(target *v1alpha1.Target, client int32) {
	s.needs = append(s.needs, neededVolume{target: target.Name, claim: storage.ClaimName(s.sb, target, client)})
}

// watch goes on waiting.
func (s *start) watch(ctx context.Context) (outcome, error) {
	holders, err := s.holders(ctx)
	if err != nil {
		return outcome{}, err
	}
	if len(holders) > 0 && s.giveWay != nil {
		if gave, err := s.giveWay(ctx); gave || err != nil {
			return halt(), err
		}
	}
	if message := s.describeHolders(holders); message != "" {
		s.step(v1alpha1.ReasonWaitingForNode, s.what+": "+message)
		return s.orNodeDeadline("a node of its own", message), nil
	}
	if s.condition(v1alpha1.ConditionSucceeded).Reason == v1alpha1.ReasonWaitingForNode {
		// The node is free. From now on the pod has its time to start, as have others that waited as well.
		for _, began := range append(s.others, s.began) {
			*began = s.now()
		}
	}
	claim := s.unboundClaim()
	if s.Clock.Since(s.began.Time) < quietStart {
		reason := v1alpha1.ReasonPreparing
		if claim != nil {
			reason = v1alpha1.ReasonProvisioning
		}
		s.step(reason, s.what)
		return haltFor(quietStart), nil
	}
	crowdedOut := s.pod != nil && isCrowdedOut(s.pod)
	if claim != nil && s.pod != nil && !crowdedOut {
		// Without a pod, who is asked for it tells more: a volume may be made only for the node that the pod comes to.
		return s.watchProvisioning(ctx, claim)
	}
	message, err := s.explain(ctx, s.job, s.pod)
	if err != nil {
		return outcome{}, err
	}
	if crowdedOut {
		message = s.crowded + message
	}
	if s.pod != nil && isVolumeElsewhere(s.pod) {
		message = s.elsewhere + message
	}
	s.step(v1alpha1.ReasonPreparing, s.what+": "+message)
	return s.orDeadline(s.ready(), s.sb.Spec.Deadlines.StartSeconds, "its pod to start", message), nil
}

// isVolumeElsewhere says whether a pod finds no node because its volume is bound to others, as those of another zone.
func isVolumeElsewhere(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && strings.Contains(attempt.StartMessage(pod), "volume node affinity conflict")
}

// describeHolders says who keeps the pod off a node, "" if that is no other benchmark.
func (s *start) describeHolders(holders []string) string {
	switch {
	case len(holders) > 0:
		return "other benchmarks measure on " + strings.Join(holders, ", ")
	case s.crowdedByUnseen():
		return fmt.Sprintf("other benchmarks hold nodes, in namespaces that are not seen (%s): %s", s.confinement(), attempt.StartMessage(s.pod))
	default:
		return ""
	}
}

func (s *start) watchProvisioning(ctx context.Context, claim *corev1.PersistentVolumeClaim) (outcome, error) {
	message, err := s.explainClaim(ctx, claim, s.pod)
	if err != nil {
		return outcome{}, err
	}
	target := s.claimTargets[claim.Name]
	s.step(v1alpha1.ReasonProvisioning, fmt.Sprintf("target %s: %s", target, message))
	return s.orDeadline(s.began.Time, s.sb.Spec.Deadlines.ProvisioningSeconds, "the volume of target "+target, message), nil
}

// isRefused says whether a quota or an admission policy does not let an object be made. A webhook that gives no code
// answers with that of a bad request.
func isRefused(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) }

// refused waits for those who do not let the pod, or the Job that makes it, be made to change their minds.
func (s *start) refused(object string, err error) outcome {
	s.step(v1alpha1.ReasonPreparing, fmt.Sprintf("%s: the %s was refused: %v", s.what, object, err))
	return s.orDeadline(s.began.Time, s.sb.Spec.Deadlines.StartSeconds, "its "+object, err.Error())
}

// unboundClaim returns the first claim of those needed that has no volume yet, or nil.
func (s *start) unboundClaim() *corev1.PersistentVolumeClaim {
	for _, needed := range s.needs {
		if claim := s.claims[needed.claim]; claim != nil && claim.Status.Phase != corev1.ClaimBound {
			return claim
		}
	}
	return nil
}

// ready returns when all volumes were there, from which on the pod has time to start.
func (s *start) ready() time.Time {
	since := s.began.Time
	for _, needed := range s.needs {
		claim, took := s.claims[needed.claim], s.targetStatus(needed.target).ProvisionedMilliseconds
		if claim == nil || took == nil {
			continue
		}
		if bound := claim.CreationTimestamp.Add(time.Duration(*took) * time.Millisecond); bound.After(since) {
			since = bound
		}
	}
	return since
}

// orDeadline waits for a change, but not beyond the deadline: then the benchmark fails, and says what it
// waited for and what was last known of it.
func (s *start) orDeadline(since time.Time, seconds *int32, forWhat, last string) outcome {
	if remaining := s.deadline(since, seconds); remaining > 0 {
		return haltFor(min(remaining, pollWaiting))
	}
	s.expire(fmt.Sprintf("%s waited %d s for %s: %s", s.what, ptr.Deref(seconds, 0), forWhat, last))
	return halt()
}

// orNodeDeadline waits for other benchmarks, of which each that ends may be followed by one that is faster than this one.
func (s *start) orNodeDeadline(forWhat, last string) outcome {
	if s.sb.Status.WaitingForNodeSince == nil {
		s.sb.Status.WaitingForNodeSince = new(s.now())
	}
	return s.orDeadline(s.sb.Status.WaitingForNodeSince.Time, s.sb.Spec.Deadlines.NodeSeconds, forWhat, last)
}

// holders returns the nodes that other benchmarks hold, if the pod cannot be scheduled because of them.
func (s *start) holders(ctx context.Context) ([]string, error) {
	if s.pod == nil || !isCrowdedOut(s.pod) {
		return nil, nil
	}
	others, err := s.otherHolders(ctx)
	if err != nil {
		return nil, err
	}
	var holders []string
	for i := range others {
		pod := &others[i]
		if pod.Spec.NodeName == "" {
			continue
		}
		of, err := s.benchmarkOfHolder(ctx, pod)
		if err != nil {
			return nil, err
		}
		holders = append(holders, fmt.Sprintf("node %s (%s)", pod.Spec.NodeName, s.describeHolder(pod, of)))
	}
	return holders, nil
}

// describeHolder says what holds a node: a pod, of a benchmark if it is known.
func (s *start) describeHolder(pod *corev1.Pod, of *v1alpha1.StorageBenchmark) string {
	switch {
	case of != nil:
		return s.nameOf(client.ObjectKeyFromObject(of))
	case pod.Namespace != s.sb.Namespace:
		return fmt.Sprintf("a pod of another namespace with label %s, of no known benchmark", v1alpha1.LabelHoldsNode)
	default:
		return fmt.Sprintf("pod %s in namespace %s with label %s, of no known benchmark", pod.Name, pod.Namespace, v1alpha1.LabelHoldsNode)
	}
}
