package schedule

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/harness"
)

func TestMain(m *testing.M) { envtest.Main(m) }

// testWorld is a namespace with an operator that makes benchmarks as schedules say. Nobody runs them: the test says
// when they end.
type testWorld struct {
	*harness.World
	results resultmetrics.Store
}

func newWorld(t *testing.T) *testWorld {
	t.Helper()
	t.Parallel()
	return &testWorld{World: harness.New(t), results: resultmetrics.Store{Limit: resultmetrics.DefaultLimit}}
}

// startOperator starts an operator, with no more rights than it has, and returns what ends it.
func (w *testWorld) startOperator() (stop func()) {
	w.Helper()
	return w.startOperatorWith(envtest.OperatorConfig(w), func(*Reconciler) {})
}

// startOperatorWith starts one that is changed before it begins.
func (w *testWorld) startOperatorWith(way *rest.Config, change func(*Reconciler)) (stop func()) {
	w.Helper()
	mgr, err := w.Manager(way, world.NewCaches(32<<20).NewInformer)
	if err != nil {
		w.Fatal(err)
	}
	reconciler := &Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Events: mgr.GetEventRecorder("storagebench"), Results: &w.results, Clock: w.Clock, Version: "test",
	}
	change(reconciler)
	return w.Run(mgr, errors.Join(Index(w.Context(), mgr), reconciler.SetupWithManager(mgr)))
}

// create makes a schedule that is due each minute, with changes.
func (w *testWorld) create(changes ...func(*v1alpha1.StorageBenchmarkSchedule)) *v1alpha1.StorageBenchmarkSchedule {
	w.Helper()
	s := &v1alpha1.StorageBenchmarkSchedule{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "nightly"},
		Spec: v1alpha1.StorageBenchmarkScheduleSpec{
			Schedule: "* * * * *", Template: v1alpha1.StorageBenchmarkTemplate{Spec: builder.OneRun("", "").Build().Spec},
		},
	}
	for _, change := range changes {
		change(s)
	}
	return harness.Create(w.World, s)
}

// pass lets time pass, and has the operator look at a schedule.
func (w *testWorld) pass(s *v1alpha1.StorageBenchmarkSchedule, d time.Duration) {
	w.Helper()
	w.Clock.Pass(d)
	w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) {
		metav1.SetMetaDataAnnotation(&s.ObjectMeta, "now", w.Clock.Now().String())
	})
}

// change changes a schedule as its user does.
func (w *testWorld) change(s *v1alpha1.StorageBenchmarkSchedule, change func(*v1alpha1.StorageBenchmarkSchedule)) {
	w.Helper()
	w.Eventually(func() error {
		current := &v1alpha1.StorageBenchmarkSchedule{}
		if err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(s), current); err != nil {
			return err
		}
		change(current)
		return w.Client.Update(w.Context(), current)
	})
}

// until waits until a schedule is as the check wants it, and returns it.
func (w *testWorld) until(s *v1alpha1.StorageBenchmarkSchedule, check func(*v1alpha1.StorageBenchmarkSchedule) error) *v1alpha1.StorageBenchmarkSchedule {
	w.Helper()
	var current *v1alpha1.StorageBenchmarkSchedule
	w.Eventually(func() error {
		current = &v1alpha1.StorageBenchmarkSchedule{}
		if err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(s), current); err != nil {
			return err
		}
		if err := check(current); err != nil {
			return fmt.Errorf("%w, of %+v", err, current.Status)
		}
		return nil
	})
	return current
}

// untilCondition waits for a condition whose message has the words.
func (w *testWorld) untilCondition(s *v1alpha1.StorageBenchmarkSchedule, kind string, status metav1.ConditionStatus, reason string, words ...string) *v1alpha1.StorageBenchmarkSchedule {
	w.Helper()
	return w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		c := meta.FindStatusCondition(s.Status.Conditions, kind)
		if c == nil || c.Status != status || c.Reason != reason {
			return fmt.Errorf("condition %s is %+v, want %s %s", kind, c, status, reason)
		}
		for _, word := range words {
			if !strings.Contains(c.Message, word) {
				return fmt.Errorf("message %q has no %q", c.Message, word)
			}
		}
		return nil
	})
}

// list returns the names of the benchmarks that there are, the oldest first.
func (w *testWorld) list() ([]v1alpha1.StorageBenchmark, error) {
	var list v1alpha1.StorageBenchmarkList
	err := w.Client.List(w.Context(), &list, client.InNamespace(w.Namespace))
	return list.Items, err
}

// untilThere waits until there are so many benchmarks, and returns them.
func (w *testWorld) untilThere(n int) []v1alpha1.StorageBenchmark {
	w.Helper()
	var list []v1alpha1.StorageBenchmark
	w.Eventually(func() (err error) {
		if list, err = w.list(); err == nil && len(list) != n {
			return fmt.Errorf("there are %d benchmarks, want %d", len(list), n)
		}
		return err
	})
	return list
}

// end ends a benchmark with a result.
func (w *testWorld) end(sb *v1alpha1.StorageBenchmark, status metav1.ConditionStatus, iops int64) {
	w.Helper()
	harness.End(w.World, sb, status, iops)
}

// untilGone waits until a benchmark is deleted.
func (w *testWorld) untilGone(sb *v1alpha1.StorageBenchmark) {
	w.Helper()
	w.Eventually(func() error {
		err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(sb), &v1alpha1.StorageBenchmark{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New(sb.Name+" is there"), err)
	})
}
