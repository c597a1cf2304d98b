package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/preset"
)

// referenceGrace is how long after its creation a benchmark waits for the objects that it names: one
// kubectl apply may create them right after it.
const referenceGrace = 10 * time.Second

// validate makes the plan, and refuses a spec that cannot be carried out before anything is provisioned.
func validate(ctx context.Context, p *pass) (outcome, error) {
	if p.sb.Status.HasMeasured() {
		return goOn(), nil
	}
	if p.sb.Status.StartTime == nil {
		return p.accept(ctx)
	}
	runs, problems := p.plan()
	if len(problems) > 0 {
		p.fail(v1alpha1.ReasonInvalidSpec, describe(problems))
		return saveFirst(), nil
	}
	p.runs = runs
	for i := range p.sb.Status.Runs {
		if _, known := p.planned(&p.sb.Status.Runs[i]); !known {
			p.fail(v1alpha1.ReasonInvalidSpec, fmt.Sprintf("run %s is no longer part of the spec", p.sb.Status.Runs[i].Name))
			return saveFirst(), nil
		}
	}
	return goOn(), nil
}

// accept checks all that the spec says and names, and records the runs. From then on the spec is fixed.
func (p *pass) accept(ctx context.Context) (outcome, error) {
	if problems := p.namespaces.BeyondReach(p.sb.Spec.Targets); len(problems) > 0 {
		return p.refuse(problems), nil
	}
	if problem := plan.ValidatePods(field.NewPath("spec"), &p.sb.Spec); problem != nil { // which the plan has no part in
		return p.refuse(field.ErrorList{problem}), nil
	}
	targets, missing, err := p.resolveTargets(ctx)
	if err != nil {
		return outcome{}, err
	}
	if wait := p.sb.CreationTimestamp.Add(referenceGrace).Sub(p.now.Time); len(missing) > 0 && wait > 0 {
		p.step(v1alpha1.ReasonPending, describe(missing))
		return awaitFor(min(wait, time.Second)), nil
	}
	p.sb.Status.Targets = targets
	runs, problems := p.plan()
	if problems = append(missing, problems...); len(problems) > 0 {
		p.sb.Status.Targets = nil
		return p.refuse(problems), nil
	}
	taken, name, err := p.takenClaim(ctx)
	if err != nil {
		return outcome{}, err
	}
	p.recordPlan(runs)
	if taken != nil {
		return p.refuseTakenClaim(ctx, taken, name)
	}
	p.step(v1alpha1.ReasonProvisioning, legible.Plural(len(runs), "run")+" on "+legible.Plural(len(targets), "target")+p.namespaces.UnknownLimits())
	return saveFirst(), nil
}

// recordPlan writes down the runs that are to be made.
func (s *writer) recordPlan(runs []plan.Run) {
	s.sb.Status.StartTime = new(s.now)
	s.sb.Status.Presets = preset.Used(&s.sb.Spec)
	s.sb.Status.PlannedRuns, s.sb.Status.RunDeadlineSeconds = int32(len(runs)), plan.RunDeadlineSeconds(runs)
	s.sb.Status.Runs = plan.Record(runs)
}

// refuse ends a benchmark that cannot be carried out, before anything was made for it.
func (s *writer) refuse(problems field.ErrorList) outcome {
	s.setCondition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, describe(problems))
	s.sb.Status.CompletionTime = new(s.now)
	return saveFirst()
}

// describe lists problems as sentences; one that is the only one stands by itself.
func describe(problems field.ErrorList) string {
	return strings.Join(each(problems, (*field.Error).Error), "; ")
}
