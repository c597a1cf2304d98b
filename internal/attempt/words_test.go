package attempt

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Users read which run it is, by how many clients, and which attempt, where there can be several.
func TestDescribeRun(t *testing.T) {
	const done, failed, running, pending = v1alpha1.RunSucceeded, v1alpha1.RunFailed, v1alpha1.RunRunning, v1alpha1.RunPending
	for want, test := range map[string]struct {
		states            []v1alpha1.RunState
		attempts, clients int32
	}{
		"run r (1 of 1)":                             {[]v1alpha1.RunState{running}, 1, 0},
		"run r (3 of 4)":                             {[]v1alpha1.RunState{done, failed, running, pending}, 1, 1},
		"run r (1 of 2) by 3 clients":                {[]v1alpha1.RunState{running, pending}, 1, 3},
		"run r (2 of 2), attempt 2":                  {[]v1alpha1.RunState{done, running}, 2, 1},
		"run r (2 of 2) by 100 clients, attempt 200": {[]v1alpha1.RunState{failed, running}, 200, 100},
	} {
		status := &v1alpha1.StorageBenchmarkStatus{PlannedRuns: int32(len(test.states)), Runs: runsOf(test.states...)}
		if got := DescribeRun(status, &v1alpha1.Run{Name: "r", Attempts: test.attempts, Clients: test.clients}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// How the runs ended is said in one sentence: which failed and why, or how long all took.
func TestSumUp(t *testing.T) {
	const done, failed = v1alpha1.RunSucceeded, v1alpha1.RunFailed
	for _, test := range []struct {
		name    string
		states  []v1alpha1.RunState
		message string // of each run that failed
		took    time.Duration
		targets int
		all     bool
		want    string
	}{
		{"one run", []v1alpha1.RunState{done}, "", 90 * time.Second, 1, true, "1 run on 1 target in 1m30s"},
		{"runs on targets", []v1alpha1.RunState{done, done, done}, "", 90*time.Minute + 600*time.Millisecond, 2, true, "3 runs on 2 targets in 1h30m1s"},
		{"one failed", []v1alpha1.RunState{failed}, "fio: no space", 0, 1, false, "1 of 1 run failed: a: fio: no space"},
		{"some failed", []v1alpha1.RunState{failed, done, failed}, "m", 0, 1, false, "2 of 3 runs failed: a: m; c: m"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status := &v1alpha1.StorageBenchmarkStatus{
				StartTime: new(metav1.NewTime(noon.Add(-test.took))), PlannedRuns: int32(len(test.states)), Runs: runsOf(test.states...), Targets: make([]v1alpha1.TargetStatus, test.targets),
			}
			for i := range status.Runs {
				if status.Runs[i].State == failed {
					status.Runs[i].Message = test.message
				}
			}
			if all, words := SumUp(status, noon); all != test.all || words != test.want {
				t.Errorf("all: %t, %q, want %t, %q", all, words, test.all, test.want)
			}
		})
	}
}

// runsOf returns runs of target fast in the states.
func runsOf(states ...v1alpha1.RunState) []v1alpha1.Run {
	runs := make([]v1alpha1.Run, len(states))
	for i, state := range states {
		runs[i] = v1alpha1.Run{Name: string(rune('a' + i)), Target: "fast", State: state}
	}
	return runs
}

// Users read what an anchor is, of which client where there are several, and which attempt.
func TestDescribeAnchor(t *testing.T) {
	for want, anchors := range map[string][]v1alpha1.Anchor{
		"the anchor (one pod that mounts all volumes)":                                             {{Attempts: 1}},
		"the anchor (one pod that mounts all volumes), attempt 2":                                  {{Attempts: 2}},
		"the anchor of client-0 (one of 2 pods: each mounts all volumes of its client)":            {{Attempts: 1}, {}},
		"the anchor of client-0 (one of 2 pods: each mounts all volumes of its client), attempt 7": {{Attempts: 7}, {}},
	} {
		if got := DescribeAnchor(&v1alpha1.StorageBenchmarkStatus{Anchors: anchors}, 0); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
