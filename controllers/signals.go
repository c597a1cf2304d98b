package controllers

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/humanize"
)

// maxSignal bounds the message of a condition that repeats another one's, in bytes.
const maxSignal = 256

// signal sets the conditions by which other tools know how the benchmark stands. They follow from condition Succeeded,
// whose reason and message they repeat. Reconciling and Stalled are absent where they would be False, as kstatus has
// it: https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
func signal(s *pass.Pass) {
	succeeded := s.SB.Status.Condition(v1alpha1.ConditionSucceeded)
	active := succeeded.Status == metav1.ConditionUnknown
	setSignal(s, v1alpha1.ConditionReconciling, active && succeeded.Reason != v1alpha1.ReasonSuspended, succeeded)
	setSignal(s, v1alpha1.ConditionStalled, succeeded.Status == metav1.ConditionFalse, succeeded)
	setSignal(s, v1alpha1.ConditionFinished, s.SB.Status.HasEnded(), succeeded)
}

// setSignal sets a condition to True with another one's words, or removes it.
func setSignal(s *pass.Pass, kind string, holds bool, from metav1.Condition) {
	if !holds {
		meta.RemoveStatusCondition(&s.SB.Status.Conditions, kind)
		return
	}
	s.SetCondition(kind, metav1.ConditionTrue, from.Reason, humanize.Fit(from.Message, maxSignal))
}
