package schedule

import (
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/harness"
)

// history returns the points of a schedule.
func (w *testWorld) history(s *v1alpha1.StorageBenchmarkSchedule) (*history.History, error) {
	current := &v1alpha1.StorageBenchmarkSchedule{}
	if err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(s), current); err != nil {
		return nil, err
	}
	var chunks [][]byte
	for _, name := range current.Status.History.ConfigMaps {
		object := &corev1.ConfigMap{}
		if err := w.Client.Get(w.Context(), client.ObjectKey{Namespace: s.Namespace, Name: name}, object); err != nil {
			return nil, err
		}
		if !metav1.IsControlledBy(object, s) {
			return nil, fmt.Errorf("%s does not go with the schedule", name)
		}
		chunks = append(chunks, object.BinaryData[v1alpha1.HistoryKey])
	}
	return history.Decode(chunks)
}

// untilPoints waits until a schedule's history has so many points, and returns them.
func (w *testWorld) untilPoints(s *v1alpha1.StorageBenchmarkSchedule, n int) []history.Point {
	w.Helper()
	var points []history.Point
	w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		h, err := w.history(s)
		if err != nil {
			return err
		}
		if points = h.Points; len(points) != n || int(s.Status.History.Points) != n {
			return fmt.Errorf("there are %d points, and the status says %d, want %d", len(points), s.Status.History.Points, n)
		}
		return nil
	})
	return points
}

// measure has a benchmark made and ended, and returns it.
func (w *testWorld) measure(s *v1alpha1.StorageBenchmarkSchedule, status metav1.ConditionStatus, iops int64) *v1alpha1.StorageBenchmark {
	w.Helper()
	sb := w.begin(s)
	w.end(sb, status, iops)
	return sb
}

// begin has a benchmark made, and returns it.
func (w *testWorld) begin(s *v1alpha1.StorageBenchmarkSchedule) *v1alpha1.StorageBenchmark {
	w.Helper()
	w.pass(s, time.Minute)
	var sb *v1alpha1.StorageBenchmark
	w.Eventually(func() error {
		list, err := w.list()
		for i := range list {
			if stateOf(&list[i]) == 0 {
				sb = &list[i]
				return nil
			}
		}
		return errors.Join(err, errors.New("no benchmark is active"))
	})
	return sb
}

// Each benchmark leaves one point, and the oldest are deleted by the limits: those that have succeeded and those that
// have failed apart.
func TestHistory(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) {
		s.Spec.SuccessfulBenchmarksHistoryLimit, s.Spec.FailedBenchmarksHistoryLimit, s.Spec.HistoryLimit = new(int32(1)), new(int32(1)), new(int32(3))
	})
	first := w.measure(s, metav1.ConditionTrue, 100)
	points := w.untilPoints(s, 1)
	if p := points[0]; p.UID != string(first.UID) || p.Benchmark != first.Name || !p.Succeeded || p.Environment.Operator != "test" || len(p.Cases) != 1 || p.Cases[0].Figures[0].Value != 100_000 {
		t.Errorf("the point is %+v", p)
	}
	failed := w.measure(s, metav1.ConditionFalse, 50)
	w.untilPoints(s, 2)
	w.untilThere(2)
	second := w.measure(s, metav1.ConditionTrue, 101)
	w.untilGone(first)
	w.untilPoints(s, 3)
	without := w.measure(s, metav1.ConditionFalse, 0) // which has measured nothing
	w.untilGone(failed)
	w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if last := s.Status.LastResult; last == nil || last.Benchmark != without.Name {
			return fmt.Errorf("the last result is %+v", last)
		}
		return nil
	})
	third := w.measure(s, metav1.ConditionTrue, 102)
	w.untilGone(second)
	points = w.untilPoints(s, 3)
	if points[0].UID != string(failed.UID) || points[2].UID != string(third.UID) {
		t.Errorf("points are %+v", points)
	}
	list := w.untilThere(2)
	for i := range list {
		if list[i].UID != without.UID && list[i].UID != third.UID {
			t.Errorf("%s is there", list[i].Name)
		}
	}
	w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if s.Status.LastSuccessfulTime == nil || s.Status.ActiveBenchmarks != 0 {
			return fmt.Errorf("the last success was at %v", s.Status.LastSuccessfulTime)
		}
		return nil
	})
}

// A limit that is lowered drops the oldest points at once, and not when the next benchmark ends.
func TestLoweredHistoryLimit(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.createByHand(90)
	w.measureByHand(s)
	second, third := w.measureByHand(s), w.measureByHand(s)
	w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.HistoryLimit = new(int32(2)) })
	w.untilPoints(s, 2)
	w.untilPointsOf(s, second, third)
}

// forgetHistory has a schedule's status tell nothing of its history, as if that had not been written, and returns what
// it told.
func (w *testWorld) forgetHistory(s *v1alpha1.StorageBenchmarkSchedule) v1alpha1.ScheduleHistory {
	w.Helper()
	current := w.until(s, func(*v1alpha1.StorageBenchmarkSchedule) error { return nil })
	before := current.DeepCopy()
	current.Status.History = v1alpha1.ScheduleHistory{}
	if err := w.Client.Status().Patch(w.Context(), current, client.MergeFrom(before)); err != nil {
		w.Fatal(err)
	}
	return before.Status.History
}

// An operator that was killed between the writes of a point and of the status does not keep the point twice.
func TestPointThatWasNotNoted(t *testing.T) {
	w := newWorld(t)
	stop := w.startOperator()
	s := w.create()
	w.measure(s, metav1.ConditionTrue, 100)
	w.untilPoints(s, 1)
	stop()
	w.forgetHistory(s)
	w.startOperator()
	w.untilPoints(s, 1)
	w.measure(s, metav1.ConditionTrue, 101)
	w.untilPoints(s, 2)
}

// A benchmark stays until the status tells of the history: an operator that begins anew looks at a history only if one
// of them has it do so.
func TestBenchmarkStaysUntilItsPointIsNoted(t *testing.T) {
	w := newWorld(t)
	stop := w.startOperator()
	s := w.create()
	sb := w.measure(s, metav1.ConditionTrue, 100)
	w.untilPoints(s, 1)
	stop()
	noted := w.forgetHistory(s)
	w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.SuccessfulBenchmarksHistoryLimit = new(int32(0)) })

	var giveBack func()
	w.startOperatorWith(envtest.OperatorConfig(w), func(r *Reconciler) {
		r.memories.of(s).kept.Insert(sb.UID) // it has written the point, and its status was refused
		r.memories.of(s).history = &known{where: noted}
		giveBack, _ = r.reading.take(t.Context(), "others", time.Now) // so it cannot read the history at once
	})
	for _, suspend := range []bool{true, false} { // the second pass tells that the first has come to its end
		w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Suspend = new(suspend) })
		w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
			if s.Status.ObservedGeneration != s.Generation {
				return errors.New("no pass has been made")
			}
			return nil
		})
	}
	w.untilThere(1)
	giveBack()
	w.untilPoints(s, 1)
	w.untilGone(sb)
}

// A benchmark whose point cannot be kept stays, and its point is kept when that is possible.
func TestBenchmarkStaysWithoutItsPoint(t *testing.T) {
	words := map[string]string{"a chunk that is too large": fmt.Sprintf(
		"binaryData[%s] has %d bytes, more than the %d", v1alpha1.HistoryKey, history.MaxChunkBytes+1, history.MaxChunkBytes)}
	for name, data := range map[string]map[string][]byte{
		"a ConfigMap of somebody":   nil,
		"a newer history":           {v1alpha1.HistoryKey: []byte("storagebench-history/v9\nwhat nobody can read yet")},
		"a chunk that is too large": {v1alpha1.HistoryKey: make([]byte, history.MaxChunkBytes+1)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.SuccessfulBenchmarksHistoryLimit = new(int32(0)) })
			object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: schedule.HistoryName(s, 0)}, BinaryData: data}
			if data != nil {
				object.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(s, v1alpha1.GroupVersion.WithKind(schedule.Kind))}
			}
			harness.Create(w.World, object)
			w.startOperator()
			sb := w.measure(s, metav1.ConditionTrue, 100)
			w.untilCondition(s, v1alpha1.ConditionHistoryKept, metav1.ConditionFalse, v1alpha1.ReasonNotKept,
				object.Name, "delete", words[name])
			w.untilThere(1)
			if err := w.Client.Delete(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			w.pass(s, time.Second)
			w.untilGone(sb)
			w.untilPoints(s, 1)
			w.untilCondition(s, v1alpha1.ConditionHistoryKept, metav1.ConditionTrue, v1alpha1.ReasonKept)
		})
	}
}
