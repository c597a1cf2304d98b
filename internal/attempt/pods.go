package attempt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
)

// LostAfter is how long after the end of its grace period a deleted pod, or a deleted Job, is given up. Its node is gone, or cannot end it, or
// somebody's finalizer keeps it; the kubelet of a healthy one needs seconds.
const LostAfter = time.Minute

// IsLost says whether a pod or a Job was deleted and will not be heard of again. The deletion timestamp includes the grace period.
func IsLost(object metav1.Object, now time.Time) bool {
	deleted := object.GetDeletionTimestamp()
	return !deleted.IsZero() && now.Sub(deleted.Time) > LostAfter
}

// Began returns when the first of the operator's own containers in the pod began, zero if none has. Containers that others
// inject, such as those of a service mesh, do not count.
func Began(pod *corev1.Pod) time.Time {
	first := time.Time{}
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		switch {
		case !job.IsOwnContainer(status.Name):
		case status.State.Running != nil:
			first = earlier(first, status.State.Running.StartedAt.Time)
		case status.State.Terminated != nil:
			first = earlier(first, status.State.Terminated.StartedAt.Time)
		}
	}
	return first
}

// StartMessage says why a pod does not run, as far as its own status tells, and is "" if that tells nothing, or there is no pod.
func StartMessage(pod *corev1.Pod) string {
	if pod == nil {
		return ""
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return "the pod cannot be scheduled: " + c.Message
		}
	}
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := status.State.Waiting; w != nil && w.Reason != "PodInitializing" && w.Reason != "ContainerCreating" {
			return fmt.Sprintf("container %s waits: %s: %s", status.Name, w.Reason, w.Message)
		}
	}
	return ""
}

// IsUnschedulable reports whether the scheduler found no node for a pod when it last tried.
func IsUnschedulable(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse
	})
}

// IsCrowdedOut says whether a pod finds no node because others hold them. The scheduler's words for all kinds of
// anti-affinity end in the same.
func IsCrowdedOut(pod *corev1.Pod) bool {
	return strings.Contains(unscheduled(pod), "anti-affinity rules")
}

// IsVolumeElsewhere says whether a pod finds no node because its volume is bound to others, as those of another zone. Schedulers have two ways to say so:
// that of Kubernetes 1.37, and an older one.
func IsVolumeElsewhere(pod *corev1.Pod) bool {
	why := unscheduled(pod)
	return strings.Contains(why, "didn't match PersistentVolume's node affinity") || strings.Contains(why, "volume node affinity conflict")
}

// ExplainWarning adds to a warning about a pod what users cannot know: how long a volume stays at a node where no pod uses it any more. Both the newer and the
// older of Kubernetes' sentences about that have these words.
func ExplainWarning(warning string) string {
	if strings.Contains(warning, "already exclusively attached to one node") {
		return warning + "; no pod uses it there: Kubernetes detaches it within seconds, or after 6 minutes if that node does not answer or is gone"
	}
	return warning
}

// IsOfNewPod says whether a warning about a pod tells nothing of what it waits for, but that the API server's node authorizer has not heard of it as soon as its
// kubelet, which is refused what the pod uses and asks again (k8s.io/kubernetes, plugin/pkg/auth/authorizer/node).
func IsOfNewPod(warning string) bool {
	return strings.Contains(warning, "no relationship found between node")
}

// unscheduled says why a pod has no node yet, "" if it has one, or there is no pod.
func unscheduled(pod *corev1.Pod) string {
	if pod == nil || pod.Spec.NodeName != "" {
		return ""
	}
	return StartMessage(pod)
}

// HasEnded says whether none of the pod's containers runs, or will again.
func HasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// MayMeasure says whether a pod measures, or will: it is of a run, its files could be laid out, and its container that measures has not
// ended. The pod itself ends a second later.
func MayMeasure(pod *corev1.Pod) bool {
	if pod.Labels[v1alpha1.LabelRole] != v1alpha1.RoleRun || HasEnded(pod) {
		return false
	}
	if EndedContainer(pod) == job.LayoutContainer {
		return false
	}
	status := ContainerStatus(pod.Status.ContainerStatuses, job.MeasureContainer)
	return status == nil || status.State.Terminated == nil
}

// MayBeCutOff says whether a pod's container is said to run, and the pod not to be ready: as it has no readiness probe, that
// is so for a moment at its start, and when its node does not answer. There need not be a pod.
func MayBeCutOff(pod *corev1.Pod) bool {
	return pod != nil && isRunning(pod.Status.ContainerStatuses, job.MeasureContainer) &&
		slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse
		})
}

// Unanswered says why nothing is heard of the pods on a node, "" if the node answers. The node is empty if it is gone.
func Unanswered(name string, node *corev1.Node) string {
	if node.Name == "" {
		return fmt.Sprintf("node %s is gone; the run is repeated when Kubernetes gives up its pod", name)
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			return fmt.Sprintf("node %s does not answer (%s); fio may still run there; the run is repeated when Kubernetes gives up its pod",
				name, strings.TrimSuffix(c.Message, "."))
		}
	}
	return ""
}

// RunningContainer returns the name of the container of a run's pod that runs.
func RunningContainer(pod *corev1.Pod) string {
	if isRunning(pod.Status.InitContainerStatuses, job.LayoutContainer) {
		return job.LayoutContainer
	}
	return job.MeasureContainer
}

// EndedContainer returns the container of a run's pod whose end is the end of the attempt.
func EndedContainer(pod *corev1.Pod) string {
	layout := ContainerStatus(pod.Status.InitContainerStatuses, job.LayoutContainer)
	if layout != nil && layout.State.Terminated != nil && layout.State.Terminated.ExitCode != 0 {
		return job.LayoutContainer
	}
	return job.MeasureContainer
}

// HoldsNode says whether the pod of an anchor runs, and so holds its node.
func HoldsNode(pod *corev1.Pod) bool {
	return isRunning(pod.Status.ContainerStatuses, job.AnchorContainer)
}

// IsDisrupted says whether Kubernetes ended the pod for reasons of its own: eviction, preemption, node shutdown, taints, or
// deletion by somebody.
func IsDisrupted(pod *corev1.Pod) bool {
	if !pod.DeletionTimestamp.IsZero() || disruption(pod) != "" {
		return true
	}
	return pod.Status.Reason == "Evicted" || pod.Status.Reason == "NodeShutdown" || pod.Status.Reason == "Terminated"
}

// disruption returns what Kubernetes says of why it ends the pod, or "".
func disruption(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return fmt.Sprintf("%s: %s", c.Reason, c.Message)
		}
	}
	return ""
}

// Failure says why a pod has ended, or ends, as far as its own status tells.
func Failure(pod *corev1.Pod) string {
	switch why := disruption(pod); {
	case why != "":
		return why
	case pod.Status.Message != "":
		return strings.TrimSpace(pod.Status.Reason + ": " + pod.Status.Message)
	case !pod.DeletionTimestamp.IsZero():
		return "its pod was deleted"
	default:
		return pod.Status.Reason
	}
}

// ContainerStatus returns the status of a container, nil if there is none of that name.
func ContainerStatus(statuses []corev1.ContainerStatus, name string) *corev1.ContainerStatus {
	if i := slices.IndexFunc(statuses, func(s corev1.ContainerStatus) bool { return s.Name == name }); i >= 0 {
		return &statuses[i]
	}
	return nil
}

func isRunning(statuses []corev1.ContainerStatus, container string) bool {
	status := ContainerStatus(statuses, container)
	return status != nil && status.State.Running != nil
}

// WithoutEndedPods leaves out pods that have ended.
func WithoutEndedPods(pods []*corev1.Pod) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), HasEnded)
}
