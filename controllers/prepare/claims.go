package prepare

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/storage"
)

// refuseTakenClaim ends a benchmark before it has started, because a claim exists that has the name of one of its
// claims. Only somebody else can have made that one.
func refuseTakenClaim(ctx context.Context, p *pass.Pass, target *v1alpha1.Target, claim string) (pass.Outcome, error) {
	return workers.IfFresh(ctx, p, func() (pass.Outcome, error) {
		p.SB.Status.Targets = nil
		return refuse(p, v1alpha1.ReasonProvisioningFailed, pass.TakenMessage(target, "PersistentVolumeClaim "+claim)), nil
	})
}

// takenClaim returns a target, and a claim that has a name of its claims, which the operator has given to none yet. The
// target is nil if there is no such claim.
func takenClaim(ctx context.Context, p *pass.Pass) (*v1alpha1.Target, string, error) {
	for i := range p.SB.Spec.Targets {
		target := &p.SB.Spec.Targets[i]
		if !storage.IsProvisioned(target) {
			continue
		}
		names := storage.ClaimNames(p.SB, target)
		get := func(name string) (*corev1.PersistentVolumeClaim, error) {
			return p.World.LiveClaim(ctx, name, "get claims of target "+target.Name)
		}
		claims, errs := world.Gather(ctx, world.ParallelCalls, names, get)
		if err := errors.Join(errs...); err != nil {
			return nil, "", err
		}
		exists := func(claim *corev1.PersistentVolumeClaim) bool { return claim.Name != "" }
		if at := slices.IndexFunc(claims, exists); at >= 0 {
			return target, names[at], nil
		}
		p.Memory.NoteUnmade(names...)
	}
	return nil, "", nil
}
