package controllers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
	"github.com/storagebench/storagebench/controllers/turns"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/gitops"
	"github.com/storagebench/storagebench/test/harness"
)

func TestMain(m *testing.M) { envtest.Main(m) }

// slowness is how much longer than it has to a test takes on a slow machine: as long as it is patient, and shorter than
// the deadlines that benchmarks have unless they say so.
const slowness = await.Patience

// testWorld is a namespace with a cluster that plays along and an operator that works on it.
type testWorld struct {
	*harness.World
	// registry has the metrics of the operators.
	registry *prometheus.Registry
	metrics  *Metrics
	results  *resultmetrics.Store
	// cached is how many bytes the operator's caches may take.
	cached int64
	// turns are those of the operator that was started last.
	turns *turns.Turns
	// silent are the pods whose logs get no new lines.
	silent sync.Map
	// endOfLogs is a text that all logs end with.
	endOfLogs atomic.Value
	lines     atomic.Int64
	// unreadable says that the kubelet gives no logs, and asked how often it was asked for the last line of one.
	unreadable atomic.Bool
	asked      atomic.Int64
}

// newWorld makes a namespace, a cluster and an operator for a test, which runs beside others.
func newWorld(t *testing.T) *testWorld {
	t.Helper()
	w := newWorldWithoutOperator(t)
	w.startOperator()
	t.Cleanup(func() {
		if n := valuesOf(t, w.registry)["storagebench_foreign_status_writes_total"]; n > 0 {
			t.Errorf("the only operator has taken %v of its own writes for another one's", n)
		}
	})
	return w
}

// newSlowWorld is what newWorld is on a machine on which all takes long: the API server, whose time is the machine's,
// is ahead.
func newSlowWorld(t *testing.T) *testWorld {
	t.Helper()
	w := newWorldWithoutOperator(t)
	w.Clock.Step(-slowness)
	w.startOperator()
	return w
}

// pass lets time pass, also since what the API server has stamped, and has the operator look at a benchmark. The
// operator may have looked by itself since time has passed, and then the benchmark may be gone.
func (w *testWorld) pass(sb *v1alpha1.StorageBenchmark, d time.Duration) {
	w.Helper()
	w.Clock.Pass(d)
	now := w.Clock.Now().String()
	w.Eventually(func() error {
		current := &v1alpha1.StorageBenchmark{}
		err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(sb), current)
		if err == nil {
			metav1.SetMetaDataAnnotation(&current.ObjectMeta, "now", now)
			err = w.Client.Update(w.Context(), current)
		}
		return client.IgnoreNotFound(err)
	})
}

// passUntil lets time pass for the operator, step by step, until the check has nothing to say against what it sees.
// Between steps the operator has time for its passes, which an update of the benchmark outdates.
func (w *testWorld) passUntil(d time.Duration, check func() error, benchmarks ...*v1alpha1.StorageBenchmark) {
	w.Helper()
	last, steps := time.Time{}, 0
	w.Eventually(func() error {
		err := check()
		interval := 500 * time.Millisecond
		if steps > 10 { // on a machine that has much else to do no pass may have come to its end
			interval = 3 * time.Second
		}
		if err == nil || time.Since(last) < interval {
			return err
		}
		steps++
		for _, sb := range benchmarks {
			w.pass(sb, d)
		}
		last = time.Now()
		return err
	})
}

func newWorldWithoutOperator(t *testing.T) *testWorld {
	t.Helper()
	t.Parallel()
	w := &testWorld{World: harness.New(t), registry: prometheus.NewRegistry(), cached: 32 << 20}
	w.Wait.Describe = w.describePods
	w.metrics, w.results = NewMetrics(w.registry), &resultmetrics.Store{Limit: resultmetrics.DefaultLimit}
	w.registry.MustRegister(w.results)
	t.Cleanup(w.explain)
	return w
}

// explain prints, where a test has failed, what users would see.
func (w *testWorld) explain() {
	if !w.Failed() {
		return
	}
	var list eventsv1.EventList
	if err := w.Client.List(context.Background(), &list, client.InNamespace(w.Namespace)); err != nil {
		w.Log(err)
	}
	for _, e := range list.Items {
		w.Logf("event %s %s %s about %s: %s", e.CreationTimestamp, e.Type, e.Reason, e.Regarding.Name, e.Note)
	}
}

// startOperator starts an operator, with no more rights than it has, and returns what ends it.
func (w *testWorld) startOperator() (stop func()) {
	w.Helper()
	return w.startOperatorWith(interceptor.Funcs{})
}

// startOperatorWith starts an operator that makes its live reads by the functions.
func (w *testWorld) startOperatorWith(funcs interceptor.Funcs) (stop func()) {
	w.Helper()
	return w.startOperatorAs(envtest.OperatorConfig(w), funcs)
}

// startOperatorAs starts an operator that reaches the API server by the config, confined to the namespaces.
func (w *testWorld) startOperatorAs(way *rest.Config, funcs interceptor.Funcs, namespaces ...string) (stop func()) {
	w.Helper()
	world.SlimAnswers(way)
	caches := world.NewCaches(w.cached)
	mgr, err := w.Manager(way, caches.NewInformer)
	if err != nil {
		w.Fatal(err)
	}
	live, err := client.NewWithWatch(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		w.Fatal(err)
	}
	reconciler := &Reconciler{
		Client:  mgr.GetClient(),
		Live:    interceptor.NewClient(live, funcs),
		Caches:  caches,
		Logs:    w.readLog,
		Events:  mgr.GetEventRecorder("storagebench"),
		Metrics: w.metrics,
		Results: w.results,
		Clock:   w.Clock,
		Image:   harness.Image(),

		Namespaces: namespaces,
	}
	w.turns = &reconciler.turns
	return w.Run(mgr, reconciler.SetupWithManager(mgr))
}

// readLog stands for the kubelet, which has the logs. The last line of those that are not silent is always another, and
// tells of those that lay out files before they measure which of it they are at.
func (w *testWorld) readLog(ctx context.Context, cached *corev1.Pod, options *corev1.PodLogOptions) (io.ReadCloser, error) {
	if options.Timestamps {
		w.asked.Add(1)
	}
	if w.unreadable.Load() {
		return nil, errors.New("the kubelet does not answer")
	}
	pod := &corev1.Pod{} // a kubelet has all of it
	if err := w.Client.Get(ctx, client.ObjectKeyFromObject(cached), pod); err != nil {
		return nil, err
	}
	text := "log of " + options.Container + " of " + pod.Name
	if w.Cluster.LaysOut(pod) {
		text = digest.LayoutPrefix + text
	}
	if end, ok := w.endOfLogs.Load().(string); ok && !options.Timestamps {
		text += "\n" + end
	}
	if options.Timestamps {
		second := int64(0)
		if _, silent := w.silent.Load(pod.Name); !silent {
			second = w.lines.Add(1)
		}
		text = time.Unix(second, 0).UTC().Format(time.RFC3339Nano) + " " + text
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// create creates an object and returns it as the API server has it.
func create[T client.Object](w *testWorld, object T) T {
	w.Helper()
	return harness.Create(w.World, object)
}

// untilStep waits until the benchmark is at a step, and the message of that has the words.
func (w *testWorld) untilStep(sb *v1alpha1.StorageBenchmark, reason string, words ...string) *v1alpha1.StorageBenchmark {
	w.Helper()
	at := w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
		return matches(sb, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, reason, words...)
	})
	if err := gitops.Expect(at); err != nil {
		w.Error(err)
	}
	return at
}

// untilEnd waits for the end of the benchmark, and checks that it is the given one.
func (w *testWorld) untilEnd(sb *v1alpha1.StorageBenchmark, status metav1.ConditionStatus, reason string, words ...string) *v1alpha1.StorageBenchmark {
	w.Helper()
	ended := w.UntilEnded(sb)
	if err := matches(ended, v1alpha1.ConditionSucceeded, status, reason, words...); err != nil {
		w.Fatalf("%v, with conditions %s and runs %+v", err, harness.Conditions(ended), ended.Status.Runs)
	}
	if ended.Status.CompletionTime == nil {
		w.Error("a benchmark that has ended has no completionTime")
	}
	if ended.Status.ObservedGeneration != ended.Generation {
		w.Errorf("status.observedGeneration is %d at generation %d", ended.Status.ObservedGeneration, ended.Generation)
	}
	if err := gitops.Expect(ended); err != nil {
		w.Error(err)
	}
	return ended
}

// matches says what of a condition is not as it should be.
func matches(sb *v1alpha1.StorageBenchmark, kind string, status metav1.ConditionStatus, reason string, words ...string) error {
	c := meta.FindStatusCondition(sb.Status.Conditions, kind)
	if c == nil {
		return fmt.Errorf("no condition %s", kind)
	}
	if c.Status != status || c.Reason != reason {
		return fmt.Errorf("condition %s is %s %s (%s), want %s %s", kind, c.Status, c.Reason, c.Message, status, reason)
	}
	for _, word := range words {
		if !strings.Contains(c.Message, word) {
			return fmt.Errorf("message of condition %s %q lacks %q", kind, c.Message, word)
		}
	}
	return nil
}

// update changes a benchmark's spec or metadata.
func (w *testWorld) update(sb *v1alpha1.StorageBenchmark, change func(*v1alpha1.StorageBenchmark)) {
	w.Helper()
	w.Eventually(func() error {
		current := w.Get(sb)
		change(current)
		return w.Client.Update(w.Context(), current)
	})
}

func (w *testWorld) delete(object client.Object, options ...client.DeleteOption) {
	w.Helper()
	if err := w.Client.Delete(w.Context(), object, options...); err != nil {
		w.Fatal(err)
	}
}

// gone returns an error as long as the object exists.
func (w *testWorld) gone(object client.Object) error {
	err := w.Client.Get(w.Context(), client.ObjectKeyFromObject(object), object)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%T %s is still there", object, object.GetName())
}

// untilGone waits until a benchmark is gone, and checks that all that was made for it went before.
func (w *testWorld) untilGone(sb *v1alpha1.StorageBenchmark) {
	w.Helper()
	w.Eventually(func() error { return w.gone(sb.DeepCopy()) })
	if left := w.children(); len(left) > 0 {
		w.Errorf("the benchmark is gone, but not %s", strings.Join(left, ", "))
	}
	// These are left to the garbage collector.
	w.Eventually(func() error {
		if left := w.configMaps(); len(left) > 0 {
			return fmt.Errorf("ConfigMap %s is left", left[0].Name)
		}
		return nil
	})
}

// children returns Jobs, pods, claims, volumes and StorageClasses that were made by the operator or for it.
func (w *testWorld) children() []string {
	w.Helper()
	var found []string
	for _, j := range w.jobs() {
		found = append(found, "Job "+j.Name)
	}
	for _, p := range w.pods() {
		found = append(found, "pod "+p.Name)
	}
	for _, c := range w.claims() {
		found = append(found, "claim "+c.Name)
	}
	for _, v := range w.volumes() {
		found = append(found, "volume "+v.Name)
	}
	for _, c := range w.classes() {
		found = append(found, "StorageClass "+c.Name)
	}
	return found
}

// classes returns the StorageClasses that were made by the operator.
func (w *testWorld) classes() []storagev1.StorageClass {
	w.Helper()
	var list storagev1.StorageClassList
	w.list(&list, client.MatchingLabels{v1alpha1.LabelNamespace: w.Namespace})
	return list.Items
}

func (w *testWorld) list(list client.ObjectList, options ...client.ListOption) {
	w.Helper()
	if err := w.Client.List(w.Context(), list, options...); err != nil {
		w.Fatal(err)
	}
}

func (w *testWorld) mine() []client.ListOption {
	return []client.ListOption{client.InNamespace(w.Namespace), client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}}
}

func (w *testWorld) jobs() []batchv1.Job {
	w.Helper()
	var list batchv1.JobList
	w.list(&list, w.mine()...)
	return list.Items
}

func (w *testWorld) pods() []corev1.Pod {
	w.Helper()
	var list corev1.PodList
	w.list(&list, w.mine()...)
	return list.Items
}

// runPods returns the pods that measure, and anchors those that hold nodes.
func (w *testWorld) runPods() []corev1.Pod { return w.podsOf(v1alpha1.RoleRun) }
func (w *testWorld) anchors() []corev1.Pod { return w.podsOf(v1alpha1.RoleAnchor) }

func (w *testWorld) podsOf(role string) []corev1.Pod {
	w.Helper()
	return slices.DeleteFunc(w.pods(), func(pod corev1.Pod) bool { return pod.Labels[v1alpha1.LabelRole] != role })
}

func (w *testWorld) claims() []corev1.PersistentVolumeClaim {
	w.Helper()
	var list corev1.PersistentVolumeClaimList
	w.list(&list, w.mine()...)
	return list.Items
}

func (w *testWorld) configMaps() []corev1.ConfigMap {
	w.Helper()
	var list corev1.ConfigMapList
	w.list(&list, w.mine()...)
	return list.Items
}

func (w *testWorld) volumes() []corev1.PersistentVolume {
	w.Helper()
	var list corev1.PersistentVolumeList
	w.list(&list)
	var mine []corev1.PersistentVolume
	for _, volume := range list.Items {
		if volume.Spec.ClaimRef != nil && volume.Spec.ClaimRef.Namespace == w.Namespace {
			mine = append(mine, volume)
		}
	}
	return mine
}

func (w *testWorld) describePods() string {
	w.Helper()
	var texts []string
	for _, pod := range w.pods() {
		texts = append(texts, fmt.Sprintf("%s (deleted %v): %v", pod.Name, pod.DeletionTimestamp, pod.Status))
	}
	return "pods " + strings.Join(texts, " | ")
}

// hasEvent returns an error as long as there is no event of the reason whose note has the words.
func (w *testWorld) hasEvent(kind, reason string, words ...string) error {
	w.Helper()
	var list eventsv1.EventList
	w.list(&list, client.InNamespace(w.Namespace))
	var seen []string
	for _, e := range list.Items {
		if e.Type == kind && e.Reason == reason && containsAll(e.Note, words) {
			return nil
		}
		seen = append(seen, fmt.Sprintf("%s %s: %s", e.Type, e.Reason, e.Note))
	}
	return fmt.Errorf("no %s event %s with %q, but: %s", kind, reason, words, strings.Join(seen, " | "))
}

func containsAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

var (
	foreground = client.PropagationPolicy(metav1.DeletePropagationForeground)
	background = client.PropagationPolicy(metav1.DeletePropagationBackground)
)

// wantRun says what of the first run is not as it should be.
func wantRun(sb *v1alpha1.StorageBenchmark, state v1alpha1.RunState, attempts, disruptions int32) error {
	if len(sb.Status.Runs) == 0 {
		return errors.New("no run")
	}
	run := sb.Status.Runs[0]
	if run.State != state || run.Attempts != attempts || run.Disruptions != disruptions {
		return fmt.Errorf("run %s is %s with %d attempts and %d disruptions, want %s with %d and %d",
			run.Name, run.State, run.Attempts, run.Disruptions, state, attempts, disruptions)
	}
	return nil
}

// wantInitialized names a pod whose init container has not laid out the files yet.
func wantInitialized(pods []corev1.Pod, n int) error {
	if len(pods) != n {
		return fmt.Errorf("%d pods, want %d", len(pods), n)
	}
	for i := range pods {
		status := pods[i].Status.InitContainerStatuses
		if len(status) != 1 || status[0].State.Terminated == nil {
			return fmt.Errorf("pod %s has not initialized: %+v", pods[i].Name, pods[i].Status)
		}
	}
	return nil
}

// wantPods says why there is no pod, or none of which a container has begun.
func wantPods(pods []corev1.Pod, begun bool) error {
	if len(pods) != 1 || (begun && attempt.Began(&pods[0]).IsZero()) {
		return fmt.Errorf("pods are %+v", pods)
	}
	return nil
}
