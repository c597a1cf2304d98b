package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
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
	// targets are those whose volumes the pod needs.
	targets []*v1alpha1.Target
	// expire ends the benchmark.
	expire func(message string)
}

// watch goes on waiting.
func (s *start) watch(ctx context.Context) (outcome, error) {
	holders, err := s.holders(ctx)
	if err != nil {
		return outcome{}, err
	}
	if len(holders) > 0 {
		message := "other benchmarks measure on " + strings.Join(holders, ", ")
		s.step(v1alpha1.ReasonWaitingForNode, s.what+": "+message)
		return s.orDeadline(s.began.Time, s.sb.Spec.Deadlines.NodeSeconds, "a node of its own", message), nil
	}
	if s.condition(v1alpha1.ConditionSucceeded).Reason == v1alpha1.ReasonWaitingForNode {
		// The node is free. From now on the pod has its time to start.
		*s.began = s.now()
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
	if claim != nil {
		return s.watchProvisioning(ctx, claim)
	}
	message, err := s.explain(ctx, s.job, s.pod)
	if err != nil {
		return outcome{}, err
	}
	s.step(v1alpha1.ReasonPreparing, s.what+": "+message)
	return s.orDeadline(s.ready(), s.sb.Spec.Deadlines.StartSeconds, "its pod to start", message), nil
}

func (s *start) watchProvisioning(ctx context.Context, claim *corev1.PersistentVolumeClaim) (outcome, error) {
	message, err := s.explainClaim(ctx, claim, s.pod)
	if err != nil {
		return outcome{}, err
	}
	target := claim.Labels[v1alpha1.LabelTarget]
	s.step(v1alpha1.ReasonProvisioning, fmt.Sprintf("target %s: %s", target, message))
	return s.orDeadline(s.began.Time, s.sb.Spec.Deadlines.ProvisioningSeconds, "the volume of target "+target, message), nil
}

// refused waits for those who do not let the pod, or the Job that makes it, be made to change their minds.
func (s *start) refused(object string, err error) outcome {
	s.step(v1alpha1.ReasonPreparing, fmt.Sprintf("%s: the %s was refused: %v", s.what, object, err))
	return s.orDeadline(s.began.Time, s.sb.Spec.Deadlines.StartSeconds, "its "+object, err.Error())
}

// unboundClaim returns the first claim of the targets that has no volume yet, or nil.
func (s *start) unboundClaim() *corev1.PersistentVolumeClaim {
	for _, target := range s.targets {
		if claim := s.claims[storage.ClaimName(s.sb, target)]; claim != nil && claim.Status.Phase != corev1.ClaimBound {
			return claim
		}
	}
	return nil
}

// ready returns when all volumes were there, from which on the pod has time to start.
func (s *start) ready() time.Time {
	since := s.began.Time
	for _, target := range s.targets {
		claim, seconds := s.claims[storage.ClaimName(s.sb, target)], s.targetStatus(target.Name).ProvisionedSeconds
		if claim == nil || seconds == nil {
			continue
		}
		if bound := claim.CreationTimestamp.Add(time.Duration(*seconds) * time.Second); bound.After(since) {
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

// holders returns the nodes that other benchmarks hold, if the pod cannot be scheduled because of them.
func (s *start) holders(ctx context.Context) ([]string, error) {
	// The scheduler's words for all kinds of anti-affinity end in this.
	if s.pod == nil || !strings.Contains(startMessage(s.pod), "anti-affinity rules") {
		return nil, nil
	}
	var pods corev1.PodList
	if err := s.Client.List(ctx, &pods, client.MatchingLabels{v1alpha1.LabelHoldsNode: "true"}); err != nil {
		return nil, fmt.Errorf("list pods that hold nodes: %w", err)
	}
	var holders []string
	for i := range pods.Items {
		pod := &pods.Items[i]
		mine := pod.Namespace == s.sb.Namespace && pod.Labels[v1alpha1.LabelBenchmark] == s.sb.Name
		if !mine && !hasEnded(pod) && pod.Spec.NodeName != "" {
			holders = append(holders, fmt.Sprintf("node %s (%s in namespace %s)", pod.Spec.NodeName, pod.Labels[v1alpha1.LabelBenchmark], pod.Namespace))
		}
	}
	return holders, nil
}
