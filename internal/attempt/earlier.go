package attempt

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
)

// Earlier is what may be left of earlier attempts when one of a run is to begin.
type Earlier struct {
	// Repeats reports whether the run was tried before, Measures whether a pod of a run may still measure, and CutShort
	// whether the run before was given up, whose last pod need not be seen.
	Repeats, Measures, CutShort bool
	// Saved reports whether the status has all that this pass has found out. The rest would go with the pods that tell it.
	Saved bool
}

// EarlierAction is what is to be done about earlier attempts before one begins.
type EarlierAction string

// What can be done about them. Two at once would measure each other.
const (
	LeaveEarlier EarlierAction = "LeaveEarlier" // nothing: all have ended
	SaveFirst    EarlierAction = "SaveFirst"    // save what was found out
	EndEarlier   EarlierAction = "EndEarlier"   // end them, and wait until they have ended
)

// DecideEarlier decides what happens to earlier attempts before one begins.
func DecideEarlier(e Earlier) EarlierAction {
	switch mayGoOn := e.Repeats || e.Measures || e.CutShort; {
	case !mayGoOn:
		return LeaveEarlier
	case !e.Saved:
		return SaveFirst
	default:
		return EndEarlier
	}
}

// IsSpent reports whether the Job of a finished run, whose result and log are saved, is deleted before the next run begins.
// It is where a sidecar runs on in its pod, which holds processors, quota and the claim; where the next Job was refused,
// perhaps by a quota of Jobs; and where several clients would leave so many Jobs that each pass takes longer than the one
// before. Otherwise it stays until clean-up: to take a pod down costs its node time in which the next run measures. With
// cleanupPolicy Retain the Jobs of a single client stay if all containers of their pods have ended.
func IsSpent(sb *v1alpha1.StorageBenchmark, j *batchv1.Job, pods []*corev1.Pod, refused bool) bool {
	hasManyClients := sb.Spec.MostClients() > 1
	switch {
	case j.Labels[v1alpha1.LabelRole] != v1alpha1.RoleRun:
		return false
	case hasManyClients, slices.ContainsFunc(pods, isBesideSidecar):
		return true
	default:
		return refused && sb.Spec.CleanupPolicy != v1alpha1.CleanupRetain
	}
}

// isBesideSidecar reports whether a container that the operator has not made keeps a pod running.
func isBesideSidecar(pod *corev1.Pod) bool {
	return !HasEnded(pod) && slices.ContainsFunc(pod.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool {
		return !job.IsOwnContainer(status.Name) && status.State.Terminated == nil
	})
}

// JobsAction is what is to be done about the Jobs of an attempt.
type JobsAction string

// What can be done about them.
const (
	FollowJobs JobsAction = "FollowJobs" // see how they get on
	MakeJobs   JobsAction = "MakeJobs"   // make those that are missing
	FindJob    JobsAction = "FindJob"    // see what has become of the first one that is missing: somebody has deleted it, or its labels
)

// DecideJobs says what is to be done about the Jobs of an attempt of which some may be missing. Seen says that all were there before.
func DecideJobs(missing int, seen bool) JobsAction {
	switch {
	case missing == 0:
		return FollowJobs
	case seen:
		return FindJob
	default:
		return MakeJobs
	}
}

// WasCutShort says whether the last run that has begun failed because its attempts were ended from outside. Its last one may go on, also where none of its
// pods is seen yet.
func WasCutShort(runs []v1alpha1.Run) bool {
	for _, run := range slices.Backward(runs) {
		if run.Attempts > 0 {
			return run.Disruptions > MaxDisruptions
		}
	}
	return false
}
