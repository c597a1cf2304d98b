package controllers

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// finish ends the benchmark with the outcome of its runs.
func finish(_ context.Context, s *scope) (outcome, error) {
	measured := s.condition(v1alpha1.ConditionMeasured)
	message := measured.Message
	if cleaned := s.condition(v1alpha1.ConditionCleanedUp); cleaned.Reason == v1alpha1.ReasonLeftBehind {
		message += "; " + cleaned.Message
	}
	s.setCondition(v1alpha1.ConditionSucceeded, measured.Status, measured.Reason, message)
	s.sb.Status.CompletionTime = new(metav1.NewTime(s.Clock.Now()))
	return saveFirst(), nil
}
