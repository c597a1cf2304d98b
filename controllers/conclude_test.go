package controllers

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// How the runs ended is said in one sentence: which failed and why, or how long all took.
func TestSumUp(t *testing.T) {
	const done, failed = v1alpha1.RunSucceeded, v1alpha1.RunFailed
	for _, test := range []struct {
		name    string
		states  []v1alpha1.RunState
		message string // of each run that failed
		took    time.Duration
		targets int
		status  metav1.ConditionStatus
		reason  string
		want    string
	}{
		{"one run", []v1alpha1.RunState{done}, "", 90 * time.Second, 1, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "1 run on 1 target in 1m30s"},
		{"runs on targets", []v1alpha1.RunState{done, done, done}, "", 90*time.Minute + 600*time.Millisecond, 2, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "3 runs on 2 targets in 1h30m1s"},
		{"one failed", []v1alpha1.RunState{failed}, "fio: no space", 0, 1, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "1 of 1 run failed: a: fio: no space"},
		{"some failed", []v1alpha1.RunState{failed, done, failed}, "m", 0, 1, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "2 of 3 runs failed: a: m; c: m"},
		{
			"many words", []v1alpha1.RunState{failed, failed, failed, failed, failed}, strings.Repeat("w", maxRunMessage), 0, 1, metav1.ConditionFalse, v1alpha1.ReasonRunFailed,
			("5 of 5 runs failed: a: " + strings.Repeat("w", maxRunMessage) + "; b: " + strings.Repeat("w", maxRunMessage) + "; c: " + strings.Repeat("w", maxRunMessage) +
				"; d: " + strings.Repeat("w", maxRunMessage))[:maxConditionMessage-len("…")] + "…",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scopeOf(builder.OneRun("default", "sb").Build())
			s.sb.Status = v1alpha1.StorageBenchmarkStatus{
				StartTime: at(-test.took), PlannedRuns: int32(len(test.states)), Runs: runsOf(test.states...), Targets: make([]v1alpha1.TargetStatus, test.targets),
			}
			for i := range s.sb.Status.Runs {
				if s.sb.Status.Runs[i].State == failed {
					s.sb.Status.Runs[i].Message = test.message
				}
			}
			s.sumUp()
			if got := s.condition(v1alpha1.ConditionMeasured); got.Status != test.status || got.Reason != test.reason || got.Message != test.want {
				t.Errorf("%s %s %q, want %s %s %q", got.Status, got.Reason, got.Message, test.status, test.reason, test.want)
			}
		})
	}
}
