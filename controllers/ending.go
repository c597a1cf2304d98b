package controllers

import (
	"fmt"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/cleanup"
)

// pollStuck is how often it is looked whether a pod has ended that is not waited for any longer. It is watched as well.
const pollStuck = time.Minute

// endWait is the wait for pods to end. Who restarts the operator has it wait anew.
func (s *scope) endWait() attempt.EndWait {
	return attempt.EndWait{Since: s.memory.endingSince, Now: s.now.Time, Start: attempt.StartLimit(s.sb.Spec.Deadlines)}
}

// awaitEnd waits for the end of the attempt before, and ends the benchmark when that takes too long.
func (s *writer) awaitEnd(what string, left []cleanup.Leftover) outcome {
	s.awaitsEnd = true
	wait := s.endWait()
	if wait.IsLate() {
		s.fail(v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf("%s waited %s for the previous attempt to end: %s", what, wait.LimitWords(), cleanup.Instructions(left)))
		return saveFirst()
	}
	s.step(v1alpha1.ReasonPreparing, what+": waiting for the previous attempt to end: "+cleanup.Names(left))
	return awaitGone(left, wait.Remaining())
}

// awaitSuspended waits for the end of what a benchmark had under way that is suspended. It stays suspended when that takes too long, and tells what to do.
func (s *writer) awaitSuspended(left []cleanup.Leftover) outcome {
	s.awaitsEnd = true
	wait := s.endWait()
	if wait.IsLate() {
		s.step(v1alpha1.ReasonSuspended, fmt.Sprintf("spec.suspend is true; not ended within %s: %s", wait.LimitWords(), cleanup.Instructions(left)))
		return awaitFor(pollStuck)
	}
	s.step(v1alpha1.ReasonSuspended, "spec.suspend is true; waiting for the end of "+cleanup.Names(left))
	return awaitGone(left, wait.Remaining())
}
