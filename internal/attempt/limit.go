package attempt

import (
	"fmt"
	"time"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Limit is a deadline of a benchmark.
type Limit struct {
	// Field is the one of spec.deadlines that has it, for whoever wants to wait longer.
	Field   string
	Seconds int32
}

// NodeLimit is how long a benchmark waits for nodes that others hold.
func NodeLimit(d v1alpha1.Deadlines) Limit {
	return Limit{"waitingForNodeSeconds", ptr.Deref(d.WaitingForNodeSeconds, 0)}
}

// StartLimit is how long it waits for a pod to start.
func StartLimit(d v1alpha1.Deadlines) Limit {
	return Limit{"podStartSeconds", ptr.Deref(d.PodStartSeconds, 0)}
}

// VolumeLimit is how long it waits for a volume.
func VolumeLimit(d v1alpha1.Deadlines) Limit {
	return Limit{"provisioningSeconds", ptr.Deref(d.ProvisioningSeconds, 0)}
}

// CleanUpLimit is how long its clean-up may take.
func CleanUpLimit(d v1alpha1.Deadlines) Limit {
	return Limit{"cleanUpSeconds", ptr.Deref(d.CleanUpSeconds, 0)}
}

// RunLimit is how long an attempt of a run may run. needed is what the planned runs need, 0 if the default is enough.
func RunLimit(sb *v1alpha1.StorageBenchmark, needed int32) Limit {
	return Limit{"runCompletionSeconds", sb.RunSeconds(needed)}
}

// Duration returns how long that is.
func (l Limit) Duration() time.Duration { return time.Duration(l.Seconds) * time.Second }

// Waited says that something was waited for as long as it may take, and which field says how long that is, such as
// "waited 600 s for its pod to start (spec.deadlines.podStartSeconds)".
func (l Limit) Waited(forWhat string) string {
	return fmt.Sprintf("waited %d s for %s (spec.deadlines.%s)", l.Seconds, forWhat, l.Field)
}

// EndWait is the wait for pods to end that were deleted. They may stay: a kubelet is gone, the garbage collector does not run, or somebody gave a pod a long
// grace period. Two attempts at once would measure each other, so their end is waited for, but not for ever.
type EndWait struct {
	// Since is when it began, zero if it has not.
	Since, Now time.Time
	// Start is how long a pod of the benchmark may take to start.
	Start Limit
}

// Limit is how long it may take: what a pod of the benchmark may take to start, and twice what one takes to be given up whose node does not answer.
func (w EndWait) Limit() time.Duration { return w.Start.Duration() + 2*LostAfter }

// LimitWords says the same, and which field has most of it.
func (w EndWait) LimitWords() string {
	return fmt.Sprintf("%.0f s (spec.deadlines.%s and %.0f s)", w.Limit().Seconds(), w.Start.Field, (2 * LostAfter).Seconds())
}

// Remaining returns for how long it may go on.
func (w EndWait) Remaining() time.Duration {
	if w.Since.IsZero() {
		return w.Limit()
	}
	return w.Limit() - w.Now.Sub(w.Since)
}

// IsLate says whether it has been as long as it may.
func (w EndWait) IsLate() bool { return w.Remaining() <= 0 }
