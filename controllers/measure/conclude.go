package measure

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/result"
)

// Conclude notes how the runs ended, when all of them have, and what the cases of matrices show together. The pass ends
// with that: results must be in the status before clean-up deletes the pods that they came from.
func Conclude(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if p.SB.Status.HasMeasured() {
		return takeLast(ctx, p)
	}
	if lost := plan.Lost(p.PlannedRuns(), p.SB.Status.Runs); lost != "" {
		return pass.Outcome{}, fmt.Errorf(
			"status.runs has no result of run %s: was it stored by an older CustomResourceDefinition?", lost)
	}
	result.JudgeMatrices(p.SB.Status.Runs, p.PlannedRuns())
	measured, words := attempt.SumUp(&p.SB.Status, p.Now.Time)
	if measured {
		p.SetCondition(v1alpha1.ConditionMeasured, metav1.ConditionTrue, v1alpha1.ReasonCompleted, words)
	} else {
		p.Fail(v1alpha1.ReasonRunFailed, words)
	}
	return pass.SaveFirst(), nil
}

// takeLast takes the outcome of a run that had ended by itself when measuring was ended for another reason, as by
// errors that kept it from being taken: its pod has it, and clean-up deletes that. It gives up when half of the time
// for clean-up is over, or when passes have failed for a minute: the status may be refused because of this very result.
func takeLast(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if p.Before.Status.Condition(v1alpha1.ConditionMeasured).Status == "" {
		return pass.SaveFirst(), nil
	}
	run := p.SB.Status.RunningRun()
	if run == nil || p.Budget().IsHalfOver() || p.IsResultLate() {
		return pass.GoOn(), nil
	}
	collected, err := workers.CollectEnded(ctx, p, run)
	if err != nil || !collected {
		return pass.GoOn(), err
	}
	return pass.SaveFirst(), nil
}
