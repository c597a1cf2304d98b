package pass

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/internal/attempt"
)

// Beginnings are when pods of an attempt began to run, by the operator's clock. A pod's status has the time of its
// node, whose clock may be off. With a clock that is behind, a deadline would be over at once. With one that is ahead,
// it would not come.
type Beginnings map[types.UID]beginning

// beginning is what was seen of a pod's beginning.
type beginning struct {
	// awaited is set while the pod is seen without a container that runs.
	awaited bool
	// seen is when a container was first seen to run.
	seen time.Time
}

// Note notes what is seen of a pod beside what was noted before, and returns the state with the time since which the
// pod runs: when this operator saw it begin, or what its node says, where it ran already when this operator saw it
// first. Nothing begins before its pod was made, or after it was seen.
func (b Beginnings) Note(before Beginnings, pod *corev1.Pod, state attempt.State, now time.Time) attempt.State {
	if pod == nil {
		return state
	}
	known := before[pod.UID]
	switch {
	case state.Began.IsZero():
		known.awaited = known.seen.IsZero()
	case known.seen.IsZero():
		known.seen = now
	}
	b[pod.UID] = known
	if !state.Began.IsZero() {
		state.Began = known.of(pod, state.Began)
	}
	return state
}

// of returns when a pod began. Its node says when that was.
func (b beginning) of(pod *corev1.Pod, said time.Time) time.Time {
	made := pod.CreationTimestamp.Time
	switch {
	case b.awaited, said.After(b.seen):
		return b.seen
	case said.Before(made):
		return made
	default:
		return said
	}
}
