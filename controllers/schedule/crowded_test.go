package schedule

import (
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/harness"
)

// most is how many benchmarks of a schedule there may be with the history limits that it has by default.
const most = 32

// fill makes benchmarks of a schedule by hand, until one less is there than there may be.
func (w *testWorld) fill(s *v1alpha1.StorageBenchmarkSchedule, there int) (made []*v1alpha1.StorageBenchmark) {
	w.Helper()
	for range most - 1 - there {
		made = append(made, harness.Create(w.World, schedule.Requested(s)))
	}
	return made
}

// wantNoneMade lets starts become due, and checks that the first is made, that no other one is, and that the condition
// and an event say why.
func (w *testWorld) wantNoneMade(s *v1alpha1.StorageBenchmarkSchedule, words ...string) {
	w.Helper()
	w.pass(s, time.Minute)
	w.untilThere(most)
	words = append(words, fmt.Sprintf("%d StorageBenchmarks of this schedule are there", most), fmt.Sprintf("fewer than %d", most))
	for range 3 {
		w.pass(s, time.Minute)
		w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonTooManyBenchmarks, words...)
		w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
			if s.Status.NextScheduleTime == nil || !s.Status.NextScheduleTime.After(w.Clock.Now()) {
				return errors.New("the operator has not looked at the start")
			}
			return nil
		})
		w.untilThere(most)
	}
	w.untilEvent(s, v1alpha1.ReasonTooManyBenchmarks, "no other one is made")
}

// Benchmarks that have ended pile up while the history cannot be written. No other one is made when there are many, and
// the starts go on when the history can be written again.
func TestHistoryThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.create()
	w.end(harness.Create(w.World, schedule.Requested(s)), metav1.ConditionTrue, 100)
	w.untilPoints(s, 1)
	history := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: schedule.HistoryName(s, 0)}}
	immutable := client.RawPatch(types.MergePatchType, []byte(`{"immutable": true}`))
	if err := w.Client.Patch(t.Context(), history, immutable); err != nil {
		t.Fatal(err)
	}
	for _, sb := range w.fill(s, 1) {
		w.end(sb, metav1.ConditionTrue, 100)
	}
	w.wantNoneMade(s, "1 of them active", "ConfigMap "+history.Name, "immutable")

	if err := w.Client.Delete(t.Context(), history); err != nil {
		t.Fatal(err)
	}
	w.pass(s, time.Minute)
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonActive)
	w.untilThere(3 + 2) // three that succeeded, one that was made before, and another one
}

// Benchmarks that do not end before the next start pile up with concurrencyPolicy Allow. No other one is made when
// there are many, until there are fewer.
func TestRunsLongerThanThePeriod(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyAllow })
	made := w.fill(s, 0)
	w.wantNoneMade(s, "32 of them active", "set concurrencyPolicy to Forbid")

	if err := w.Client.Delete(t.Context(), made[0]); err != nil {
		t.Fatal(err)
	}
	w.untilThere(most)
	w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if s.Status.MissedStarts < 2 {
			return fmt.Errorf("%d starts were missed", s.Status.MissedStarts)
		}
		return nil
	})
}

// Where a benchmark cannot be deleted, the condition says why.
func TestWhyCrowded(t *testing.T) {
	p := &pass{schedule: &v1alpha1.StorageBenchmarkSchedule{}, memory: &memory{undeleted: errors.New("webhook says no")}}
	want := "0 StorageBenchmarks of this schedule are there, 0 of them active: " +
		"no other one is made until there are fewer than 32. One that has ended cannot be deleted: webhook says no"
	if got := whyCrowded(p); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
