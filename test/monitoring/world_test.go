package monitoring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers"
	"github.com/storagebench/storagebench/controllers/failing"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
	"github.com/storagebench/storagebench/controllers/schedule"
	"github.com/storagebench/storagebench/controllers/servertime"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/job"
	schedules "github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
	"github.com/storagebench/storagebench/test/harness"
	"github.com/storagebench/storagebench/test/prometheus"
)

func TestMain(m *testing.M) { envtest.Main(m) }

// testWorld is an operator in a namespace, and where its metrics are.
type testWorld struct {
	*harness.World
	address string
	results resultmetrics.Store
	failing failing.Objects
	// slow says that the storage is, and runs how many runs there were.
	slow atomic.Bool
	runs atomic.Int64
}

// ago is how far the operator's clock is behind: what it begins is late at once, as Prometheus counts.
const ago = 48 * time.Hour

func newWorld(t *testing.T) *testWorld {
	t.Helper()
	w := &testWorld{World: harness.New(t), address: prometheus.FreeAddress(t), results: resultmetrics.Store{Limit: resultmetrics.DefaultLimit}}
	w.Clock.Step(-ago)
	w.Cluster.OnPod(w.play)
	w.startOperator()
	return w
}

// play is how the pod of a benchmark ends.
func (w *testWorld) play(pod *corev1.Pod) fakecluster.Outcome {
	if strings.HasPrefix(pod.Labels[v1alpha1.LabelBenchmark], "stuck") {
		return fakecluster.Hang(job.MeasureContainer)
	}
	report := builder.Report()
	report.Groups[0].Of(v1alpha1.OperationRead).MilliIOPS += w.runs.Add(1) % 5 * 1_000 // each has figures of its own
	if w.slow.Load() {
		report.Groups[0].Of(v1alpha1.OperationRead).MilliIOPS /= 2
	}
	return fakecluster.Succeed(report)
}

// startOperator starts an operator that serves its metrics as the installed one does.
func (w *testWorld) startOperator() {
	w.Helper()
	way := envtest.OperatorConfig(w)
	offset := servertime.New(func(time.Duration) {})
	way.Wrap(offset.Wrap)
	world.SlimAnswers(way)
	mgr, err := ctrl.NewManager(way, ctrl.Options{
		Scheme: envtest.Scheme(),
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{w.Namespace: {}}, NewInformer: world.NewCaches(32 << 20).NewInformer,
		},
		Metrics:    metricsserver.Options{BindAddress: w.address},
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		w.Fatal(err)
	}
	metrics.Registry.MustRegister(controllers.NewActiveBenchmarks(mgr.GetCache()), &w.results, &w.failing, offset)
	benchmarks := &controllers.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Logs: w.readLog, Events: mgr.GetEventRecorder("storagebench"),
		Metrics: controllers.NewMetrics(metrics.Registry), Failing: &w.failing, Results: &w.results,
		Clock: w.Clock, Image: harness.Image(),
	}
	ofSchedules := &schedule.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Events: mgr.GetEventRecorder("storagebench"), Failing: &w.failing,
		Results: &w.results, Clock: w.Clock, Version: "test",
	}
	w.Run(mgr, errors.Join(schedule.Index(w.Context(), mgr), benchmarks.SetupWithManager(mgr), ofSchedules.SetupWithManager(mgr)))
}

// readLog stands for the kubelet, which has the logs. Its last line is always another one.
func (w *testWorld) readLog(context.Context, *corev1.Pod, *corev1.PodLogOptions) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(fmt.Sprintf("%s fio goes on", time.Unix(w.runs.Add(1), 0).UTC().Format(time.RFC3339Nano)))), nil
}

// schedule makes a schedule that expects too much.
func (w *testWorld) schedule() *v1alpha1.StorageBenchmarkSchedule {
	w.Helper()
	s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "nightly"}}
	s.Spec.Schedule = "@yearly"
	s.Spec.Template.Spec = w.benchmark("").Spec
	s.Spec.Template.Spec.Expectations = []v1alpha1.Expectation{{Metric: "read.iops", Min: new(intstr.FromInt32(100_000))}}
	return harness.Create(w.World, s)
}

// benchmark returns a benchmark that shares its node.
func (w *testWorld) benchmark(name string) *v1alpha1.StorageBenchmark {
	return builder.OneRun(w.Namespace, name).With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Placement = &v1alpha1.Placement{Isolation: v1alpha1.IsolationNone}
		sb.Spec.Deadlines = v1alpha1.Deadlines{RunCompletionSeconds: new(int32(3600)), CleanUpSeconds: new(int32(1))}
	}).Build()
}

// measure has so many benchmarks of a schedule measure, a minute after those before them.
func (w *testWorld) measure(s *v1alpha1.StorageBenchmarkSchedule, n int) {
	w.Helper()
	before := w.get(s).Status.History.Points
	w.Clock.Step(time.Minute)
	for range n {
		harness.Create(w.World, schedules.Requested(s))
	}
	w.Eventually(func() error {
		if got := w.get(s).Status.History.Points; got != before+int32(n) {
			return fmt.Errorf("the history has %d points, want %d and %d more", got, before, n)
		}
		return nil
	})
}

func (w *testWorld) get(s *v1alpha1.StorageBenchmarkSchedule) *v1alpha1.StorageBenchmarkSchedule {
	w.Helper()
	current := &v1alpha1.StorageBenchmarkSchedule{}
	if err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(s), current); err != nil {
		w.Fatal(err)
	}
	return current
}

// regress has storage become slower for good.
func (w *testWorld) regress(s *v1alpha1.StorageBenchmarkSchedule) {
	w.Helper()
	w.measure(s, 10)
	w.slow.Store(true)
	w.measure(s, 4)
	w.slow.Store(false)
	w.Eventually(func() error {
		if current := w.get(s); !meta.IsStatusConditionTrue(current.Status.Conditions, v1alpha1.ConditionRegressed) {
			return fmt.Errorf("conditions are %+v", current.Status.Conditions)
		}
		return nil
	})
}

// pokeAgain is how long the operator has until it is made to look again: its writes are refused where somebody else has written meanwhile, and its clock
// has to stay far behind.
const pokeAgain = 3 * time.Second

// leaveBehind has a benchmark end whose volume cannot be removed.
func (w *testWorld) leaveBehind() {
	w.Helper()
	w.Cluster.OnVolume(func(*corev1.PersistentVolume) bool { return false })
	sb := harness.Create(w.World, w.benchmark("dirty"))
	w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
		if c := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionSucceeded); c == nil || c.Reason != v1alpha1.ReasonCleaningUp {
			return errors.New("it does not clean up")
		}
		return nil
	})
	var poked time.Time
	w.Eventually(func() error {
		current := w.Get(sb)
		if current.Status.CompletionTime != nil {
			return nil
		}
		if time.Since(poked) < pokeAgain {
			return errors.New("it still cleans up")
		}
		poked = time.Now()
		w.Clock.Step(time.Minute)
		metav1.SetMetaDataAnnotation(&current.ObjectMeta, "now", w.Clock.Now().String())
		return errors.Join(errors.New("it still cleans up"), w.Client.Update(w.Context(), current))
	})
	w.Cluster.OnVolume(func(*corev1.PersistentVolume) bool { return true })
}

// get stuck: a benchmark measures, and never ends.
func (w *testWorld) getStuck() {
	w.Helper()
	sb := harness.Create(w.World, w.benchmark("stuck"))
	w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
		if c := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionSucceeded); c == nil || c.Reason != v1alpha1.ReasonMeasuring {
			return errors.New("it does not measure")
		}
		return nil
	})
}

// obstruct makes a schedule whose history cannot be written: somebody else has a ConfigMap of its name.
func (w *testWorld) obstruct() {
	w.Helper()
	s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "obstructed"}}
	s.Spec.Schedule = "@yearly"
	s.Spec.Template.Spec = w.benchmark("").Spec
	harness.Create(w.World, s)
	foreign := metav1.ObjectMeta{Namespace: w.Namespace, Name: schedules.HistoryName(s, 0)}
	harness.Create(w.World, &corev1.ConfigMap{ObjectMeta: foreign})
	harness.Create(w.World, schedules.Requested(s))
}

// neglect serves a schedule that should have measured long ago, as an operator does whose schedules cannot measure.
func (w *testWorld) neglect() {
	s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "forgotten", CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))}}
	w.results.SetSchedule(s, time.Minute)
}

// mistake makes a schedule that is never due: its user was not told when it was applied.
func (w *testWorld) mistake() {
	w.Helper()
	s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "never"}}
	s.Spec.Schedule = "0 0 31 2 *"
	s.Spec.Template.Spec = w.benchmark("").Spec
	harness.Create(w.World, s)
}
