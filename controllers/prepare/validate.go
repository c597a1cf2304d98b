package prepare

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/evaluation"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/plan"
)

// ReferenceGrace is how long after its creation a benchmark waits for the objects that it names: one
// kubectl apply may create them right after it.
const ReferenceGrace = 10 * time.Second

// Validate makes the plan, and refuses a spec that cannot be carried out before anything is provisioned.
func Validate(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if p.SB.Status.HasMeasured() {
		return pass.GoOn(), nil
	}
	if p.SB.Status.StartTime == nil {
		return accept(ctx, p)
	}
	runs, problems := p.Plan()
	if len(problems) > 0 {
		p.Fail(v1alpha1.ReasonInvalidSpec, describe(problems))
		return pass.SaveFirst(), nil
	}
	p.Runs = runs
	for i := range p.SB.Status.Runs {
		if _, known := p.Planned(&p.SB.Status.Runs[i]); !known {
			p.Fail(v1alpha1.ReasonInvalidSpec, fmt.Sprintf("run %s is no longer part of the spec", p.SB.Status.Runs[i].Name))
			return pass.SaveFirst(), nil
		}
	}
	return pass.GoOn(), nil
}

// accept checks all that the spec says and names, and records the runs. From then on the spec is fixed.
func accept(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if problems := p.Namespaces.BeyondReach(p.SB.Spec.Targets); len(problems) > 0 {
		return refuseSpec(p, problems), nil
	}
	if problem := plan.ValidatePods(field.NewPath("spec"), &p.SB.Spec); problem != nil { // which the plan has no part in
		return refuseSpec(p, field.ErrorList{problem}), nil
	}
	targets, missing, err := resolveTargets(ctx, p)
	if err != nil {
		return pass.Outcome{}, err
	}
	if wait := p.SB.CreationTimestamp.Add(ReferenceGrace).Sub(p.Now.Time); len(missing) > 0 && wait > 0 {
		p.Step(v1alpha1.ReasonPending, describe(missing))
		return pass.AwaitFor(min(wait, time.Second)), nil
	}
	p.SB.Status.Targets = targets
	runs, problems := p.Plan()
	if problems = append(missing, problems...); len(problems) > 0 {
		p.SB.Status.Targets = nil
		return refuseSpec(p, problems), nil
	}
	taken, name, err := takenClaim(ctx, p)
	if err != nil {
		return pass.Outcome{}, err
	}
	if taken != nil {
		return refuseTakenClaim(ctx, p, taken, name)
	}
	evaluation.Begin(p.SB, runs, p.Now)
	measures := humanize.Plural(len(runs), "run") + " on " + humanize.Plural(len(targets), "target")
	p.Step(v1alpha1.ReasonProvisioning, measures+p.Namespaces.UnknownLimits())
	return pass.SaveFirst(), nil
}

// refuseSpec ends a benchmark that cannot be carried out, before anything was made for it.
func refuseSpec(s *pass.Pass, problems field.ErrorList) pass.Outcome {
	return refuse(s, v1alpha1.ReasonInvalidSpec, describe(problems))
}

// refuse ends a benchmark for which nothing was made.
func refuse(s *pass.Pass, reason, message string) pass.Outcome {
	s.SetCondition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, reason, message)
	s.SB.Status.CompletionTime = new(s.Now)
	return pass.SaveFirst()
}

// describe lists problems as sentences; one that is the only one stands by itself.
func describe(problems field.ErrorList) string {
	return strings.Join(world.Each(problems, (*field.Error).Error), "; ")
}
