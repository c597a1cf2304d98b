package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// A run that asks for a day by its own options has more than that, unless the spec says otherwise: then it has to be
// longer at first, and may be shortened to end the run.
func TestLongRuns(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Workloads[0].Fio.RuntimeSeconds = new(int32(86_400))
		sb.Spec.Deadlines.RunCompletionSeconds = new(int32(86_400))
	}).Build())
	refused := w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, "spec.deadlines.runCompletionSeconds", "86400 s by its own options", "spec.workloads[0].fio.runtimeSeconds")
	w.nothingWasMade(refused)

	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Deadlines.RunCompletionSeconds = nil })
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	w.pass(sb, 25*time.Hour)
	now := w.Get(sb)
	if run := now.Status.Runs[0]; run.State != v1alpha1.RunRunning {
		t.Fatalf("after 25 h the run is %s (%s)", run.State, run.Message)
	}

	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Deadlines.RunCompletionSeconds = new(int32(3600)) })
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "waited 3600 s for its end")
}
