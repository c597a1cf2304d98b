package controllers

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// podCount counts the pods that measure, by their benchmarks.
type podCount struct {
	mu  sync.Mutex
	all map[string]sets.Set[types.UID]
}

// Succeed has a pod succeed, and counts it.
func (c *podCount) Succeed(pod *corev1.Pod) fakecluster.Outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := pod.Labels[v1alpha1.LabelBenchmark]
	if c.all == nil {
		c.all = map[string]sets.Set[types.UID]{}
	}
	c.all[name] = sets.New(pod.UID).Union(c.all[name])
	return fakecluster.Succeed(builder.Report())
}

// Of returns how many pods of a benchmark have measured.
func (c *podCount) Of(sb *v1alpha1.StorageBenchmark) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[sb.Name].Len()
}

// sweepOften has orphans looked for all the time until the test ends, by an operator whose cache has not heard of any
// benchmark.
func (w *testWorld) sweepOften() {
	w.Helper()
	blind := interceptor.NewClient(w.Client, interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
			return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
		},
	})
	collector := &OrphanCollector{Client: blind, Live: w.Client, Metrics: w.metrics, Namespaces: []string{w.Namespace}}
	ctx, stop := context.WithCancel(w.Context())
	var sweeping sync.WaitGroup
	sweeping.Go(func() {
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			if err := collector.Sweep(ctx); err != nil && ctx.Err() == nil {
				w.Errorf("sweep: %v", err)
			}
		}, 10*time.Millisecond)
	})
	w.Cleanup(func() { stop(); sweeping.Wait() })
}

// Two operators that work on the same benchmarks get in each other's way, but no benchmark fails, measures twice or
// leaves a volume. Both report it. Neither takes what the other one has just made for orphans.
func TestTwoOperators(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]func(*testWorld){
		"both of the whole cluster": func(w *testWorld) { w.startOperator() },
		"one of a namespace": func(w *testWorld) {
			w.startOperatorAs(envtest.NamespacedOperatorConfig(w, w.Namespace), interceptor.Funcs{}, w.Namespace)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWithoutOperator(t)
			measured := &podCount{}
			w.Cluster.OnPod(measured.Succeed)
			w.startOperator()
			second(w)
			w.sweepOften()
			var benchmarks []*v1alpha1.StorageBenchmark
			for i := range 8 {
				of := builder.OneRun(w.Namespace, fmt.Sprintf("sb-%d", i))
				if i%4 == 0 { // with anchors
					of = of.With(func(sb *v1alpha1.StorageBenchmark) {
						sb.Spec.Clients, sb.Spec.Repetitions = new(int32(2)), new(int32(2))
					})
				}
				benchmarks = append(benchmarks, create(w, of.Build()))
			}

			for _, sb := range benchmarks {
				checkMeasuredOnce(w, sb, measured)
			}
			w.Eventually(func() error { return w.hasEvent(corev1.EventTypeWarning, pass.SecondOperator, "kubectl get leases -A") })
			values := valuesOf(t, w.registry)
			removed := values["storagebench_orphaned_objects_removed_total PersistentVolumeClaim"] +
				values["storagebench_orphaned_objects_removed_total Job"] + values["storagebench_orphaned_objects_removed_total Pod"]
			if values["storagebench_foreign_status_writes_total"] == 0 || removed > 0 {
				t.Errorf("metrics are %v", values)
			}
			w.Eventually(func() error {
				if left := w.volumes(); len(left) > 0 {
					return fmt.Errorf("%d volumes are left, among them %s", len(left), left[0].Name)
				}
				return nil
			})
		})
	}
}

// checkMeasuredOnce waits for the end of a benchmark, and checks that each client of each run has measured once.
func checkMeasuredOnce(w *testWorld, sb *v1alpha1.StorageBenchmark, measured *podCount) {
	w.Helper()
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	want := 0
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		want += int(run.ClientCount())
		if run.State != v1alpha1.RunSucceeded || run.Attempts != 1 {
			w.Errorf("%s: run %+v", sb.Name, run)
		}
	}
	if got := measured.Of(sb); got != want {
		w.Errorf("%d pods of %s have measured, want %d", got, sb.Name, want)
	}
}
