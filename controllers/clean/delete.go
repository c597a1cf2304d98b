package clean

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/cleanup"
)

// Abandon ends measuring when the benchmark is deleted. One that has not begun has nothing to remove.
func Abandon(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	if !controllerutil.ContainsFinalizer(p.SB, v1alpha1.Finalizer) {
		return pass.AwaitChange(), nil
	}
	if out, err := keepClaims(ctx, p); err != nil || out.Stop {
		return out, err
	}
	if !p.SB.Status.HasMeasured() {
		p.Fail(v1alpha1.ReasonDeleted, "the StorageBenchmark was deleted before it ended")
	}
	return pass.GoOn(), nil
}

// Sweep removes the Jobs and pods that are still there when all else is gone, such as those that removed test files:
// their pods would hold back the deletion of somebody's claim.
func Sweep(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	cleaned := p.SB.Status.Condition(v1alpha1.ConditionCleanedUp)
	if IsRetained(p) {
		return pass.GoOn(), nil
	}
	left, err := workers.UntilNothingIsLeft(ctx, p, RemovePods)
	left, out, err := AwaitRemoval(p, left, err)
	if err != nil || out.Stop {
		return out, err
	}
	if len(left) > 0 && cleaned.Status != metav1.ConditionFalse {
		SetLeftBehind(p, left)
	}
	return pass.GoOn(), nil
}

// RemovePods deletes all Jobs, and all pods, and returns what is left of them, but of anchors, for which cleanUp has
// waited.
func RemovePods(ctx context.Context, p *pass.Pass) ([]cleanup.Leftover, error) {
	left, err := workers.RemoveJobs(ctx, p, nil)
	_, anchorsErr := workers.RemoveAnchors(ctx, p)
	return left, errors.Join(err, anchorsErr)
}

// keepClaims stops Kubernetes from deleting claims before their test files are removed, which deletion with
// --cascade=foreground would do. The benchmark keeps the promise of that option by itself: it stays until all else is
// gone.
func keepClaims(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	inForeground := controllerutil.ContainsFinalizer(p.SB, metav1.FinalizerDeleteDependents)
	if !inForeground || !cleanup.HasFiles(p.SB.Status.Targets) {
		return pass.GoOn(), nil
	}
	if p.Changed() {
		return pass.SaveFirst(), nil // what pods tell of files goes with them
	}
	err := p.World.DropFinalizer(ctx, p.Before, metav1.FinalizerDeleteDependents)
	return pass.AwaitFor(pass.RetrySoon), world.UnlessGone(err, "keep claims until test files are removed")
}
