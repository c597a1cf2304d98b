package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// The status holds the whole comparison: each case on each target, how they are beside the baseline, what held
// them back, and what may mislead.
func TestComparison(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		report := builder.Report()
		report.Environment = digest.Environment{CPUMillis: 2000, Periods: 100, ThrottledPeriods: 7}
		if pod.Labels[v1alpha1.LabelTarget] == "slow" {
			report.Groups[0].Of(v1alpha1.OperationRead).MilliIOPS = 1_500_000
		}
		return fakecluster.Succeed(report)
	})
	fast, slow := builder.NewTarget("fast"), builder.NewTarget("slow")
	fast.Limits = &v1alpha1.Limits{IOPS: new(int64(3000))}
	workload := builder.NewDirectWorkload("reads")
	workload.Matrix = map[string]v1alpha1.MatrixValues{"iodepth": {intstr.FromInt32(1), intstr.FromString("4")}}
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(slow).Target(fast).Workload(workload).With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Repetitions, sb.Spec.Baseline = new(int32(4)), new("fast")
	}).Build())

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "16 runs on 2 targets")

	type row struct {
		Parameters    map[string]string
		Target, Ratio string
		Verdict       v1alpha1.Verdict
		Runs          int32
	}
	var rows []row
	for _, c := range sb.Status.Comparisons {
		for _, target := range c.Targets {
			rows = append(rows, row{c.Parameters, target.Name, target.Of(v1alpha1.OperationRead).MilliIOPS.Ratio, target.Of(v1alpha1.OperationRead).Verdict(), target.Runs})
		}
	}
	one, four := map[string]string{"iodepth": "1"}, map[string]string{"iodepth": "4"}
	want := []row{
		{one, "slow", "0.49", v1alpha1.VerdictSlower, 4}, {one, "fast", "", "", 4},
		{four, "slow", "0.49", v1alpha1.VerdictSlower, 4}, {four, "fast", "", "", 4},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("comparisons (-want +got):\n%s", diff)
	}
	for _, run := range sb.Status.Runs {
		bound, throttled := v1alpha1.BoundUnknown, run.Result.CPU.ThrottledPercent
		if run.Target == "fast" {
			bound = v1alpha1.BoundVolumeIOPS
		}
		if run.LimitedBy == nil || run.LimitedBy.Reason != bound || throttled == nil || *throttled != 7 {
			t.Errorf("run %s is limited by %+v, and was throttled for %v", run.Name, run.LimitedBy, throttled)
		}
	}
	reasons := map[string]int32{}
	for _, warning := range sb.Status.Warnings {
		reasons[warning.Reason] = warning.Results
	}
	// The workload's engine waits for each I/O, so that an iodepth of 4 is ignored.
	expected := map[string]int32{v1alpha1.WarningCPUThrottled: 16, v1alpha1.WarningIODepthIgnored: 8}
	if diff := cmp.Diff(expected, reasons); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
