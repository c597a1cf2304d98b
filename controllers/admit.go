package controllers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// admit notes that the operator has seen the spec, and adds the finalizer before anything is made.
func admit(ctx context.Context, p *pass) (outcome, error) {
	if controllerutil.AddFinalizer(p.sb, v1alpha1.Finalizer) {
		if err := p.patchFinalizers(ctx, p.sb); err != nil {
			return awaitFor(retrySoon), unlessGone(err, "add finalizer")
		}
		return awaitChange(), nil
	}
	p.sb.Status.ObservedGeneration = p.sb.Generation
	if p.sb.Status.Condition(v1alpha1.ConditionSucceeded).Status == "" {
		p.step(v1alpha1.ReasonPending, "")
	}
	return goOn(), nil
}
