package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

// conclude says how the runs ended, when all of them have. The pass ends with that: results must be in the
// status before clean-up deletes the pods that they came from.
func conclude(ctx context.Context, p *pass) (outcome, error) {
	if p.concluded() {
		return p.takeLast(ctx)
	}
	var failures []string
	for i := range p.sb.Status.Runs {
		if run := &p.sb.Status.Runs[i]; run.State == v1alpha1.RunFailed {
			failures = append(failures, run.Name+": "+run.Message)
		}
	}
	if len(failures) > 0 {
		p.fail(v1alpha1.ReasonRunFailed, fmt.Sprintf("%d of %s failed: %s",
			len(failures), legible.Plural(int(p.sb.Status.PlannedRuns), "run"), strings.Join(failures, "; ")))
		return saveFirst(), nil
	}
	took := p.now.Sub(p.sb.Status.StartTime.Time).Round(time.Second)
	p.setCondition(v1alpha1.ConditionMeasured, metav1.ConditionTrue, v1alpha1.ReasonCompleted,
		fmt.Sprintf("%s on %s in %s", legible.Plural(int(p.sb.Status.PlannedRuns), "run"), legible.Plural(len(p.sb.Status.Targets), "target"), took))
	return saveFirst(), nil
}

// takeLast takes the outcome of a run that had ended by itself when measuring was ended for another reason, as by errors that kept it from
// being taken: its pod has it, and clean-up deletes that. It gives up when half of the time for clean-up is over.
func (p *pass) takeLast(ctx context.Context) (outcome, error) {
	if meta.FindStatusCondition(p.before.Status.Conditions, v1alpha1.ConditionMeasured) == nil {
		return saveFirst(), nil
	}
	run := p.runningRun()
	if run == nil || p.isCleanUpHalfOver() {
		return goOn(), nil
	}
	collected, err := p.collectEnded(ctx, run)
	if err != nil || !collected {
		return goOn(), err
	}
	return saveFirst(), nil
}
