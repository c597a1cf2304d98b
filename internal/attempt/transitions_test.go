package attempt

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// However often attempts end without a result, the status keeps the last ones, and cuts their messages.
func TestAbandonedAttemptsAreBounded(t *testing.T) {
	var status v1alpha1.StorageBenchmarkStatus
	run := &v1alpha1.Run{Name: "r", Target: "t"}
	for i := range maxAbandoned + 8 {
		run.Attempts = int32(i + 1)
		abandon(&status, run, v1alpha1.AbandonDisrupted, fmt.Sprint(i+1, strings.Repeat("m", 1000)), metav1.NewTime(noon))
	}
	attempts := status.AbandonedAttempts
	if len(attempts) != maxAbandoned || attempts[0].Attempt != 9 || attempts[maxAbandoned-1].Attempt != maxAbandoned+8 {
		t.Errorf("%d attempts are kept: %+v", len(attempts), attempts)
	}
	for _, attempt := range attempts {
		if len(attempt.Message) > maxAbandonedMessage {
			t.Errorf("a message of %d bytes", len(attempt.Message))
		}
	}
}

// A run was cut short if its last attempt was disrupted, so that its end was not seen.
func TestWasCutShort(t *testing.T) {
	const last = MaxDisruptions + 1
	for name, test := range map[string]struct {
		runs []v1alpha1.Run
		want bool
	}{
		"the first run":                  {[]v1alpha1.Run{{}, {}}, false},
		"after one that was disrupted":   {[]v1alpha1.Run{{Attempts: last, Disruptions: last}, {}}, true},
		"after one that was repeated":    {[]v1alpha1.Run{{Attempts: last, Disruptions: MaxDisruptions}, {}}, false},
		"after others since":             {[]v1alpha1.Run{{Attempts: last, Disruptions: last}, {Attempts: 1}, {}}, false},
		"after one that was not tried":   {[]v1alpha1.Run{{Attempts: last, Disruptions: last}, {State: v1alpha1.RunFailed}, {}}, true},
		"after some that were not tried": {[]v1alpha1.Run{{State: v1alpha1.RunFailed}, {State: v1alpha1.RunFailed}, {}}, false},
	} {
		if got := WasCutShort(test.runs); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// An attempt that was ended from outside is repeated, until so many were: then it is said why the run fails, and it stays as it is.
func TestDisrupt(t *testing.T) {
	now := metav1.NewTime(noon)
	status := &v1alpha1.StorageBenchmarkStatus{Targets: []v1alpha1.TargetStatus{{Name: "t", Volumes: []v1alpha1.VolumeStatus{{Node: "a"}}}}}
	run := &v1alpha1.Run{Name: "r", Target: "t"}
	for n := int32(1); n <= MaxDisruptions+1; n++ {
		BeginRun(run, noon)
		run.Job = "job"
		Disrupt(status, run, v1alpha1.AbandonDisrupted, "its node went away", now)
		state, words, job := v1alpha1.RunPending, fmt.Sprintf("attempt %d was disrupted and is repeated: its node went away", n), ""
		if n > MaxDisruptions {
			state, words, job = v1alpha1.RunFailed, "4 attempts were disrupted, the last one because its node went away", "job"
		}
		if run.State != state || run.Message != words || run.Job != job || run.Disruptions != n {
			t.Errorf("disruption %d: run %+v, want %s, %q, Job %q", n, run, state, words, job)
		}
	}
	last := status.AbandonedAttempts[MaxDisruptions]
	if last.Attempt != MaxDisruptions+1 || last.Node != "a" || last.Reason != v1alpha1.AbandonDisrupted || !last.CompletionTime.Equal(&now) {
		t.Errorf("the last attempt is kept as %+v", last)
	}
}

// A run that was suspended is repeated however often that is.
func TestSuspend(t *testing.T) {
	var status v1alpha1.StorageBenchmarkStatus
	run := &v1alpha1.Run{Name: "r", Target: "t"}
	for range MaxDisruptions + 2 {
		BeginRun(run, noon)
		Suspend(&status, run, metav1.NewTime(noon))
		if run.State != v1alpha1.RunPending || run.Disruptions != 0 || run.Message != "ended by spec.suspend, will be repeated" {
			t.Errorf("run %+v", run)
		}
	}
	if len(status.AbandonedAttempts) != MaxDisruptions+2 || status.AbandonedAttempts[0].Reason != v1alpha1.AbandonSuspended {
		t.Errorf("kept are %+v", status.AbandonedAttempts)
	}
}
