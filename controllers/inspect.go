package controllers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
)

// progress is how far an attempt is.
type progress int

const (
	starting progress = iota
	running
	ended
)

// observation is what the Job and the pod of an attempt tell about it.
type observation struct {
	progress progress
	// reason is the step of a running attempt: Preparing while it lays out files, or Measuring.
	reason string
	// unheard says that one container does both, so that only its log tells when it begins to measure.
	unheard bool
	// since is when a running attempt's pod began to run.
	since time.Time
	// givenUp is when a running attempt whose pod was deleted is taken for lost, if nothing is heard of it until then.
	givenUp time.Time
	// succeeded says that an ended attempt has a result, which is in message.
	succeeded bool
	// disrupted says that an attempt was ended from outside and can be repeated.
	disrupted bool
	// late says that it was because the pod heard too late of the start that all clients were to have.
	late bool
	// message is the runner's report, or why the attempt failed, or why its pod does not start, or why nothing is heard
	// of it while it runs.
	message string
}

// inspect finds out from an attempt's Job and pod how far it is. The pod may be nil.
func inspect(j *batchv1.Job, pod *corev1.Pod, now time.Time) observation {
	if pod == nil {
		return inspectJob(j)
	}
	if status := containerStatus(pod.Status.ContainerStatuses, job.MeasureContainer); status != nil && status.State.Terminated != nil {
		return inspectTerminated(pod, status.State.Terminated, true)
	}
	if status := containerStatus(pod.Status.InitContainerStatuses, job.LayoutContainer); status != nil {
		if t := status.State.Terminated; t != nil && (t.ExitCode != 0 || t.Reason == "OOMKilled") {
			return inspectTerminated(pod, t, false)
		}
	}
	if pod.Status.Phase == corev1.PodFailed || isLost(pod, now) {
		return observation{progress: ended, disrupted: true, message: podFailure(pod)}
	}
	return inspectLive(pod)
}

func inspectJob(j *batchv1.Job) observation {
	for _, c := range j.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case batchv1.JobFailureTarget, batchv1.JobFailed:
			return observation{progress: ended, disrupted: true, message: "its pod was deleted"}
		case batchv1.JobSuccessCriteriaMet, batchv1.JobComplete:
			return observation{progress: ended, disrupted: true, message: "its pod was deleted before its result was read"}
		case batchv1.JobSuspended:
		}
	}
	if !j.DeletionTimestamp.IsZero() {
		return observation{progress: ended, disrupted: true, message: "its Job was deleted"}
	}
	return observation{message: "waiting for the pod to be created"}
}

// exitUnseen is the exit code that containerd reports, with reason "Unknown", of a container whose end it has not seen: it
// was started anew, as after a restart of the node, and the container's processes are gone.
const exitUnseen = 255

// inspectTerminated judges the end of a container. Only the one that measures can succeed.
func inspectTerminated(pod *corev1.Pod, t *corev1.ContainerStateTerminated, measured bool) observation {
	message := strings.TrimSpace(t.Message)
	switch {
	case t.Reason == "OOMKilled":
		// Also with exit code 0: one of several processes was killed, and the others do not make up for it.
		return observation{progress: ended, message: outOfMemory(pod)}
	case t.ExitCode == 0 && measured:
		return observation{progress: ended, succeeded: true, message: t.Message}
	case t.Reason == "ContainerStatusUnknown", t.ExitCode == exitUnseen && t.Reason == "Unknown":
		return observation{progress: ended, disrupted: true, message: strings.TrimSuffix("its node lost the container, as after a restart: "+message, ": ")}
	case t.ExitCode == digest.ExitLate:
		return observation{progress: ended, disrupted: true, late: true, message: message}
	case t.ExitCode == digest.ExitInterrupted, isDisrupted(pod):
		return observation{progress: ended, disrupted: true, message: orElse(podFailure(pod), message)}
	case message == "":
		message = fmt.Sprintf("the runner ended with exit code %d and left no message; see the pod's log", t.ExitCode)
	}
	return observation{progress: ended, message: message}
}

// lostAfter is how long after the end of its grace period a deleted pod is given up. Its node is gone, or
// cannot end it; the kubelet of a healthy one needs seconds.
const lostAfter = time.Minute

// isLost says whether a pod was deleted and will not be heard of again. The deletion timestamp includes the
// grace period.
func isLost(pod *corev1.Pod, now time.Time) bool {
	return !pod.DeletionTimestamp.IsZero() && now.Sub(pod.DeletionTimestamp.Time) > lostAfter
}

// inspectLive judges a pod that has not ended. Between its containers none runs, but its time to start is over.
func inspectLive(pod *corev1.Pod) observation {
	began := podStart(pod)
	if began.IsZero() {
		return observation{message: startMessage(pod)}
	}
	seen := observation{progress: running, reason: v1alpha1.ReasonPreparing, since: began}
	if status := containerStatus(pod.Status.ContainerStatuses, job.MeasureContainer); status != nil && status.State.Running != nil {
		if seen.unheard = job.LaysOutFirst(&pod.Spec); !seen.unheard {
			seen.reason = v1alpha1.ReasonMeasuring
		}
	}
	if !pod.DeletionTimestamp.IsZero() {
		seen.givenUp = pod.DeletionTimestamp.Add(lostAfter)
	}
	return seen
}

// podStart returns when the first container of the pod began.
func podStart(pod *corev1.Pod) time.Time {
	first := time.Time{}
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		began := time.Time{}
		switch {
		case status.State.Running != nil:
			began = status.State.Running.StartedAt.Time
		case status.State.Terminated != nil:
			began = status.State.Terminated.StartedAt.Time
		}
		if !began.IsZero() && (first.IsZero() || began.Before(first)) {
			first = began
		}
	}
	return first
}

// startMessage says why a pod does not run, as far as its own status tells.
func startMessage(pod *corev1.Pod) string {
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

func outOfMemory(pod *corev1.Pod) string {
	for _, c := range pod.Spec.Containers {
		if limit, ok := c.Resources.Limits[corev1.ResourceMemory]; ok {
			return fmt.Sprintf("the container ran out of memory (OOMKilled) with a limit of %s; raise spec.pod.resources.limits.memory, or have fewer jobs or a smaller iodepth x bs", limit.String())
		}
	}
	return "the container ran out of memory (OOMKilled); the node has too little, so have fewer jobs or a smaller iodepth x bs"
}

// hasEnded says whether none of the pod's containers runs, or will again.
func hasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// mayMeasure says whether a pod measures, or will: it is of a run, and its container that measures has not ended. The
// pod itself ends a second later.
func mayMeasure(pod *corev1.Pod) bool {
	if pod.Labels[v1alpha1.LabelRole] != v1alpha1.RoleRun || hasEnded(pod) {
		return false
	}
	status := containerStatus(pod.Status.ContainerStatuses, job.MeasureContainer)
	return status == nil || status.State.Terminated == nil
}

// isDisrupted says whether Kubernetes ended the pod for reasons of its own: eviction, preemption, node
// shutdown, taints, or deletion by somebody.
func isDisrupted(pod *corev1.Pod) bool {
	if !pod.DeletionTimestamp.IsZero() {
		return true
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return pod.Status.Reason == "Evicted" || pod.Status.Reason == "NodeShutdown" || pod.Status.Reason == "Terminated"
}

func podFailure(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return fmt.Sprintf("%s: %s", c.Reason, c.Message)
		}
	}
	switch {
	case pod.Status.Message != "":
		return strings.TrimSpace(pod.Status.Reason + ": " + pod.Status.Message)
	case !pod.DeletionTimestamp.IsZero():
		return "its pod was deleted"
	case pod.Status.Reason != "":
		return pod.Status.Reason
	default:
		return ""
	}
}

func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

func containerStatus(statuses []corev1.ContainerStatus, name string) *corev1.ContainerStatus {
	for i := range statuses {
		if statuses[i].Name == name {
			return &statuses[i]
		}
	}
	return nil
}
