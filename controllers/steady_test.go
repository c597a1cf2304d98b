package controllers

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// steadyBenchmark is a benchmark of two workloads that are measured when they are steady.
func steadyBenchmark(namespace string) *v1alpha1.StorageBenchmark {
	b := builder.NewBenchmark(namespace, "sb").Target(builder.NewTarget("fast"))
	for _, name := range []string{"one", "two"} {
		workload := builder.NewWorkload(name)
		workload.Fio.RW, workload.Fio.RuntimeSeconds, workload.Fio.TimeBased = "randread", nil, nil
		workload.Until = &v1alpha1.Until{}
		b = b.Workload(workload)
	}
	return b.Build()
}

// steadyReport is what a runner reports of rounds.
func steadyReport(rounds ...int64) digest.Report {
	report := builder.Report()
	report.Steady = &digest.Steady{AfterMilliseconds: 212_000, Rounds: rounds}
	return report
}

// The runner is told until when to wait, and the status what came of it. It starts fio more than once, with other
// random offsets each time: so the job file has a seed to begin with, also without repetitions.
func TestSteadyState(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		measure := &pod.Spec.Containers[0]
		if pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleRun && !slices.Contains(measure.Args, "--until=60:10:20:3538:true:iops") {
			t.Errorf("arguments %v", measure.Args)
		}
		for _, v := range measure.Env {
			if v.Name == digest.JobFileVariable && !strings.Contains(v.Value, "\nrandseed=1\n") {
				t.Errorf("the job file has no seed:\n%s", v.Value)
			}
		}
		return fakecluster.Succeed(steadyReport(300, 310, 290, 300, 300))
	})
	sb := w.untilEnd(create(w, steadyBenchmark(w.Namespace)), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	for i := range sb.Status.Runs {
		s := sb.Status.Runs[i].Result.SteadyState
		if s == nil || !s.Attained || s.AfterSeconds != 212 || s.RangePercent != 7 {
			t.Errorf("run %s: %+v", sb.Status.Runs[i].Name, s)
		}
	}
}

func TestNotSteadyIsWarnedOf(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Succeed(steadyReport(300, 100, 290, 300, 300)))
	sb := w.untilEnd(create(w, steadyBenchmark(w.Namespace)), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	warned := slices.ContainsFunc(sb.Status.Warnings, func(w v1alpha1.WarningSummary) bool {
		return w.Reason == v1alpha1.WarningNotSteady && w.Results == 2 && strings.Contains(w.Message, "not steady after 212 s")
	})
	if !warned {
		t.Errorf("warnings are %+v", sb.Status.Warnings)
	}
}
