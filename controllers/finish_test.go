package controllers

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/test/builder"
)

// A benchmark ends as its runs did, and says what it has left. That does not make a failure of a success.
func TestFinish(t *testing.T) {
	measured := func(status metav1.ConditionStatus, reason, message string) metav1.Condition {
		return metav1.Condition{Type: v1alpha1.ConditionMeasured, Status: status, Reason: reason, Message: message}
	}
	left := metav1.Condition{Type: v1alpha1.ConditionCleanedUp, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonLeftBehind, Message: "not removed within 60 s: claim c"}
	retained := metav1.Condition{Type: v1alpha1.ConditionCleanedUp, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonRetained, Message: "spec.cleanupPolicy is Retain"}
	for _, test := range []struct {
		name       string
		conditions []metav1.Condition
		status     metav1.ConditionStatus
		reason     string
		message    string
	}{
		{"all is well", []metav1.Condition{measured(metav1.ConditionTrue, v1alpha1.ReasonCompleted, "1 run")}, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "1 run"},
		{"something is left", []metav1.Condition{measured(metav1.ConditionTrue, v1alpha1.ReasonCompleted, "1 run"), left}, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "1 run; not removed within 60 s: claim c"},
		{"all is kept", []metav1.Condition{measured(metav1.ConditionTrue, v1alpha1.ReasonCompleted, "1 run"), retained}, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "1 run"},
		{"a run failed", []metav1.Condition{measured(metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "no"), left}, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "no; not removed within 60 s: claim c"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := writerOf(builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Status.Conditions = test.conditions }).Build())
			out, err := finish(t.Context(), s)
			if err != nil || out != pass.SaveFirst() {
				t.Errorf("it goes on with %+v, %v", out, err)
			}
			if err := matches(s.SB, v1alpha1.ConditionSucceeded, test.status, test.reason); err != nil || s.SB.Status.Condition(v1alpha1.ConditionSucceeded).Message != test.message {
				t.Errorf("%v: %q, want %q", err, s.SB.Status.Condition(v1alpha1.ConditionSucceeded).Message, test.message)
			}
			if end := s.SB.Status.CompletionTime; !end.Equal(&s.Now) {
				t.Errorf("completionTime is %s", end)
			}
		})
	}
}

// Who reads kubectl describe finds the answer in the message, and in the event that repeats it.
func TestFinishTellsTheAnswer(t *testing.T) {
	for _, test := range []struct {
		measured metav1.ConditionStatus
		change   func(*v1alpha1.StorageBenchmarkStatus)
		want     string
	}{
		{metav1.ConditionTrue, func(*v1alpha1.StorageBenchmarkStatus) {}, "4 runs"},
		{metav1.ConditionTrue, func(s *v1alpha1.StorageBenchmarkStatus) { s.Best = "gp3 3048 IOPS" }, "4 runs; best: gp3 3048 IOPS"},
		{metav1.ConditionTrue, func(s *v1alpha1.StorageBenchmarkStatus) {
			s.Best, s.Expected, s.WarningCount = "gp3 3048 IOPS", "2 of 5 missed", 1
		}, "4 runs; best: gp3 3048 IOPS; expectations: 2 of 5 missed; 1 warning"},
		{metav1.ConditionFalse, func(s *v1alpha1.StorageBenchmarkStatus) { s.Best = "gp3 3048 IOPS" }, "4 runs"},
	} {
		s := writerOf(builder.OneRun("default", "sb").Build())
		s.SB.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: test.measured, Reason: "R", Message: "4 runs"}}
		test.change(&s.SB.Status)
		if _, err := finish(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if got := s.SB.Status.Condition(v1alpha1.ConditionSucceeded).Message; got != test.want {
			t.Errorf("message %q, want %q", got, test.want)
		}
	}
}
