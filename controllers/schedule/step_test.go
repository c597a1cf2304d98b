package schedule

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A clock that is 25 hours ahead for a moment has one start made too early. Starts go on after it is right again, each
// once, and no result is lost.
func TestClockStepsAheadAndBack(t *testing.T) {
	const step = 25 * time.Hour
	w := newWorld(t)
	w.startOperator()
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyForbid })
	w.pass(s, time.Minute)
	first := w.untilThere(1)[0]
	w.end(&first, metav1.ConditionTrue, 100)
	w.untilPoints(s, 1)

	w.pass(s, step)
	w.untilThere(2)
	w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if last := s.Status.LastScheduleTime; last == nil || last.Sub(first.CreationTimestamp.Time) < step/2 {
			return errors.New("no start was made ahead of time")
		}
		return nil
	})
	w.pass(s, -step)
	at := w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if s.Status.LastScheduleTime.After(w.Clock.Now()) || s.Status.NextScheduleTime.Sub(w.Clock.Now()) > time.Minute {
			return errors.New("starts are counted from a time that has not come")
		}
		return nil
	})
	if at.Status.History.Points != 1 {
		t.Errorf("the history has %d points", at.Status.History.Points)
	}
	for _, sb := range w.untilThere(2) {
		if sb.Name != first.Name {
			w.end(&sb, metav1.ConditionTrue, 100)
		}
	}
	w.untilPoints(s, 2)
	w.pass(s, time.Minute)
	w.untilThere(3)
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonActive)
}
