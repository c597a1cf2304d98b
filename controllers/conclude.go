package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

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
	p.sumUp()
	return saveFirst(), nil
}

// sumUp says how the runs ended.
func (s *scope) sumUp() {
	status := &s.sb.Status
	runs := legible.Plural(int(status.PlannedRuns), "run")
	var failures []string
	for i := range status.Runs {
		if run := &status.Runs[i]; run.State == v1alpha1.RunFailed {
			failures = append(failures, run.Name+": "+run.Message)
		}
	}
	if len(failures) > 0 {
		s.fail(v1alpha1.ReasonRunFailed, fmt.Sprintf("%d of %s failed: %s", len(failures), runs, strings.Join(failures, "; ")))
		return
	}
	took := s.now.Sub(status.StartTime.Time).Round(time.Second)
	s.setCondition(v1alpha1.ConditionMeasured, metav1.ConditionTrue, v1alpha1.ReasonCompleted,
		fmt.Sprintf("%s on %s in %s", runs, legible.Plural(len(status.Targets), "target"), took))
}

// takeLast takes the outcome of a run that had ended by itself when measuring was ended for another reason, as by errors that kept it from
// being taken: its pod has it, and clean-up deletes that. It gives up when half of the time for clean-up is over.
func (p *pass) takeLast(ctx context.Context) (outcome, error) {
	if conditionOf(p.before, v1alpha1.ConditionMeasured).Status == "" {
		return saveFirst(), nil
	}
	run := p.sb.Status.RunningRun()
	if run == nil || p.cleaning().IsHalfOver() {
		return goOn(), nil
	}
	collected, err := p.collectEnded(ctx, run)
	if err != nil || !collected {
		return goOn(), err
	}
	return saveFirst(), nil
}
