package controllers

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/prepare"
	"github.com/storagebench/storagebench/test/builder"
)

// A benchmark that has the finalizer is pending at first, and then what the phases say. That its spec was seen is said
// of each version.
func TestAdmit(t *testing.T) {
	for _, reason := range []string{v1alpha1.ReasonPending, v1alpha1.ReasonMeasuring} {
		s := writerOf(builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) {
			sb.Finalizers, sb.Generation = []string{v1alpha1.Finalizer}, 7
		}).Build())
		if reason != v1alpha1.ReasonPending {
			s.Step(reason, "run a")
		}
		if out, err := prepare.Admit(t.Context(), s); err != nil || out != pass.GoOn() {
			t.Errorf("it goes on with %+v, %v", out, err)
		}
		if got := s.SB.Status.Condition(v1alpha1.ConditionSucceeded).Reason; got != reason || s.SB.Status.ObservedGeneration != 7 {
			t.Errorf("step is %s, want %s; generation %d", got, reason, s.SB.Status.ObservedGeneration)
		}
	}
}
