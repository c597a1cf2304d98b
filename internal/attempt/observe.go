package attempt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
)

// Observe finds out from a client's Job and pod how far it is. The pod is nil while there is none.
func Observe(j *batchv1.Job, pod *corev1.Pod, now time.Time) State {
	if pod == nil {
		return observeJob(j)
	}
	if status := ContainerStatus(pod.Status.ContainerStatuses, job.MeasureContainer); status != nil && status.State.Terminated != nil {
		if endedInProbe(pod, status.State.Terminated) {
			return State{Phase: Succeeded, Report: status.State.Terminated.Message, Why: whyInProbe(pod, status.State.Terminated)}
		}
		return observeEnd(pod, status.State.Terminated, true)
	}
	if status := ContainerStatus(pod.Status.InitContainerStatuses, job.LayoutContainer); status != nil {
		if t := status.State.Terminated; t != nil && (t.ExitCode != 0 || t.Reason == outOfMemoryReason) {
			return observeEnd(pod, t, false)
		}
	}
	if pod.Status.Phase == corev1.PodFailed || IsLost(pod, now) {
		return State{Phase: Interrupted, Why: Failure(pod)}
	}
	return observeLive(pod)
}

// IsBehind reports whether a Job has news of its pod that the pod, as it was read, does not have: that it started or ended.
// The watch of pods may be silent while that of Jobs is not.
func IsBehind(j *batchv1.Job, pod *corev1.Pod, now time.Time) bool {
	if Observe(j, pod, now).Ended() {
		return false
	}
	return hasEnded(j) || ptr.Deref(j.Status.Ready, 0) > 0 && Began(pod).IsZero()
}

// hasEnded reports whether the pods of a Job have ended.
func hasEnded(j *batchv1.Job) bool {
	return slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed)
	})
}

// observeJob judges a Job that has no pod, yet or any more.
func observeJob(j *batchv1.Job) State {
	for _, c := range j.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case batchv1.JobFailureTarget, batchv1.JobFailed:
			return State{Phase: Interrupted, Why: "its pod was deleted"}
		case batchv1.JobSuccessCriteriaMet, batchv1.JobComplete:
			return State{Phase: Interrupted, Why: "its pod was deleted before its result was read"}
		case batchv1.JobSuspended:
		}
	}
	if !j.DeletionTimestamp.IsZero() {
		return State{Phase: Interrupted, Why: "its Job was deleted"}
	}
	return State{Phase: Starting, Why: "waiting for the pod to be created"}
}

const (
	// outOfMemoryReason is the reason of a container of which a process was killed for memory.
	outOfMemoryReason = "OOMKilled"
	// exitUnseen is the exit code that containerd reports, with reason "Unknown", of a container whose end it has not seen: it
	// was started anew, as after a restart of the node, and the container's processes are gone.
	exitUnseen = 255
)

// observeEnd judges the end of a container. Only the one that measures can succeed.
func observeEnd(pod *corev1.Pod, t *corev1.ContainerStateTerminated, measured bool) State {
	message := strings.TrimSpace(t.Message)
	switch {
	case t.Reason == outOfMemoryReason:
		// Also with exit code 0: one of several processes was killed, and the others do not make up for it.
		return State{Phase: Failed, Why: outOfMemory(pod)}
	case t.ExitCode == 0 && measured:
		return State{Phase: Succeeded, Report: t.Message}
	case t.Reason == "ContainerStatusUnknown", t.ExitCode == exitUnseen && t.Reason == "Unknown":
		return State{Phase: Interrupted, Why: strings.TrimSuffix("its node lost the container, as after a restart: "+message, ": ")}
	case t.ExitCode == digest.ExitLate:
		return State{Phase: Late, Why: message}
	case t.ExitCode == digest.ExitInterrupted, IsDisrupted(pod):
		return State{Phase: Interrupted, Why: cmp.Or(Failure(pod), message)}
	case message == "":
		message = fmt.Sprintf("the runner ended with exit code %d and left no message; see the pod's log", t.ExitCode)
	}
	return State{Phase: Failed, Why: message}
}

// endedInProbe says whether a container ended otherwise than well when all was measured and only a probe was to come. It has to have been told to
// probe, and to have left the whole report of its pod, in which the runner says that fio had ended well before.
func endedInProbe(pod *corev1.Pod, t *corev1.ContainerStateTerminated) bool {
	endedWell := t.ExitCode == 0 && t.Reason != outOfMemoryReason
	return !endedWell && job.Probes(&pod.Spec) && digest.LacksProbe(t.Message, string(pod.UID))
}

// whyInProbe says why a container ended that was probing. Its message is what it measured before.
func whyInProbe(pod *corev1.Pod, t *corev1.ContainerStateTerminated) string {
	if t.Reason == outOfMemoryReason {
		return outOfMemory(pod)
	}
	return cmp.Or(Failure(pod), fmt.Sprintf("its container ended with exit code %d (%s)", t.ExitCode, t.Reason))
}

// observeLive judges a pod that has not ended. Between its containers none runs, but its time to start is over.
func observeLive(pod *corev1.Pod) State {
	began := Began(pod)
	if began.IsZero() {
		return State{Phase: Starting, Why: StartMessage(pod)}
	}
	seen := State{Phase: LayingOut, Began: began}
	if isRunning(pod.Status.ContainerStatuses, job.MeasureContainer) {
		seen.Phase = Measuring
		if job.LaysOutFirst(&pod.Spec) {
			seen.Phase = Working
		}
	}
	if !pod.DeletionTimestamp.IsZero() {
		seen.GivenUp = pod.DeletionTimestamp.Add(LostAfter)
	}
	return seen
}

func outOfMemory(pod *corev1.Pod) string {
	for _, c := range pod.Spec.Containers {
		if limit, ok := c.Resources.Limits[corev1.ResourceMemory]; ok {
			return fmt.Sprintf("the container ran out of memory (OOMKilled) with a limit of %s; raise spec.pod.resources.limits.memory, or lower numjobs, iodepth or bs", limit.String())
		}
	}
	return "the container ran out of memory (OOMKilled), as its node has too little; lower numjobs, iodepth or bs"
}
