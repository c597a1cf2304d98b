package controllers

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// admit notes that the operator has seen the spec, and adds the finalizer before any object is created.
func admit(ctx context.Context, p *pass) (outcome, error) {
	if !controllerutil.ContainsFinalizer(p.sb, v1alpha1.Finalizer) {
		return p.addFinalizer(ctx)
	}
	p.sb.Status.ObservedGeneration = p.sb.Generation
	if p.sb.Status.Condition(v1alpha1.ConditionSucceeded).Status == "" {
		p.step(v1alpha1.ReasonPending, "")
	}
	return goOn(), nil
}

// addFinalizer holds back the benchmark's deletion until the operator has cleaned up. The write starts the next pass.
func (p *pass) addFinalizer(ctx context.Context) (outcome, error) {
	controllerutil.AddFinalizer(p.sb, v1alpha1.Finalizer)
	if err := p.patchFinalizers(ctx, p.sb); err != nil {
		return awaitFor(retrySoon), unlessGone(err, "add finalizer")
	}
	return awaitChange(), nil
}

// lacksFinalizer reports whether a benchmark that has ended needs its finalizer and does not have it. The finalizer is
// needed while something of the benchmark is kept or left. "kubectl replace" and Argo CD's Replace=true remove it,
// because manifests have none.
func lacksFinalizer(sb *v1alpha1.StorageBenchmark) bool {
	isKept := sb.Status.Condition(v1alpha1.ConditionCleanedUp).Status == metav1.ConditionFalse
	return isKept && sb.DeletionTimestamp.IsZero() && !controllerutil.ContainsFinalizer(sb, v1alpha1.Finalizer)
}
