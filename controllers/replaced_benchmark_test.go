package controllers

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// replace does what "kubectl replace" does: the object becomes what the manifest says, which has a name and a spec.
func (w *testWorld) replace(manifest *v1alpha1.StorageBenchmark) {
	w.Helper()
	w.Eventually(func() error {
		replaced := manifest.DeepCopy()
		replaced.ResourceVersion = w.Get(manifest).ResourceVersion
		return w.Client.Update(w.Context(), replaced)
	})
}

// The finalizer of a benchmark that was replaced after its end comes back. When the benchmark is deleted, test files
// that were kept are removed, and an event names those that cannot be removed.
func TestReplacedAfterItsEnd(t *testing.T) {
	t.Parallel()
	for reason, policy := range map[string]v1alpha1.CleanupPolicy{
		v1alpha1.ReasonRetained: v1alpha1.CleanupRetain, v1alpha1.ReasonLeftBehind: v1alpha1.CleanupDelete,
	} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			w.claim("mine", corev1.PersistentVolumeFilesystem)
			var cleaned atomic.Int32
			w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
				if pod.Labels[v1alpha1.LabelRole] != v1alpha1.RoleCleanUp {
					return fakecluster.Succeed(builder.Report())
				}
				cleaned.Add(1)
				if reason == v1alpha1.ReasonLeftBehind {
					return fakecluster.FailCleanUp("remove test files: permission denied")
				}
				return fakecluster.Succeed(builder.Report())
			})
			manifest := builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewClaimTarget("t", "mine")).
				Workload(builder.NewWorkload("reads")).
				With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = policy }).Build()
			sb := create(w, manifest.DeepCopy())
			sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, reason); err != nil {
				t.Fatal(err)
			}

			w.replace(manifest)
			w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
				if !slices.Contains(sb.Finalizers, v1alpha1.Finalizer) {
					return errors.New("it has no finalizer")
				}
				return nil
			})
			w.delete(sb)
			w.Eventually(func() error { return w.gone(sb.DeepCopy()) })
			if cleaned.Load() == 0 {
				t.Error("no pod has removed the test files")
			}
			if reason == v1alpha1.ReasonLeftBehind {
				w.Eventually(func() error { return w.hasEvent(corev1.EventTypeWarning, reason, "on claim mine") })
			}
		})
	}
}
