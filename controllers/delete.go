package controllers

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
)

// abandon ends measuring when the benchmark is deleted. One that has not begun has nothing to remove.
func abandon(ctx context.Context, p *pass) (outcome, error) {
	if !controllerutil.ContainsFinalizer(p.sb, v1alpha1.Finalizer) {
		return awaitChange(), nil
	}
	if out, err := p.keepClaims(ctx); err != nil || out.stop {
		return out, err
	}
	if !p.sb.Status.HasMeasured() {
		p.fail(v1alpha1.ReasonDeleted, "the StorageBenchmark was deleted before it ended")
	}
	return goOn(), nil
}

// sweep removes the Jobs and pods that are still there when all else is gone, such as those that removed test files:
// their pods would hold back the deletion of somebody's claim.
func sweep(ctx context.Context, p *pass) (outcome, error) {
	cleaned := p.sb.Status.Condition(v1alpha1.ConditionCleanedUp)
	if p.isRetained() {
		return goOn(), nil
	}
	left, out, err := p.awaitRemoval(p.removePods(ctx))
	if err != nil || out.stop {
		return out, err
	}
	if len(left) > 0 && cleaned.Status != metav1.ConditionFalse {
		p.setLeftBehind(left)
	}
	return goOn(), nil
}

// removePods deletes all Jobs, and all pods, and returns what is left of them, but of anchors, for which cleanUp has waited.
func (p *pass) removePods(ctx context.Context) ([]cleanup.Leftover, error) {
	left, err := p.removeJobs(ctx, nil)
	_, anchorsErr := p.removeAnchors(ctx)
	return left, errors.Join(err, anchorsErr)
}

// release lets the benchmark go. Kept logs are owned by it, and go with it: Kubernetes sees to that. What is left is told before,
// because nobody remembers it afterwards.
func release(ctx context.Context, p *pass) (outcome, error) {
	p.tellLeft(ctx)
	if err := p.dropFinalizer(ctx, v1alpha1.Finalizer); err != nil {
		return awaitFor(retrySoon), unlessGone(err, "remove finalizer")
	}
	p.Metrics.released(p.before, p.sb)
	p.sb.Status = p.before.Status // the benchmark is gone, and its status with it
	return awaitChange(), nil
}

// dropFinalizer removes a finalizer of the benchmark.
func (p *pass) dropFinalizer(ctx context.Context, finalizer string) error {
	without := p.before.DeepCopy()
	controllerutil.RemoveFinalizer(without, finalizer)
	return p.patchFinalizers(ctx, without)
}

// tellLeft tells what is left of the benchmark, and what is kept that was not made for it. The log has it too: no event can be made in a namespace
// that is being deleted. It is told once of each version: a second try to let it go is not a second loss.
func (p *pass) tellLeft(ctx context.Context) {
	cleaned := p.sb.Status.Condition(v1alpha1.ConditionCleanedUp)
	if cleaned.Message == "" || p.memory.toldVersion == p.sb.ResourceVersion {
		return
	}
	p.memory.toldVersion = p.sb.ResourceVersion
	kind, what := corev1.EventTypeNormal, "A StorageBenchmark was deleted"
	if p.sb.Status.HasLeftovers() {
		kind, what = corev1.EventTypeWarning, what+", though not all could be removed"
	}
	p.Events.Eventf(p.sb, nil, kind, cleaned.Reason, "CleanUp", "%s", limitNote(cleaned.Message))
	ctrl.LoggerFrom(ctx).Info(what, "namespace", p.sb.Namespace, "name", p.sb.Name,
		"reason", cleaned.Reason, "left", cleaned.Message)
}
