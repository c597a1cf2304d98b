package cleanup

import (
	"fmt"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
)

const (
	// FirstTry is how long the first operator that comes to clean-up may try at least, however long none was there.
	FirstTry = 2 * time.Minute
	// NextTry is the same for one that comes after it. It is short: an operator that is started again and again comes to an end.
	NextTry = 30 * time.Second
)

// Budget is how long clean-up may take. Its time has passed as well while no operator was there, so each has some to try.
type Budget struct {
	// Began is since when the benchmark is being cleaned up, Tried since when this operator is at it.
	Began, Tried, Now time.Time
	// Limit is for all of it, Least how long this operator may try at least.
	Limit attempt.Limit
	Least time.Duration
}

// Began returns since when a benchmark is being cleaned up.
func Began(sb *v1alpha1.StorageBenchmark) time.Time {
	if !sb.DeletionTimestamp.IsZero() {
		return sb.DeletionTimestamp.Time
	}
	return sb.Status.Condition(v1alpha1.ConditionMeasured).LastTransitionTime.Time
}

// Remaining returns for how long clean-up may go on.
func (b Budget) Remaining() time.Duration { return b.remainingOf(1) }

// HalfRemaining returns for how long half of it may go on, after which the rest is for the volumes.
func (b Budget) HalfRemaining() time.Duration { return b.remainingOf(2) }

// IsHalfOver says whether that half has passed.
func (b Budget) IsHalfOver() bool { return b.HalfRemaining() <= 0 }

// remainingOf returns what remains of a part of the time for clean-up, a half or all of it: of the benchmark's, or of this operator's.
func (b Budget) remainingOf(parts time.Duration) time.Duration {
	own := b.Tried.Add(min(b.Limit.Duration(), b.Least) / parts)
	end := b.Began.Add(b.Limit.Duration() / parts)
	return max(end.Sub(b.Now), own.Sub(b.Now))
}

// DescribeLeft says for how long something was not removed, which field says how long that may take, and what is left, with what a person can do.
func (b Budget) DescribeLeft(left []Leftover) string {
	took := fmt.Sprintf("not removed within %d s", int(b.Now.Sub(b.Began).Seconds()))
	if b.Tried.Sub(b.Began) >= b.Limit.Duration() {
		took += fmt.Sprintf("; this operator has tried for %d s", int(b.Now.Sub(b.Tried).Seconds()))
	}
	return fmt.Sprintf("%s (spec.deadlines.%s): %s", took, b.Limit.Field, Instructions(left))
}
