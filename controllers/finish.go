package controllers

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// finish ends the benchmark with the outcome of its runs.
func finish(_ context.Context, p *pass) (outcome, error) {
	measured := p.condition(v1alpha1.ConditionMeasured)
	message := measured.Message
	if cleaned := p.condition(v1alpha1.ConditionCleanedUp); cleaned.Reason == v1alpha1.ReasonLeftBehind {
		message += "; " + cleaned.Message
	}
	p.setCondition(v1alpha1.ConditionSucceeded, measured.Status, measured.Reason, message)
	p.sb.Status.CompletionTime = new(metav1.NewTime(p.now.Time))
	return saveFirst(), nil
}
