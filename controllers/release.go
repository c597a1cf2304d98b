package controllers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
)

// release lets the benchmark go. Kept logs are owned by it, and Kubernetes deletes them with it. Users are told of
// leftovers before, because nothing remembers them afterwards.
func release(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	tellLeft(ctx, p)
	if err := p.World.DropFinalizer(ctx, p.Before, v1alpha1.Finalizer); err != nil {
		return pass.AwaitFor(pass.RetrySoon), world.UnlessGone(err, "remove finalizer")
	}
	p.Released = p.SB.DeepCopy()
	p.SB.Status = p.Before.Status // the benchmark is gone, and its status with it
	return pass.AwaitChange(), nil
}

// tellLeft tells what is left of the benchmark, and what is kept that was not made for it. The log has it too: no event
// can be made in a namespace that is being deleted. It is told once of each version: a second try to let it go is not a
// second loss.
func tellLeft(ctx context.Context, p *pass.Pass) {
	cleaned := p.SB.Status.Condition(v1alpha1.ConditionCleanedUp)
	if cleaned.Message == "" || p.Memory.ToldVersion == p.SB.ResourceVersion {
		return
	}
	p.Memory.ToldVersion = p.SB.ResourceVersion
	kind, what := corev1.EventTypeNormal, "A StorageBenchmark was deleted"
	if p.SB.Status.HasLeftovers() {
		kind, what = corev1.EventTypeWarning, what+", though not all could be removed"
	}
	p.World.Events.Eventf(p.SB, nil, kind, cleaned.Reason, "CleanUp", "%s", world.LimitNote(cleaned.Message))
	ctrl.LoggerFrom(ctx).Info(what, "namespace", p.SB.Namespace, "name", p.SB.Name,
		"reason", cleaned.Reason, "left", cleaned.Message)
}
