package resultmetrics

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// state is what the status of a schedule says.
type state struct {
	// regressed is the status of condition Regressed.
	regressed metav1.ConditionStatus
	// nextStart is when the next start is due, zero if none will be made.
	nextStart time.Time
	// waitingSince is since when a result is waited for.
	waitingSince time.Time
	// period is the longest time between two starts, 0 while none is made because somebody wants it so.
	period time.Duration
	// invalid is True while nothing is made because the spec is refused, False while it is not, and "" while somebody
	// wants nothing to be made.
	invalid metav1.ConditionStatus
}

// stateOf reads the status of a schedule.
func stateOf(s *v1alpha1.StorageBenchmarkSchedule, period time.Duration) *state {
	of := &state{
		nextStart:    ptr.Deref(s.Status.NextScheduleTime, metav1.Time{}).Time,
		waitingSince: ptr.Deref(s.Status.WaitingSince, s.CreationTimestamp).Time,
		regressed:    s.Status.Condition(v1alpha1.ConditionRegressed).Status,
	}
	if !ptr.Deref(s.Spec.Suspend, false) {
		of.period, of.invalid = period, isInvalid(s)
	}
	return of
}

// isInvalid reports whether the spec of a schedule is refused.
func isInvalid(s *v1alpha1.StorageBenchmarkSchedule) metav1.ConditionStatus {
	if s.Status.Condition(v1alpha1.ConditionScheduled).Reason == v1alpha1.ReasonInvalidSpec {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}
