package fakecluster

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
)

// Outcome is what becomes of a pod.
type Outcome struct {
	unschedulable string
	waiting       map[string]corev1.ContainerStateWaiting
	hangs         string
	lost          bool
	report        *digest.Report
	ends          map[string]corev1.ContainerStateTerminated
	conditions    []corev1.PodCondition
	sidecar       bool
}

// BesideSidecar has an injected container that never exits run in the pod: it goes on until it is deleted.
func (o Outcome) BesideSidecar() Outcome {
	o.sidecar = true
	return o
}

// Succeed has the pod end with a report. One that cleans up succeeds as well, and nobody reads its message.
func Succeed(report digest.Report) Outcome {
	outcome := Say("")
	outcome.report = &report
	return outcome
}

// messageOf returns what the runner leaves in a pod, which its report names.
func (o Outcome) messageOf(pod *corev1.Pod, message string) string {
	if o.report == nil {
		return message
	}
	report := *o.report
	report.Pod = string(pod.UID)
	message, err := digest.Encode(report)
	if err != nil {
		panic(err)
	}
	return message
}

// Say has the pod succeed with any message.
func Say(message string) Outcome {
	return end(job.MeasureContainer, corev1.ContainerStateTerminated{Reason: "Completed", Message: message})
}

// Fail has the measuring container end with an exit code and a message.
func Fail(code int32, message string) Outcome {
	return end(job.MeasureContainer, corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error", Message: message})
}

// FailLayout has the container that lays out files end with an exit code and a message, whether it is to measure then or not.
func FailLayout(code int32, message string) Outcome {
	return end(job.LayoutContainer, corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error", Message: message})
}

// FailCleanUp has the container that removes test files fail.
func FailCleanUp(message string) Outcome {
	return end(job.CleanContainer, corev1.ContainerStateTerminated{ExitCode: digest.ExitFailed, Reason: "Error", Message: message})
}

// OutOfMemory has the measuring container killed for its use of memory.
func OutOfMemory() Outcome {
	return end(job.MeasureContainer, corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"})
}

// OutOfMemoryAfter has it killed after it has left a report, which names the pod.
func OutOfMemoryAfter(report digest.Report) Outcome {
	outcome := OutOfMemory()
	outcome.report = &report
	return outcome
}

// Evict has the node end the pod while it measures.
func Evict() Outcome { return EvictFrom(job.MeasureContainer) }

// EvictFrom has the node end the pod while a container runs.
func EvictFrom(container string) Outcome {
	outcome := end(container, corev1.ContainerStateTerminated{ExitCode: digest.ExitInterrupted, Reason: "Error", Message: "the run was ended before fio had finished"})
	outcome.conditions = []corev1.PodCondition{{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
		Reason: "TerminationByKubelet", Message: "The node was low on resource: ephemeral-storage.",
	}}
	return outcome
}

// Hang has a container run until the pod is deleted, or is given another outcome. One that lays out files and measures gets
// no further than to the one that is named.
func Hang(container string) Outcome { return Outcome{hangs: container} }

// Lose has the node be lost when the pod runs: nobody ends it, and nobody confirms its deletion.
func Lose() Outcome { return Outcome{hangs: job.MeasureContainer, lost: true} }

// Unschedulable has no node take the pod.
func Unschedulable(why string) Outcome { return Outcome{unschedulable: why} }

// Hold keeps a container from starting.
func Hold(container, reason, message string) Outcome {
	return Outcome{waiting: map[string]corev1.ContainerStateWaiting{container: {Reason: reason, Message: message}}}
}

// BackOff has the runner's image be nowhere.
func BackOff(message string) Outcome {
	return Hold(job.LayoutContainer, "ImagePullBackOff", message)
}

func end(container string, how corev1.ContainerStateTerminated) Outcome {
	return Outcome{ends: map[string]corev1.ContainerStateTerminated{container: how}}
}

// conditionsAt returns the conditions that the pod gets with its end, at that time.
func (o Outcome) conditionsAt(now metav1.Time) []corev1.PodCondition {
	conditions := slices.Clone(o.conditions)
	for i := range conditions {
		conditions[i].LastTransitionTime = now
	}
	return conditions
}

// next returns the state of a container that follows its present one. It does the work of the containers that are named, one
// after the other.
func (o Outcome) next(stages []string, present corev1.ContainerState, now metav1.Time) corev1.ContainerState {
	for _, stage := range stages {
		waiting, ok := o.waiting[stage]
		switch {
		case !ok:
		case present.Waiting != nil && *present.Waiting == waiting:
			return present
		default:
			return corev1.ContainerState{Waiting: &waiting}
		}
	}
	if present.Running == nil {
		return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
	}
	var end corev1.ContainerStateTerminated
	for _, stage := range stages {
		if o.hangs == stage {
			return present
		}
		if end = o.ends[stage]; end.ExitCode != 0 {
			break
		}
	}
	end.StartedAt, end.FinishedAt = present.Running.StartedAt, now
	return corev1.ContainerState{Terminated: &end}
}
