package controllers

import (
	"fmt"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
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

// Two operators that work on the same benchmarks get in each other's way, but no benchmark fails, measures twice or leaves a volume.
func TestTwoOperators(t *testing.T) {
	w := newWorldWithoutOperator(t)
	measured := &podCount{}
	w.Cluster.OnPod(measured.Succeed)
	w.startOperator()
	w.startOperator()
	var benchmarks []*v1alpha1.StorageBenchmark
	for i := range 10 {
		of := builder.OneRun(w.Namespace, fmt.Sprintf("sb-%d", i))
		if i%5 == 0 { // with anchors
			of = of.With(func(sb *v1alpha1.StorageBenchmark) {
				sb.Spec.Clients, sb.Spec.Repetitions = new(int32(2)), new(int32(2))
			})
		}
		benchmarks = append(benchmarks, create(w, of.Build()))
	}

	for _, sb := range benchmarks {
		sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		want := 0
		for i := range sb.Status.Runs {
			run := &sb.Status.Runs[i]
			want += int(run.ClientCount())
			if run.State != v1alpha1.RunSucceeded || run.Attempts != 1 {
				t.Errorf("%s: run %+v", sb.Name, run)
			}
		}
		if got := measured.Of(sb); got != want {
			t.Errorf("%d pods of %s have measured, want %d", got, sb.Name, want)
		}
	}
	if err := w.hasEvent(corev1.EventTypeWarning, SecondOperator, "kubectl get leases -A"); err != nil {
		t.Error(err)
	}
	if valuesOf(t, w.registry)["storagebench_foreign_status_writes_total"] == 0 {
		t.Error("no metric tells of the other operator")
	}
	w.Eventually(func() error {
		if left := w.volumes(); len(left) > 0 {
			return fmt.Errorf("%d volumes are left, among them %s", len(left), left[0].Name)
		}
		return nil
	})
}
