package controllers

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// passOver begins a pass over a benchmark, of which no earlier one has left anything. A clock that is not given stands still.
func passOver(r *Reconciler, sb *v1alpha1.StorageBenchmark) *pass {
	if r.Clock == nil {
		r.Clock = fakecluster.NewClock()
	}
	return r.newPass(sb, &memory{})
}

// failingPass begins a pass at noon, over a benchmark whose errors may go on for a minute, by an operator without a cluster.
func failingPass() *pass {
	p := passOver(&Reconciler{}, builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{StartSeconds: new(int32(60))}).Build())
	p.now = metav1.NewTime(noon)
	return p
}

// scopeOf returns what a pass at noon knows when it has read a benchmark, and nothing else.
func scopeOf(sb *v1alpha1.StorageBenchmark) *scope {
	return &scope{now: metav1.NewTime(noon), memory: &memory{}, plans: &planCache{}, sb: sb, before: sb.DeepCopy()}
}

// runsOf returns runs of target fast in the states.
func runsOf(states ...v1alpha1.RunState) []v1alpha1.Run {
	runs := make([]v1alpha1.Run, len(states))
	for i, state := range states {
		runs[i] = v1alpha1.Run{Name: string(rune('a' + i)), Target: "fast", State: state}
	}
	return runs
}

// at returns a time after noon.
func at(after time.Duration) *metav1.Time { return new(metav1.NewTime(noon.Add(after))) }

// later has the next pass made after a time.
func (s *scope) later(after time.Duration) { s.now = metav1.NewTime(s.now.Add(after)) }
