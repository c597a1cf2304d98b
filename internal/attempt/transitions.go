package attempt

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// This file has what the status says of a run as its attempts begin and end.

const (
	// MaxDisruptions is how many attempts of a run may be ended from outside before the run fails.
	MaxDisruptions = 3
	// maxMessage is the most bytes of the message of a run.
	maxMessage = 1024
	// maxAbandoned is the most attempts without a result that the status keeps, the last ones.
	maxAbandoned = 32
	// maxAbandonedMessage is the most bytes of their messages.
	maxAbandonedMessage = 256
)

// BeginRun writes down that an attempt of a run begins at a time.
func BeginRun(run *v1alpha1.Run, at time.Time) {
	run.State = v1alpha1.RunRunning
	run.Attempts++
	run.Job, run.AgreedStart = "", nil
	run.StartTime = new(metav1.NewTime(at))
}

// FailRun ends a run without a result.
func FailRun(run *v1alpha1.Run, message string, now metav1.Time) {
	run.State = v1alpha1.RunFailed
	run.CompletionTime = &now
	run.Message = humanize.Fit(message, maxMessage)
}

// Disrupt ends an attempt that was ended from outside, or began late. The run is repeated, but not for ever.
func Disrupt(status *v1alpha1.StorageBenchmarkStatus, run *v1alpha1.Run, reason v1alpha1.AbandonReason, why string, now metav1.Time) {
	abandon(status, run, reason, why, now)
	run.Disruptions++
	if run.Disruptions > MaxDisruptions {
		FailRun(run, fmt.Sprintf("%d attempts were disrupted, the last one because %s", run.Disruptions, why), now)
		return
	}
	run.State, run.Job = v1alpha1.RunPending, ""
	run.Message = humanize.Fit(fmt.Sprintf("attempt %d was disrupted and is repeated: %s", run.Attempts, why), maxMessage)
}

// Suspend ends an attempt because that is what the spec asks for. The run is repeated however often that is.
func Suspend(status *v1alpha1.StorageBenchmarkStatus, run *v1alpha1.Run, now metav1.Time) {
	abandon(status, run, v1alpha1.AbandonSuspended, "", now)
	run.State, run.Job = v1alpha1.RunPending, ""
	run.Message = "ended by spec.suspend, will be repeated"
}

// abandon keeps what is known of an attempt without a result.
func abandon(status *v1alpha1.StorageBenchmarkStatus, run *v1alpha1.Run, reason v1alpha1.AbandonReason, why string, now metav1.Time) {
	abandoned := v1alpha1.AbandonedAttempt{
		Run: run.Name, Attempt: run.Attempts, Reason: reason, Node: status.NodeOf(0),
		StartTime: run.StartTime, CompletionTime: &now, Message: humanize.Fit(why, maxAbandonedMessage),
	}
	if volumes := status.Target(run.Target).Volumes; abandoned.Node == "" && len(volumes) > 0 {
		abandoned.Node = volumes[0].Node
	}
	all := slices.Concat(status.AbandonedAttempts, []v1alpha1.AbandonedAttempt{abandoned})
	status.AbandonedAttempts = all[max(len(all)-maxAbandoned, 0):]
}
