package controllers

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/measure"
	"github.com/storagebench/storagebench/internal/plan"
)

// How the runs ended is written down in a write of its own, before anything is cleaned up.
func TestConclude(t *testing.T) {
	for name, test := range map[string]struct {
		state   v1alpha1.RunState
		status  metav1.ConditionStatus
		reason  string
		message string
	}{
		"well": {v1alpha1.RunSucceeded, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "1 run on 0 targets in 0s"},
		"not":  {v1alpha1.RunFailed, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "1 of 1 run failed: a: no space"},
	} {
		p := failingPass()
		p.SB.Status.StartTime, p.SB.Status.PlannedRuns, p.SB.Status.Runs = at(0), 1, runsOf(test.state)
		p.SB.Status.Runs[0].Message, p.SB.Status.Runs[0].Result = "no space", &v1alpha1.Result{}
		p.Runs = []plan.Run{{Name: p.SB.Status.Runs[0].Name}}
		out, err := measure.Conclude(t.Context(), p)
		got := p.SB.Status.Condition(v1alpha1.ConditionMeasured)
		if err != nil || !out.Saves || got.Status != test.status || got.Reason != test.reason || got.Message != test.message {
			t.Errorf("%s: %+v, %v, condition %+v", name, out, err, got)
		}
	}
}

// A run of the plan that the status does not have is an error, and not a benchmark that has completed.
func TestConcludeWithoutRuns(t *testing.T) {
	p := failingPass()
	p.SB.Status.StartTime, p.SB.Status.PlannedRuns = at(0), 1
	p.Runs = []plan.Run{{Name: "reads.fast"}}
	_, err := measure.Conclude(t.Context(), p)
	if err == nil || !strings.Contains(err.Error(), "no result of run reads.fast") || p.SB.Status.HasMeasured() {
		t.Errorf("%v, conditions %+v", err, p.SB.Status.Conditions)
	}
}

// When all runs have ended, the cases of a matrix judge each other: twice the jobs that do no more show a limit.
func TestConcludeJudgesMatrices(t *testing.T) {
	spec := v1alpha1.StorageBenchmarkSpec{
		Targets: []v1alpha1.Target{{Name: "t", EBS: &v1alpha1.EBSVolume{}}},
		Workloads: []v1alpha1.Workload{{
			Name: "w", Fio: &v1alpha1.FioParameters{RW: "randread", Size: new("1G")},
			Matrix: map[string]v1alpha1.MatrixValues{"numjobs": {intstr.FromInt32(1), intstr.FromInt32(2)}},
		}},
	}
	p := failingPass()
	planned, problems := plan.Runs(spec.Default(), nil)
	if len(problems) > 0 {
		t.Fatal(problems.ToAggregate())
	}
	p.Runs = planned
	p.SB.Status.StartTime, p.SB.Status.PlannedRuns, p.SB.Status.Runs = at(0), 2, nil
	for i := range planned {
		p.SB.Status.Runs = append(p.SB.Status.Runs, v1alpha1.Run{
			Name: planned[i].Name, Target: "t", Workload: "w", Parameters: planned[i].Parameters, State: v1alpha1.RunSucceeded,
			LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown},
			Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{
				{Name: v1alpha1.OperationRead, MilliIOPS: 3_000_000, BytesPerSecond: 3000 * 4096},
			}},
		})
	}
	if _, err := measure.Conclude(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for i := range p.SB.Status.Runs {
		if got := p.SB.Status.Runs[i].LimitedBy; got.Reason != v1alpha1.BoundStorage || got.Evidence != v1alpha1.EvidenceProbe {
			t.Errorf("%s: %+v", p.SB.Status.Runs[i].Name, got)
		}
	}
}
