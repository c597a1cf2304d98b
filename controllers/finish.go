package controllers

import (
	"context"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
)

// finish ends the benchmark with the outcome of its runs.
func finish(_ context.Context, p *pass.Pass) (pass.Outcome, error) {
	measured := p.SB.Status.Condition(v1alpha1.ConditionMeasured)
	message := measured.Message
	if p.SB.Status.HasLeftovers() {
		message += "; " + p.SB.Status.Condition(v1alpha1.ConditionCleanedUp).Message
	}
	p.SetCondition(v1alpha1.ConditionSucceeded, measured.Status, measured.Reason, message)
	p.SB.Status.CompletionTime = new(p.Now)
	return pass.SaveFirst(), nil
}
