package controllers

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/plan"
)

// conclude says how the runs ended, when all of them have. The pass ends with that: results must be in the
// status before clean-up deletes the pods that they came from.
func conclude(ctx context.Context, p *pass) (outcome, error) {
	if p.sb.Status.HasMeasured() {
		return p.takeLast(ctx)
	}
	if lost := plan.Lost(p.plannedRuns(), p.sb.Status.Runs); lost != "" {
		return outcome{}, fmt.Errorf("status.runs has no result of run %s: was it stored by an older CustomResourceDefinition?", lost)
	}
	measured, words := attempt.SumUp(&p.sb.Status, p.now.Time)
	if measured {
		p.setCondition(v1alpha1.ConditionMeasured, metav1.ConditionTrue, v1alpha1.ReasonCompleted, words)
	} else {
		p.fail(v1alpha1.ReasonRunFailed, words)
	}
	return saveFirst(), nil
}

// takeLast takes the outcome of a run that had ended by itself when measuring was ended for another reason, as by errors that kept it from
// being taken: its pod has it, and clean-up deletes that. It gives up when half of the time for clean-up is over, or when
// passes have failed for a minute: the status may be refused because of this very result.
func (p *pass) takeLast(ctx context.Context) (outcome, error) {
	if p.before.Status.Condition(v1alpha1.ConditionMeasured).Status == "" {
		return saveFirst(), nil
	}
	run := p.sb.Status.RunningRun()
	if run == nil || p.budget().IsHalfOver() || p.isResultLate() {
		return goOn(), nil
	}
	collected, err := p.collectEnded(ctx, run)
	if err != nil || !collected {
		return goOn(), err
	}
	return saveFirst(), nil
}
