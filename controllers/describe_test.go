package controllers

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// A repetition has other random offsets than the one before it, and the same on all targets. A benchmark without repetitions has
// fio's own.
func TestRepetitionsHaveSeeds(t *testing.T) {
	for _, test := range []struct {
		repetitions int32
		seeds       map[string]string
	}{
		{1, map[string]string{"w.a": "", "w.b": ""}},
		{2, map[string]string{"w.a.1": "randseed=1", "w.b.1": "randseed=1", "w.a.2": "randseed=2", "w.b.2": "randseed=2"}},
	} {
		sb := builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("a")).Target(builder.NewTarget("b")).
			Workload(builder.NewWorkload("w")).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = &test.repetitions }).Build()
		s := passOver(&Reconciler{}, sb)
		for name, seed := range test.seeds {
			run := &v1alpha1.Run{Name: name, Attempts: 1}
			planned, known := s.planned(run)
			if !known {
				t.Fatalf("run %s is not planned", name)
			}
			text := s.describeJob(run, planned, 0).JobFile
			if got := strings.Contains(text, "randseed="); got != (seed != "") || !strings.Contains(text, seed) {
				t.Errorf("run %s of %d repetitions, want %q in\n%s", name, test.repetitions, seed, text)
			}
		}
	}
}
