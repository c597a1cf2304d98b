package controllers

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/test/builder"
)

// Users are told once of what has changed: steps, ended and repeated runs, errors that go on, and the outcome.
func TestNotify(t *testing.T) {
	const unknown, yes, no = metav1.ConditionUnknown, metav1.ConditionTrue, metav1.ConditionFalse
	step := func(status metav1.ConditionStatus, reason, message string) v1alpha1.StorageBenchmarkStatus {
		return v1alpha1.StorageBenchmarkStatus{Conditions: []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: status, Reason: reason, Message: message}}}
	}
	retrying := func(message string) v1alpha1.StorageBenchmarkStatus {
		return v1alpha1.StorageBenchmarkStatus{Conditions: []metav1.Condition{{Type: v1alpha1.ConditionRetrying, Status: yes, Reason: v1alpha1.ReasonError, Message: message}}}
	}
	run := func(state v1alpha1.RunState, disruptions int32, message string) v1alpha1.StorageBenchmarkStatus {
		return v1alpha1.StorageBenchmarkStatus{Runs: []v1alpha1.Run{{Name: "a", State: state, Disruptions: disruptions, Message: message}}}
	}
	for _, test := range []struct {
		name          string
		before, after v1alpha1.StorageBenchmarkStatus
		want          []string
	}{
		{"nothing", v1alpha1.StorageBenchmarkStatus{}, v1alpha1.StorageBenchmarkStatus{}, nil},
		{"the first step", v1alpha1.StorageBenchmarkStatus{}, step(unknown, v1alpha1.ReasonPending, ""), []string{"Normal " + v1alpha1.ReasonPending + " " + v1alpha1.ReasonPending}},
		{"the next step", step(unknown, v1alpha1.ReasonPending, ""), step(unknown, v1alpha1.ReasonMeasuring, "run a"), []string{"Normal Measuring run a"}},
		{"other words", step(unknown, v1alpha1.ReasonMeasuring, "run a"), step(unknown, v1alpha1.ReasonMeasuring, "run b"), nil},
		{"success", step(unknown, v1alpha1.ReasonCleaningUp, "x"), step(yes, v1alpha1.ReasonCompleted, "1 run"), []string{"Normal Completed 1 run"}},
		{"failure", step(unknown, v1alpha1.ReasonCleaningUp, "x"), step(no, v1alpha1.ReasonRunFailed, "no space at 100%d"), []string{"Warning RunFailed no space at 100%d"}},
		{"the same reason, at the end", step(unknown, v1alpha1.ReasonRunFailed, ""), step(no, v1alpha1.ReasonRunFailed, "x"), []string{"Warning RunFailed x"}},
		{"errors", v1alpha1.StorageBenchmarkStatus{}, retrying("get node: no"), []string{"Warning Retrying get node: no"}},
		{"errors that go on", retrying("get node: no"), retrying("get node: never"), nil},
		{"no more errors", retrying("get node: no"), v1alpha1.StorageBenchmarkStatus{}, nil},
		{"a run begins", run(v1alpha1.RunPending, 0, ""), run(v1alpha1.RunRunning, 0, ""), nil},
		{"a run ends well", run(v1alpha1.RunRunning, 0, ""), run(v1alpha1.RunSucceeded, 0, ""), []string{"Normal RunSucceeded a"}},
		{"a run that was not in the status before", v1alpha1.StorageBenchmarkStatus{}, run(v1alpha1.RunSucceeded, 0, ""), []string{"Normal RunSucceeded a"}},
		{"a run fails", run(v1alpha1.RunRunning, 0, ""), run(v1alpha1.RunFailed, 0, "fio: 50%"), []string{"Warning RunFailed a: fio: 50%"}},
		{"a run is disrupted", run(v1alpha1.RunRunning, 1, ""), run(v1alpha1.RunPending, 2, "evicted"), []string{"Warning RunDisrupted a: evicted"}},
		{"disrupted too often", run(v1alpha1.RunRunning, 3, ""), run(v1alpha1.RunFailed, 4, "evicted"), []string{"Warning RunFailed a: evicted"}},
		{"a run that had failed", run(v1alpha1.RunFailed, 4, "m"), run(v1alpha1.RunFailed, 4, "m"), nil},
		{"many words", run(v1alpha1.RunRunning, 0, ""), run(v1alpha1.RunFailed, 0, strings.Repeat("w", humanize.MaxNote)), []string{"Warning RunFailed a: " + strings.Repeat("w", humanize.MaxNote-len("a: …")) + "…"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := builder.OneRun("default", "sb").Build(), builder.OneRun("default", "sb").Build()
			before.Status, after.Status = test.before, test.after
			recorder := events.NewFakeRecorder(8)
			notify(recorder, before, after)
			close(recorder.Events)
			var got []string
			for event := range recorder.Events {
				got = append(got, event)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("events %q, want %q", got, test.want)
			}
		})
	}
}
