package controllers

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// What is laid out before a run follows from the runs that have a result, on the volumes that are there now.
func TestLayoutBefore(t *testing.T) {
	const done, failed, pending, running = v1alpha1.RunSucceeded, v1alpha1.RunFailed, v1alpha1.RunPending, v1alpha1.RunRunning
	for _, test := range []struct {
		name string
		// states are those of the runs: of workload a on targets x and y, then of b. replaced is how many were made before the claim of x was
		// replaced, next the run to come.
		states   []v1alpha1.RunState
		replaced int32
		next     int
		lays     bool
	}{
		{"the first run", []v1alpha1.RunState{running, pending, pending, pending}, 0, 0, true},
		{"the first on another target", []v1alpha1.RunState{done, running, pending, pending}, 0, 1, true},
		{"the second", []v1alpha1.RunState{done, done, running, pending}, 0, 2, false},
		{"the second, after one that failed", []v1alpha1.RunState{failed, done, running, pending}, 0, 2, true},
		{"after the claim was replaced", []v1alpha1.RunState{done, done, running, pending}, 1, 2, true},
		{"on another target than the claim's", []v1alpha1.RunState{done, done, done, running}, 1, 3, false},
		{"all were made before", []v1alpha1.RunState{done, done, done, failed}, 4, 2, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("x")).Target(builder.NewTarget("y")).
				Workload(builder.NewWorkload("a")).Workload(builder.NewWorkload("b")).Build()
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "x", RunsBeforeReplacement: &test.replaced}, {Name: "y"}}
			for i, name := range []string{"a.x", "a.y", "b.x", "b.y"} {
				sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{Name: name, Target: name[2:], Attempts: 1, State: test.states[i]})
			}
			s := passOver(&Reconciler{}, sb)
			run := &sb.Status.Runs[test.next]
			planned, _ := s.planned(run)
			shares := s.layoutBefore(planned)
			text := s.layoutFile(planned, s.describeJob(run, planned, 0), shares)
			if lays := strings.Contains(text, "directory=/") && strings.Contains(text, "[a]") && strings.Contains(text, "[b]"); lays != test.lays || lays == (text == "") {
				t.Errorf("run %s lays out %q", run.Name, text)
			}
		})
	}
}
