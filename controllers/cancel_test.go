package controllers

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// TestCancel: a benchmark that is cancelled in its second run keeps the result of the first one, and leaves nothing
// behind. It cannot be taken back.
func TestCancel(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Annotations[v1alpha1.AnnotationRun] == "w.b" {
			return fakecluster.Hang(job.MeasureContainer)
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("a")).Target(builder.NewTarget("b")).
		Workload(builder.NewWorkload("w")).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring, "w.b")
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Cancel = new(true) })
	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonCancelled)
	if first, second := sb.Status.Runs[0], sb.Status.Runs[1]; first.Result == nil || second.Result != nil {
		t.Errorf("the runs have results %v and %v", first.Result, second.Result)
	}
	if left := w.jobs(); len(left) > 0 || sb.Status.Condition(v1alpha1.ConditionCleanedUp).Reason != v1alpha1.ReasonNothingLeft {
		t.Errorf("left are %d Jobs, %+v", len(left), sb.Status.Condition(v1alpha1.ConditionCleanedUp))
	}
	sb.Spec.Cancel = new(false)
	if err := w.Client.Update(t.Context(), sb); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.cancel") {
		t.Errorf("taking it back gives %v", err)
	}
}

// TestCancelBeforeTheBeginning: a benchmark that is suspended from the beginning can be cancelled, and has made nothing.
func TestCancelBeforeTheBeginning(t *testing.T) {
	w := newWorld(t)
	sb := builder.OneRun(w.Namespace, "sb").Build()
	sb.Spec.Suspend = new(true)
	sb = create(w, sb)
	w.untilStep(sb, v1alpha1.ReasonSuspended)
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Cancel = new(true) })
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonCancelled)
}
