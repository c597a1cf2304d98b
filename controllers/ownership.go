package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagev1ac "k8s.io/client-go/applyconfigurations/storage/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
)

// ownedByOthers names one of the objects that is there and somebody else's, "" if there is none. Applied, it would be taken over where
// its spec is the same, and deleted at the end with the data that it stands for. Jobs and pods need no such look: their specs
// cannot be the same, and the API server refuses to change them.
func (p *pass) ownedByOthers(ctx context.Context, objects storage.Objects) (string, error) {
	if name, err := p.classOfOthers(ctx, objects.Class); name != "" || err != nil {
		return name, err
	}
	if objects.Volume != nil {
		volume, err := p.liveVolume(ctx, *objects.Volume.Name, "get PersistentVolume")
		switch {
		case err != nil:
			return "", err
		case volume.Name != "" && !ours.ClusterObject(p.sb, volume):
			return "PersistentVolume " + volume.Name, nil
		}
	}
	p.claimTargets = ours.ClaimTargets(p.sb)
	for _, wanted := range objects.Claims { // each by its name: how many others there are in a namespace is its tenants' choice
		claim, err := p.liveClaim(ctx, *wanted.Name)
		switch {
		case err != nil:
			return "", fmt.Errorf("get claim: %w", err)
		case claim.Name != "" && !p.isOwnClaim(claim):
			return "PersistentVolumeClaim " + claim.Name, nil
		}
	}
	return "", nil
}

// Whoever may make claims can make one that is like the operator's in all, as soon as the benchmark has a UID. One that is there before the operator makes any is
// such a one. It is named, and noted, so that nothing is ever believed of it.

// refuseClaim ends a benchmark for which nothing was made yet, and for which there is a claim all the same.
func (p *pass) refuseClaim(ctx context.Context, foreign *foreignClaim) (outcome, error) {
	return p.ifFresh(ctx, func() (outcome, error) {
		p.targetStatus(foreign.target.Name).ClaimsUID = ours.Foreign
		p.refuseTaken(foreign.target, "PersistentVolumeClaim "+foreign.name)
		return saveFirst(), nil
	})
}

// foreignClaim is a claim that has a name which the operator has given to none yet.
type foreignClaim struct {
	target *v1alpha1.Target
	name   string
}

// foreignClaim returns one that is there, nil if there is none.
func (p *pass) foreignClaim(ctx context.Context) (*foreignClaim, error) {
	for i := range p.sb.Spec.Targets {
		target := &p.sb.Spec.Targets[i]
		if !storage.IsProvisioned(target) {
			continue
		}
		names := storage.ClaimNames(p.sb, target)
		claims, errs := gather(ctx, parallelCalls, names, func(name string) (*corev1.PersistentVolumeClaim, error) { return p.liveClaim(ctx, name) })
		if err := errors.Join(errs...); err != nil {
			return nil, fmt.Errorf("get claims of target %s: %w", target.Name, err)
		}
		if at := slices.IndexFunc(claims, func(claim *corev1.PersistentVolumeClaim) bool { return claim.Name != "" }); at >= 0 {
			return &foreignClaim{target, names[at]}, nil
		}
		p.memory.lacksClaims(names...)
	}
	return nil, nil
}

func (p *pass) classOfOthers(ctx context.Context, wanted *storagev1ac.StorageClassApplyConfiguration) (string, error) {
	if wanted == nil {
		return "", nil
	}
	class, err := p.liveClass(ctx, *wanted.Name)
	if err != nil || class == nil || ours.ClusterObject(p.sb, class) {
		return "", err
	}
	return "StorageClass " + class.Name, nil
}

// liveClass returns a StorageClass as the API server has it, nil if there is none. It lists, which it has to be allowed anyway.
func (p *pass) liveClass(ctx context.Context, name string) (*storagev1.StorageClass, error) {
	var classes storagev1.StorageClassList
	if err := p.Live.List(ctx, &classes); err != nil {
		return nil, fmt.Errorf("list StorageClasses: %w", err)
	}
	for i := range classes.Items {
		if classes.Items[i].Name == name {
			return &classes.Items[i], nil
		}
	}
	return nil, nil
}
