package controllers

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/humanize"
)

// finish ends the benchmark with the outcome of its runs.
func finish(_ context.Context, p *pass.Pass) (pass.Outcome, error) {
	measured := p.SB.Status.Condition(v1alpha1.ConditionMeasured)
	message := measured.Message
	if measured.Status == metav1.ConditionTrue {
		message += answer(&p.SB.Status)
	}
	if p.SB.Status.HasLeftovers() {
		message += "; " + p.SB.Status.Condition(v1alpha1.ConditionCleanedUp).Message
	}
	p.SetCondition(v1alpha1.ConditionSucceeded, measured.Status, measured.Reason, message)
	p.SB.Status.CompletionTime = new(p.Now)
	return pass.SaveFirst(), nil
}

// answer returns what readers of kubectl describe look for first: the best target, whether the results are as expected,
// and how many warnings there are. It is "" without results.
func answer(status *v1alpha1.StorageBenchmarkStatus) (text string) {
	if status.Best != "" {
		text += "; best: " + status.Best
	}
	if status.Expected != "" {
		text += "; expectations: " + status.Expected
	}
	if status.WarningCount > 0 {
		text += "; " + humanize.Plural(int(status.WarningCount), "warning")
	}
	return text
}
