package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// Results are judged when no more runs are made, anew while a last one can still be taken, and never again after the
// end.
func TestJudge(t *testing.T) {
	const done, pending = v1alpha1.RunSucceeded, v1alpha1.RunPending
	const yes, no, unknown = metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown
	measured := metav1.Condition{Type: v1alpha1.ConditionMeasured, Status: no, Reason: v1alpha1.ReasonDeadlineExceeded}
	told := metav1.Condition{Type: v1alpha1.ConditionExpectationsMet, Status: unknown, Reason: v1alpha1.ReasonNotMeasured, Message: "before"}
	ended := metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: no, Reason: v1alpha1.ReasonDeadlineExceeded}
	for _, test := range []struct {
		name   string
		least  string // IOPS that are expected
		state  v1alpha1.RunState
		before []metav1.Condition
		now    []metav1.Condition
		status metav1.ConditionStatus
		reason string
	}{
		{"more runs are made", "1", done, nil, nil, "", ""},
		{"nothing is expected", "", done, nil, []metav1.Condition{measured}, "", ""},
		{"met", "1", done, nil, []metav1.Condition{measured}, yes, v1alpha1.ReasonAllMet},
		{"not met", "999999999", done, nil, []metav1.Condition{measured}, no, v1alpha1.ReasonNotMet},
		{"not measured", "1", pending, nil, []metav1.Condition{measured}, unknown, v1alpha1.ReasonNotMeasured},
		{"a last result was taken", "1", done, []metav1.Condition{measured, told}, nil, yes, v1alpha1.ReasonAllMet},
		{"it ends before any run", "1", pending, nil, []metav1.Condition{ended}, unknown, v1alpha1.ReasonNotMeasured},
		{"it had ended", "1", done, []metav1.Condition{measured, told, ended}, nil, unknown, v1alpha1.ReasonNotMeasured},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := builder.OneRun("default", "sb").Build()
			if test.least != "" {
				sb.Spec.Expectations = []v1alpha1.Expectation{{Metric: "total.iops", Min: new(intstr.FromString(test.least))}}
			}
			sb.Status.Conditions = test.before
			s := writerOf(sb)
			s.SB.Status.Conditions = append(s.SB.Status.Conditions, test.now...)
			run := v1alpha1.Run{Name: "a", Target: sb.Spec.Targets[0].Name, Workload: sb.Spec.Workloads[0].Name, State: test.state}
			if test.state == done {
				run.Result = builder.Result()
			}
			s.SB.Status.Runs = []v1alpha1.Run{run}
			judge(s)
			if got := s.SB.Status.Condition(v1alpha1.ConditionExpectationsMet); got.Status != test.status || got.Reason != test.reason {
				t.Errorf("condition is %+v, want %s %s", got, test.status, test.reason)
			}
		})
	}
}

// A preset is what its version says, which the status names. What it expects is judged beside what the spec does.
func TestPresetIsRecordedAndJudged(t *testing.T) {
	w := newWorld(t)
	report := builder.Report()
	group := &report.Groups[0]
	group.Figures = []digest.Figures{builder.Figures(v1alpha1.OperationWrite), builder.Figures(v1alpha1.OperationSync)}
	w.Cluster.AllPods(fakecluster.Succeed(report))
	roomy := builder.NewTarget("fast")
	roomy.Capacity = new(resource.MustParse("2Gi"))
	sb := builder.NewBenchmark(w.Namespace, "sb").Target(roomy).Workload(v1alpha1.Workload{Name: "log", Preset: new("etcd")}).Build()
	sb.Spec.Expectations = []v1alpha1.Expectation{{Metric: "write.iops", Min: new(intstr.FromInt32(5000))}}

	sb = w.untilEnd(create(w, sb), metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	if diff := cmp.Diff([]v1alpha1.PresetVersion{"etcd.v2"}, sb.Status.Presets); diff != "" {
		t.Errorf("presets (-want +got):\n%s", diff)
	}
	if err := matches(sb, v1alpha1.ConditionExpectationsMet, metav1.ConditionFalse, v1alpha1.ReasonNotMet, "1 of 2 expectations not met: log on fast: write IOPS 3048, expected at least 5000"); err != nil {
		t.Error(err)
	}
	if sb.Status.Expected != "1 of 2 missed" || int(sb.Status.WarningCount) != len(sb.Status.Warnings) {
		t.Errorf("the columns are %q and %d of %d warnings", sb.Status.Expected, sb.Status.WarningCount, len(sb.Status.Warnings))
	}
}
