package controllers

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

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

// later has the next pass made after a time.
func (s *scope) later(after time.Duration) { s.now = metav1.NewTime(s.now.Add(after)) }
