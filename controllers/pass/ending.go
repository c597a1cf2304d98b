package pass

import (
	"cmp"
	"fmt"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/cleanup"
)

// pollStuck is how often it is looked whether a pod has ended that is not waited for any longer. It is watched as well.
const pollStuck = time.Minute

// endWait is the wait for pods to end. It begins anew when the operator restarts.
func (s *Pass) endWait() attempt.EndWait {
	return attempt.EndWait{Since: s.Memory.EndingSince, Now: s.Now.Time, Start: attempt.StartLimit(s.SB.Spec.Deadlines)}
}

// AwaitEnd waits for the end of the attempt before, and ends the benchmark when that takes too long.
func (s *Pass) AwaitEnd(what string, left []cleanup.Leftover) Outcome {
	s.AwaitsEnd = true
	wait := s.endWait()
	if wait.IsLate() {
		s.Fail(v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf("%s waited %s for the previous attempt to end: %s",
			what, wait.LimitWords(), cleanup.Instructions(left)))
		return SaveFirst()
	}
	s.Step(v1alpha1.ReasonPreparing, what+": waiting for the previous attempt to end: "+cleanup.Names(left))
	return AwaitGone(left, wait.Remaining())
}

// AwaitSuspended waits for the end of what a benchmark had under way that is suspended. It stays suspended when that
// takes too long, and tells what to do.
func (s *Pass) AwaitSuspended(left []cleanup.Leftover) Outcome {
	s.AwaitsEnd = true
	wait := s.endWait()
	if wait.IsLate() {
		s.Step(v1alpha1.ReasonSuspended, fmt.Sprintf("spec.suspend is true; not ended within %s: %s",
			wait.LimitWords(), cleanup.Instructions(left)))
		return AwaitFor(pollStuck)
	}
	s.Step(v1alpha1.ReasonSuspended, "spec.suspend is true; waiting for the end of "+cleanup.Names(left))
	return AwaitGone(left, wait.Remaining())
}

// Cleaning returns how long clean-up may take, and remembers that this operator is at it.
func (s *Pass) Cleaning() cleanup.Budget {
	budget := s.Budget()
	s.Memory.CleaningSince, s.Memory.CleaningFor = budget.Tried, budget.Least
	return budget
}

// Budget returns how long clean-up may take, if this operator begins with it now, or has begun.
func (s *Pass) Budget() cleanup.Budget {
	least := cmp.Or(s.Memory.CleaningFor, cleanup.FirstTry)
	// An operator before this one may have begun to clean up.
	wasCleaningUp := s.SB.Status.Condition(v1alpha1.ConditionSucceeded).Reason == v1alpha1.ReasonCleaningUp
	if s.Memory.CleaningFor == 0 && wasCleaningUp {
		least = cleanup.NextTry
	}
	since := s.Memory.CleaningSince
	if since.IsZero() {
		since = s.Now.Time
	}
	return cleanup.Budget{
		Began: cleanup.Began(s.SB), Tried: since, Now: s.Now.Time,
		Limit: attempt.CleanUpLimit(s.SB.Spec.Deadlines), Least: least,
	}
}
