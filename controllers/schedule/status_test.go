package schedule

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/schedule"
)

// The status names those that are active, not more than there is room for, and keeps the last success, also when that
// is deleted.
func TestSummarize(t *testing.T) {
	noon := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	ended := func(status metav1.ConditionStatus, at time.Time) v1alpha1.StorageBenchmark {
		sb := v1alpha1.StorageBenchmark{}
		sb.Name, sb.Status.Conditions = at.Format(time.Kitchen), []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: status, Reason: "R", Message: "why"}}
		sb.Status.CompletionTime = new(metav1.NewTime(at))
		return sb
	}
	p := &pass{schedule: &v1alpha1.StorageBenchmarkSchedule{}, now: noon.Add(2 * time.Hour)}
	for i := range maxActive + 3 {
		p.benchmarks = append(p.benchmarks, v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("sb-", i)}})
	}
	p.benchmarks = append(p.benchmarks, ended(metav1.ConditionTrue, noon), ended(metav1.ConditionTrue, noon.Add(-time.Hour)), ended(metav1.ConditionFalse, noon.Add(time.Hour)))
	summarize(p)
	status := &p.schedule.Status
	if len(status.Active) != maxActive || status.ActiveBenchmarks != maxActive+3 || status.Active[0] != "sb-0" {
		t.Errorf("%d are named of %d: %v", len(status.Active), status.ActiveBenchmarks, status.Active)
	}
	if !status.LastSuccessfulTime.Time.Equal(noon) {
		t.Errorf("the last success was at %s", status.LastSuccessfulTime)
	}
	failed := &v1alpha1.ScheduleResult{Benchmark: "1:00PM", CompletionTime: metav1.NewTime(noon.Add(time.Hour)), Reason: "R", Message: "why"}
	if diff := cmp.Diff(failed, status.LastResult); diff != "" {
		t.Errorf("the last result (-want +got):\n%s", diff)
	}
	p.benchmarks = []v1alpha1.StorageBenchmark{ended(metav1.ConditionTrue, noon.Add(2*time.Hour))}
	summarize(p)
	if last := status.LastResult; last.Benchmark != "2:00PM" || last.Message != "" {
		t.Errorf("after a success the last result is %+v", last)
	}
	status.LastSuccessfulTime = new(metav1.NewTime(noon))
	p.benchmarks = nil
	summarize(p)
	if len(status.Active) > 0 || status.ActiveBenchmarks != 0 || !status.LastSuccessfulTime.Time.Equal(noon) {
		t.Errorf("without benchmarks the status is %+v", status)
	}
}

// A success of a clock that was ahead is the last one only until there is another one.
func TestSuccessOfAClockThatWasAhead(t *testing.T) {
	noon := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	p := &pass{schedule: &v1alpha1.StorageBenchmarkSchedule{}, now: noon}
	for _, step := range []struct{ ended, last time.Time }{
		{noon.AddDate(4, 0, 0), noon.AddDate(4, 0, 0)}, {noon.Add(-time.Hour), noon.Add(-time.Hour)}, {noon.AddDate(4, 0, 0), noon.Add(-time.Hour)},
		{noon.Add(time.Minute), noon.Add(time.Minute)}, {noon, noon.Add(time.Minute)}, // which is a clock that is a little ahead
	} {
		noteSuccess(p, new(metav1.NewTime(step.ended)))
		if last := p.schedule.Status.LastSuccessfulTime; !last.Time.Equal(step.last) {
			t.Errorf("after %s the last success was at %s, want %s", step.ended, last, step.last)
		}
	}
}

// Condition Scheduled says why nothing is made, or what is under way.
func TestNoteNext(t *testing.T) {
	active := []v1alpha1.StorageBenchmark{{}}
	for name, row := range map[string]struct {
		benchmarks []v1alpha1.StorageBenchmark
		suspend    bool
		decision   schedule.Start
		status     metav1.ConditionStatus
		reason     string
	}{
		"nothing is due":                   {nil, false, schedule.Start{}, metav1.ConditionTrue, v1alpha1.ReasonWaiting},
		"one is active":                    {active, false, schedule.Start{}, metav1.ConditionTrue, v1alpha1.ReasonActive},
		"one waits for another":            {active, false, schedule.Start{Waits: true}, metav1.ConditionTrue, v1alpha1.ReasonActive},
		"it is suspended":                  {nil, true, schedule.Start{}, metav1.ConditionFalse, v1alpha1.ReasonSuspended},
		"it is suspended and one is there": {active, true, schedule.Start{Waits: true}, metav1.ConditionFalse, v1alpha1.ReasonSuspended},
	} {
		p := &pass{schedule: &v1alpha1.StorageBenchmarkSchedule{}, benchmarks: row.benchmarks, memory: &memory{}}
		p.schedule.Spec.Suspend = &row.suspend
		noteNext(p, &row.decision)
		if c := p.schedule.Status.Conditions[0]; c.Status != row.status || c.Reason != row.reason || (c.Message != "") != (row.decision.Waits || row.suspend) {
			t.Errorf("%s: %s %s: %s", name, c.Status, c.Reason, c.Message)
		}
	}
}
