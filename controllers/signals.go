package controllers

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

// maxSignal bounds the message of a condition that repeats another one's, in bytes.
const maxSignal = 256

// signal sets the conditions by which other tools know how the benchmark stands. They follow from condition Succeeded, whose
// reason and message they repeat. Reconciling and Stalled are absent where they would be False, as kstatus has it:
// https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
func (s *writer) signal() {
	succeeded := s.sb.Status.Condition(v1alpha1.ConditionSucceeded)
	active := succeeded.Status == metav1.ConditionUnknown
	s.setSignal(v1alpha1.ConditionReconciling, active && succeeded.Reason != v1alpha1.ReasonSuspended, succeeded)
	s.setSignal(v1alpha1.ConditionStalled, succeeded.Status == metav1.ConditionFalse, succeeded)
	s.setSignal(v1alpha1.ConditionFinished, s.sb.Status.HasEnded(), succeeded)
}

// setSignal sets a condition to True with another one's words, or removes it.
func (s *writer) setSignal(kind string, holds bool, from metav1.Condition) {
	if !holds {
		meta.RemoveStatusCondition(&s.sb.Status.Conditions, kind)
		return
	}
	s.setCondition(kind, metav1.ConditionTrue, from.Reason, legible.Fit(from.Message, maxSignal))
}
