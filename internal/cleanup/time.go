package cleanup

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// FirstTry is how long the first operator that comes to clean-up may try at least, however long none was there.
	FirstTry = 2 * time.Minute
	// NextTry is the same for one that comes after it. It is short: an operator that is started again and again comes to an end.
	NextTry = 30 * time.Second
)

// Time is how long clean-up may take. Its time has passed as well while no operator was there, so each has some to try.
type Time struct {
	// Began is since when the benchmark is being cleaned up, Tried since when this operator is at it.
	Began, Tried, Now time.Time
	// Limit is spec.deadlines.cleanUpSeconds, Least how long this operator may try at least.
	Limit, Least time.Duration
}

// Began returns since when a benchmark is being cleaned up.
func Began(sb *v1alpha1.StorageBenchmark) time.Time {
	if !sb.DeletionTimestamp.IsZero() {
		return sb.DeletionTimestamp.Time
	}
	if measured := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionMeasured); measured != nil {
		return measured.LastTransitionTime.Time
	}
	return time.Time{}
}

// Limit returns how long clean-up of a benchmark may take.
func Limit(sb *v1alpha1.StorageBenchmark) time.Duration {
	return time.Duration(ptr.Deref(sb.Spec.Deadlines.CleanUpSeconds, 0)) * time.Second
}

// Remaining returns for how long clean-up may go on.
func (t Time) Remaining() time.Duration { return t.remainingOf(1) }

// HalfRemaining returns for how long half of it may go on, after which the rest is for the volumes.
func (t Time) HalfRemaining() time.Duration { return t.remainingOf(2) }

// IsHalfOver says whether that half has passed.
func (t Time) IsHalfOver() bool { return t.HalfRemaining() <= 0 }

// remainingOf returns what remains of a part of the time for clean-up, a half or all of it: of the benchmark's, or of this operator's.
func (t Time) remainingOf(parts time.Duration) time.Duration {
	own := t.Tried.Add(min(t.Limit, t.Least) / parts)
	end := t.Began.Add(t.Limit / parts)
	return max(end.Sub(t.Now), own.Sub(t.Now))
}

// DescribeLeft says for how long something was not removed, which field says how long that may take, and what is left, with what a person can do.
func (t Time) DescribeLeft(left []Leftover) string {
	took := fmt.Sprintf("not removed within %d s", int(t.Now.Sub(t.Began).Seconds()))
	if t.Tried.Sub(t.Began) >= t.Limit {
		took += fmt.Sprintf("; this operator has tried for %d s", int(t.Now.Sub(t.Tried).Seconds()))
	}
	return took + " (spec.deadlines.cleanUpSeconds): " + Instructions(left)
}
