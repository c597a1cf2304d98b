package harness

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// End ends a benchmark as its operator does, where that does not work: with a rate of reads, or with no result if that is 0.
func End(w *World, sb *v1alpha1.StorageBenchmark, status metav1.ConditionStatus, iops int64) {
	w.Helper()
	ended := sb.DeepCopy()
	SetEnd(ended, metav1.NewTime(w.Clock.Now()), status, iops)
	if err := w.Client.Status().Patch(w.Context(), ended, client.MergeFrom(sb)); err != nil {
		w.Fatal(err)
	}
}

// SetEnd gives a benchmark the status of one that has ended.
func SetEnd(sb *v1alpha1.StorageBenchmark, at metav1.Time, status metav1.ConditionStatus, iops int64) {
	reason := v1alpha1.ReasonCompleted
	if status != metav1.ConditionTrue {
		reason = v1alpha1.ReasonRunFailed
	}
	sb.Status.StartTime, sb.Status.CompletionTime = &at, &at
	meta.SetStatusCondition(&sb.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: status, Reason: reason})
	if iops == 0 {
		return
	}
	sb.Status.Comparisons = []v1alpha1.Comparison{{Workload: sb.Spec.Workloads[0].Name, Targets: []v1alpha1.TargetComparison{{
		Name: sb.Spec.Targets[0].Name, Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead, MilliIOPS: &v1alpha1.Statistic{Median: 1000 * iops}}},
	}}}}
}
