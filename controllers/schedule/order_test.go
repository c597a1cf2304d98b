package schedule

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/harness"
)

// createByHand makes a schedule whose benchmarks the test makes, and which keeps so many points, and all benchmarks.
func (w *testWorld) createByHand(points int32) *v1alpha1.StorageBenchmarkSchedule {
	w.Helper()
	return w.create(func(s *v1alpha1.StorageBenchmarkSchedule) {
		s.Spec.Suspend, s.Spec.HistoryLimit, s.Spec.SuccessfulBenchmarksHistoryLimit = new(true), &points, new(int32(32))
	})
}

// measureByHand has a benchmark of a schedule end, and returns it when it is known that its point is kept.
func (w *testWorld) measureByHand(s *v1alpha1.StorageBenchmarkSchedule) *v1alpha1.StorageBenchmark {
	w.Helper()
	w.Clock.Pass(time.Minute)
	sb := harness.Create(w.World, schedule.Requested(s))
	w.end(sb, metav1.ConditionTrue, 100)
	w.Eventually(func() error {
		if w.Get(sb).Annotations[v1alpha1.AnnotationHistoryKept] != string(sb.UID) {
			return errors.New("it is not noted that its point is kept")
		}
		return nil
	})
	return sb
}

// untilPointsOf waits until a history has the points of these benchmarks, in their order.
func (w *testWorld) untilPointsOf(s *v1alpha1.StorageBenchmarkSchedule, want ...*v1alpha1.StorageBenchmark) {
	w.Helper()
	var names []string
	for _, sb := range want {
		names = append(names, sb.Name)
	}
	w.Eventually(func() error {
		h, err := w.history(s)
		if err != nil {
			return err
		}
		var got []string
		for i := range h.Points {
			got = append(got, h.Points[i].Benchmark)
		}
		if !slices.Equal(got, names) {
			return fmt.Errorf("points are of %v, want %v", got, names)
		}
		return nil
	})
}

// restarted has another operator take over, and returns what ends that one when it has looked at the schedule.
func (w *testWorld) restarted(s *v1alpha1.StorageBenchmarkSchedule, stop func()) func() {
	w.Helper()
	stop()
	stop = w.startOperator()
	w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) {
		s.Spec.StartingDeadlineSeconds = new(3600 + s.Generation)
	})
	w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if s.Status.ObservedGeneration != s.Generation {
			return errors.New("no pass has been made")
		}
		return nil
	})
	return stop
}

// A clock that was ahead, and is right again, keeps no point out, no benchmark from being deleted, and no success from
// being the last one.
func TestClockThatWasAhead(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.createByHand(2)
	const ahead = 365 * 24 * time.Hour
	w.Clock.Step(ahead)
	first := w.measureByHand(s)
	w.Clock.Step(-ahead)
	second := w.measureByHand(s)
	w.untilPointsOf(s, first, second)
	third := w.measureByHand(s)
	w.untilPointsOf(s, second, third)
	w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.SuccessfulBenchmarksHistoryLimit = new(int32(1)) })
	w.untilGone(first)
	w.untilGone(second)
	w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if ended := w.Get(third).Status.CompletionTime; !s.Status.LastSuccessfulTime.Equal(ended) {
			return fmt.Errorf("the last success was at %s, want %s", s.Status.LastSuccessfulTime, ended)
		}
		return nil
	})
}

// A benchmark whose point was dropped leaves no other, which would be the newest: not when the limit is raised, and not
// with an operator that has just begun.
func TestPointThatWasDropped(t *testing.T) {
	w := newWorld(t)
	stop := w.startOperator()
	s := w.createByHand(1)
	w.measureByHand(s)
	second := w.measureByHand(s)
	w.untilPointsOf(s, second)
	stop = w.restarted(s, stop)
	w.untilPointsOf(s, second)
	w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.HistoryLimit = new(int32(10)) })
	w.restarted(s, stop)
	third := w.measureByHand(s)
	w.untilPointsOf(s, second, third)
}

// Who deletes a history begins another one, with the benchmarks that end from then on.
func TestDeletedHistory(t *testing.T) {
	w := newWorld(t)
	stop := w.startOperator()
	s := w.createByHand(90)
	w.measureByHand(s)
	w.measureByHand(s)
	w.untilPoints(s, 2)
	w.deleteConfigMap(s, 0)
	third := w.measureByHand(s)
	w.untilPointsOf(s, third)
	w.untilMetric("storagebench_last_result_timestamp_seconds", float64(w.Get(third).Status.CompletionTime.Unix()))
	w.restarted(s, stop)
	w.untilPointsOf(s, third)
	fourth := w.measureByHand(s)
	w.untilPointsOf(s, third, fourth)
}

func (w *testWorld) deleteConfigMap(s *v1alpha1.StorageBenchmarkSchedule, number int) {
	w.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: schedule.HistoryName(s, number)}}
	if err := w.Client.Delete(w.Context(), object); err != nil {
		w.Fatal(err)
	}
}

// Who deletes one ConfigMap of several loses the points in it. The others stay before those that follow.
func TestDeletedPartOfAHistory(t *testing.T) {
	w := newWorld(t)
	s := w.createByHand(90)
	w.seed(s, 1, 2, 2)
	stop := w.startOperator()
	first := w.measureByHand(s)
	w.untilPoints(s, 4)
	w.deleteConfigMap(s, 0)
	second := w.measureByHand(s)
	points := w.untilPoints(s, 4)
	w.restarted(s, stop)
	third := w.measureByHand(s)
	points = append(points, w.untilPoints(s, 5)[4])
	var got []string
	for i := range points {
		got = append(got, points[i].Benchmark)
	}
	if want := []string{"seed-1", "seed-2", first.Name, second.Name, third.Name}; !slices.Equal(got, want) {
		t.Errorf("points are of %v, want %v", got, want)
	}
}

// seed gives a schedule a history of points in these chunks, each in a ConfigMap.
func (w *testWorld) seed(s *v1alpha1.StorageBenchmarkSchedule, chunks ...int64) {
	w.Helper()
	h := &history.History{}
	for i, chunk := range chunks {
		sb := schedule.Requested(s)
		sb.Name, sb.UID = fmt.Sprint("seed-", i), types.UID(fmt.Sprint("seed-", i))
		harness.SetEnd(sb, metav1.NewTime(w.Clock.Now().Add(time.Duration(i-10)*time.Hour)), metav1.ConditionTrue, 100)
		h.Add(history.FromBenchmark(sb, history.Environment{}), history.MaxPoints)
		h.Points[i].Chunk = chunk
	}
	encoded, err := h.Encode()
	if err != nil {
		w.Fatal(err)
	}
	for i := range encoded {
		harness.Create(w.World, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: schedule.HistoryName(s, i), OwnerReferences: []metav1.OwnerReference{schedule.Owner(s)}},
			BinaryData: map[string][]byte{v1alpha1.HistoryKey: encoded[i].Data},
		})
	}
}

// When a benchmark ended is unknown if the operator's clock was ahead then. It counts as one of the oldest: by its
// creation time, unless that is ahead as well.
func TestEndOf(t *testing.T) {
	noon := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	p := &pass{now: noon}
	for name, row := range map[string]struct{ created, ended, want time.Time }{
		"all is right":            {noon.Add(-time.Hour), noon.Add(-time.Minute), noon.Add(-time.Minute)},
		"a little ahead":          {noon.Add(-time.Hour), noon.Add(time.Minute), noon.Add(time.Minute)},
		"ahead when it ended":     {noon.Add(-time.Hour), noon.AddDate(1, 0, 0), noon.Add(-time.Hour)},
		"ahead all of the time":   {noon.AddDate(1, 0, 0), noon.AddDate(1, 0, 1), time.Unix(0, 0)},
		"it does not say when":    {noon.Add(-time.Hour), time.Time{}, noon.Add(-time.Hour)},
		"nor is when it was made": {noon.AddDate(1, 0, 0), time.Time{}, time.Unix(0, 0)},
	} {
		sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(row.created)}}
		if !row.ended.IsZero() {
			sb.Status.CompletionTime = new(metav1.NewTime(row.ended))
		}
		if got := p.endOf(sb); !got.Equal(row.want) {
			t.Errorf("%s: it ended at %s, want %s", name, got, row.want)
		}
	}
}
