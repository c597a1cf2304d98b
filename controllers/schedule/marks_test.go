package schedule

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/harness"
)

// lossy is a client that loses the answers to so many changes of benchmarks.
type lossy struct {
	client.Client
	losses atomic.Int32
}

func (c *lossy) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	err := c.Client.Patch(ctx, object, patch, options...)
	if _, is := object.(*v1alpha1.StorageBenchmark); is && err == nil && c.losses.Add(-1) >= 0 {
		return apierrors.NewInternalError(errors.New("the answer is lost"))
	}
	return err
}

// An operator that does not hear that a benchmark is marked tells of its point all the same.
func TestMarkWhoseAnswerIsLost(t *testing.T) {
	w := newWorld(t)
	writer := &lossy{}
	w.startOperatorWith(envtest.OperatorConfig(w), func(r *Reconciler) { writer.Client, r.Client = r.Client, writer })
	s := w.createByHand(90)
	first := w.measureByHand(s)
	w.untilPointsOf(s, first)
	writer.losses.Store(1)
	second := w.measureByHand(s)
	w.pass(s, time.Second)
	w.untilPoints(s, 2)
	w.untilPointsOf(s, first, second)
	w.untilCondition(s, v1alpha1.ConditionHistoryKept, metav1.ConditionTrue, v1alpha1.ReasonKept)
}

// unmark takes the marks of StorageBenchmarks away, as if an operator of the version before had kept their points.
func (w *testWorld) unmark(all ...*v1alpha1.StorageBenchmark) {
	w.Helper()
	for _, sb := range all {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:null}}}`, v1alpha1.AnnotationHistoryKept)
		if err := w.Client.Patch(w.Context(), sb.DeepCopy(), client.RawPatch(types.MergePatchType, patch)); err != nil {
			w.Fatal(err)
		}
	}
}

// An operator of the version before marked no StorageBenchmark. One whose point it has dropped leaves no other after an
// upgrade, and the next one leaves its own.
func TestUpgradeWithAPointThatWasDropped(t *testing.T) {
	w := newWorld(t)
	stop := w.startOperator()
	s := w.createByHand(2)
	first, second, third := w.measureByHand(s), w.measureByHand(s), w.measureByHand(s)
	w.untilPointsOf(s, second, third)
	stop()
	if err := w.Client.Delete(w.Context(), second); err != nil { // as a benchmark that had succeeded, where the first had failed
		t.Fatal(err)
	}
	w.unmark(first, third)
	w.restarted(s, func() {})
	w.Eventually(func() error {
		if marked := w.Get(first).Annotations[v1alpha1.AnnotationHistoryKept]; marked != string(first.UID) {
			return fmt.Errorf("the first one is marked %q", marked)
		}
		return nil
	})
	w.untilPointsOf(s, second, third)
	fourth := w.measureByHand(s)
	w.untilPointsOf(s, third, fourth)
}

// A copy of a StorageBenchmark that has left its point leaves one of its own.
func TestCopyLeavesItsOwnPoint(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.createByHand(10)
	first := w.measureByHand(s)
	twin := schedule.Requested(s)
	twin.Name, twin.Annotations, twin.OwnerReferences = first.Name+"-copy", w.Get(first).Annotations, first.OwnerReferences
	w.Clock.Pass(time.Minute)
	w.end(harness.Create(w.World, twin), metav1.ConditionTrue, 100)
	w.untilPointsOf(s, first, twin)
}

// Where no benchmark is marked, one that is older than all of a history that has dropped points has left its own.
// Nothing is said where that may not be so.
func TestUnmarkedSince(t *testing.T) {
	noon := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	marked := v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{UID: "a", Annotations: map[string]string{v1alpha1.AnnotationHistoryKept: "a"}}}
	dropped := []history.Point{{Sequence: 7, UID: "gone", Time: noon}}
	for name, row := range map[string]struct {
		points     []history.Point
		benchmarks []v1alpha1.StorageBenchmark
		want       time.Time
	}{
		"none is marked":               {dropped, []v1alpha1.StorageBenchmark{{ObjectMeta: metav1.ObjectMeta{UID: "a"}}}, noon},
		"none of the history is there": {dropped, nil, noon},
		"one is marked":                {dropped, []v1alpha1.StorageBenchmark{marked}, time.Time{}},
		"nothing was dropped":          {[]history.Point{{Sequence: 1, Time: noon}}, nil, time.Time{}},
		"its clock was ahead":          {[]history.Point{{Sequence: 7, Time: noon.AddDate(1, 0, 0)}}, nil, time.Time{}},
		"there is nothing":             {nil, nil, time.Time{}},
	} {
		p := &pass{schedule: &v1alpha1.StorageBenchmarkSchedule{}, memory: &memory{}, benchmarks: row.benchmarks, now: noon.Add(time.Hour)}
		if got := unmarkedSince(p, &history.History{Points: row.points}); !got.Equal(row.want) {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

// What a policy kept from being marked for a while is marked before its point is dropped.
func TestMarkedBeforeItsPointIsDropped(t *testing.T) {
	w := newWorld(t)
	stop := w.startOperator()
	s := w.createByHand(2)
	first, second := w.measureByHand(s), w.measureByHand(s)
	w.unmark(first)
	third := w.measureByHand(s)
	w.untilPointsOf(s, second, third)
	if marked := w.Get(first).Annotations[v1alpha1.AnnotationHistoryKept]; marked != string(first.UID) {
		t.Errorf("the first one is marked %q", marked)
	}
	w.restarted(s, stop)
	fourth := w.measureByHand(s)
	w.untilPointsOf(s, third, fourth)
}
