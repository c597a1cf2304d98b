package prepare

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
)

// Admit notes that the operator has seen the spec, and adds the finalizer before any object is created.
func Admit(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if !controllerutil.ContainsFinalizer(p.SB, v1alpha1.Finalizer) {
		return AddFinalizer(ctx, p)
	}
	p.SB.Status.ObservedGeneration = p.SB.Generation
	if p.SB.Status.Condition(v1alpha1.ConditionSucceeded).Status == "" {
		p.Step(v1alpha1.ReasonPending, "")
	}
	return pass.GoOn(), nil
}

// AddFinalizer holds back the benchmark's deletion until the operator has cleaned up. The write starts the next pass.
func AddFinalizer(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	controllerutil.AddFinalizer(p.SB, v1alpha1.Finalizer)
	if err := p.World.PatchFinalizers(ctx, p.SB); err != nil {
		return pass.AwaitFor(pass.RetrySoon), world.UnlessGone(err, "add finalizer")
	}
	return pass.AwaitChange(), nil
}

// LacksFinalizer reports whether a benchmark that has ended needs its finalizer and does not have it. The finalizer is
// needed while something of the benchmark is kept or left. "kubectl replace" and Argo CD's Replace=true remove it,
// because manifests have none.
func LacksFinalizer(sb *v1alpha1.StorageBenchmark) bool {
	isKept := sb.Status.Condition(v1alpha1.ConditionCleanedUp).Status == metav1.ConditionFalse
	return isKept && sb.DeletionTimestamp.IsZero() && !controllerutil.ContainsFinalizer(sb, v1alpha1.Finalizer)
}
