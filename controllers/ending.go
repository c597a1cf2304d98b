package controllers

import (
	"fmt"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/cleanup"
)

// Pods that were deleted may stay: a kubelet is gone, the garbage collector does not run, or somebody gave a pod a long grace period. Two
// attempts at once would measure each other, so their end is waited for, but not for ever.

// pollStuck is how often it is looked whether a pod has ended that is not waited for any longer. It is watched as well.
const pollStuck = time.Minute

// endLimit is how long the end of pods is waited for: what a pod of the benchmark may take to start, and twice what one takes to be given
// up whose node does not answer.
func (s *scope) endLimit() time.Duration {
	return seconds(s.sb.Spec.Deadlines.StartSeconds) + 2*attempt.LostAfter
}

// endLimitWords says the same, and which field has most of it.
func (s *scope) endLimitWords() string {
	return fmt.Sprintf("%.0f s (spec.deadlines.startSeconds and %.0f s)", s.endLimit().Seconds(), (2 * attempt.LostAfter).Seconds())
}

// isEndLate says whether the wait for pods to end has been as long as it may. Who restarts the operator has it wait anew.
func (s *scope) isEndLate() bool {
	s.awaitsEnd = true
	return s.endRemaining() <= 0
}

// endRemaining returns for how long pods may take yet to end.
func (s *scope) endRemaining() time.Duration {
	if s.memory.endingSince.IsZero() {
		return s.endLimit()
	}
	return s.endLimit() - s.now.Sub(s.memory.endingSince)
}

// awaitEnd waits for the end of the attempt before, and ends the benchmark when that takes too long.
func (s *scope) awaitEnd(what string, left []cleanup.Leftover) outcome {
	if s.isEndLate() {
		s.fail(v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf("%s waited %s for the previous attempt to end: %s", what, s.endLimitWords(), cleanup.Instructions(left)))
		return saveFirst()
	}
	s.step(v1alpha1.ReasonPreparing, what+": waiting for the previous attempt to end: "+cleanup.Names(left))
	return awaitGone(left, s.endRemaining())
}

// awaitSuspended waits for the end of what a benchmark had under way that is suspended. It stays suspended when that takes too long, and tells what to do.
func (s *scope) awaitSuspended(left []cleanup.Leftover) outcome {
	if s.isEndLate() {
		s.step(v1alpha1.ReasonSuspended, fmt.Sprintf("spec.suspend is true; not ended within %s: %s", s.endLimitWords(), cleanup.Instructions(left)))
		return awaitFor(pollStuck)
	}
	s.step(v1alpha1.ReasonSuspended, "spec.suspend is true; waiting for the end of "+cleanup.Names(left))
	return awaitGone(left, s.endRemaining())
}
