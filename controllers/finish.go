package controllers

import (
	"context"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// finish ends the benchmark with the outcome of its runs.
func finish(_ context.Context, p *pass) (outcome, error) {
	measured := p.sb.Status.Condition(v1alpha1.ConditionMeasured)
	message := measured.Message
	if p.sb.Status.HasLeftovers() {
		message += "; " + p.sb.Status.Condition(v1alpha1.ConditionCleanedUp).Message
	}
	p.setCondition(v1alpha1.ConditionSucceeded, measured.Status, measured.Reason, message)
	p.sb.Status.CompletionTime = new(p.now)
	return saveFirst(), nil
}
