package controllers

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// A sidecar that never exits, as a service mesh injects it, neither keeps test files from being removed nor the pods of
// finished runs from being deleted.
func TestSidecarThatNeverExits(t *testing.T) {
	for name, clients := range map[string]int32{"one client": 1, "two clients": 2} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
				if pod.Annotations[v1alpha1.AnnotationRun] == "writes.mine" {
					return fakecluster.Hang(job.MeasureContainer).BesideSidecar()
				}
				return fakecluster.Succeed(builder.Report()).BesideSidecar()
			})
			target, files := builder.NewTarget("mine"), v1alpha1.TestFilesState("")
			if clients == 1 {
				target = builder.NewClaimTarget("mine", w.claim("mine", corev1.PersistentVolumeFilesystem).Name)
				files = v1alpha1.TestFilesRemoved
			}
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(target).Workload(builder.NewWorkload("reads")).
				Workload(builder.NewWorkload("writes")).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = &clients }).Build())

			w.untilStep(sb, v1alpha1.ReasonMeasuring, "run writes.mine (2 of 2)")
			w.Eventually(func() error {
				if pods := w.runPods(); len(pods) != int(clients) {
					return fmt.Errorf("%d pods of runs, want those of the second run alone", len(pods))
				}
				return nil
			})
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()).BesideSidecar())
			ended := w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			if err := matches(ended, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft); err != nil {
				t.Error(err)
			}
			if got := ended.Status.Target("mine").TestFiles; got != files {
				t.Errorf("test files are %q, want %q", got, files)
			}
		})
	}
}

// Where the container that removes test files fails beside a sidecar, Kubernetes does not repeat it: the files are
// left.
func TestCleanUpThatFailsBesideASidecar(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleCleanUp {
			return fakecluster.FailCleanUp("read-only file system").BesideSidecar()
		}
		return fakecluster.Succeed(builder.Report()).BesideSidecar()
	})
	claim := w.claim("mine", corev1.PersistentVolumeFilesystem)
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewClaimTarget("mine", claim.Name)).
		Workload(builder.NewWorkload("reads")).Build())

	ended := w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if err := matches(ended, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, "on claim mine"); err != nil {
		t.Error(err)
	}
}

// Retain keeps the Jobs and pods of finished runs that have ended, and ends those that a sidecar keeps running.
func TestRetainBesideASidecar(t *testing.T) {
	for name, test := range map[string]struct {
		outcome fakecluster.Outcome
		want    int
	}{
		"ended":            {fakecluster.Succeed(builder.Report()), 2},
		"beside a sidecar": {fakecluster.Succeed(builder.Report()).BesideSidecar(), 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.AllPods(test.outcome)
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Workload(builder.NewWorkload("reads")).
				Workload(builder.NewWorkload("writes")).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain }).Build())

			w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			w.Eventually(func() error {
				if pods := w.runPods(); len(pods) != test.want {
					return errors.New(w.describePods())
				}
				return nil
			})
		})
	}
}
