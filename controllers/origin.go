package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
)

// What package ours decides about where volumes are from depends on what this file reads.

// existingVolumes returns those claims of clients of a target whose volume was there before the benchmark, or may have been. Those that have none yet count
// among them where one that is there may become theirs, which a namespaced operator cannot know.
func (p *pass) existingVolumes(ctx context.Context, target *v1alpha1.Target, clients ...int32) (sets.Set[string], error) {
	existing, unbound, err := p.origins(ctx, target, clients...)
	switch {
	case err != nil:
		return nil, err
	case p.isNamespaced(), unbound.Len() == 0:
		return existing, nil
	case p.targetStatus(target.Name).Driver == storage.NoProvisioner: // also one that an administrator frees when the pod is there already
		return existing.Union(unbound), nil
	}
	alone := p.isLeftToRuns(target) // no anchor has it bound before
	return existing, p.eachVolume(ctx, func(volume *corev1.PersistentVolume) {
		if ours.MayGet(p.sb, target, unbound, volume) || (alone && ours.MayBeFreed(p.sb, target, unbound, volume)) {
			existing.Insert(unbound.UnsortedList()...)
		}
	})
}

// origins returns those claims of clients of a target whose volume was there before, and those that have none yet.
func (p *pass) origins(ctx context.Context, target *v1alpha1.Target, clients ...int32) (existing, unbound sets.Set[string], err error) {
	existing, unbound = sets.New[string](), sets.New[string]()
	if !ours.MayHaveExisting(target) {
		return existing, unbound, nil
	}
	names := sets.New[string]() // clients share some claims
	for _, client := range clients {
		names.Insert(storage.ClaimName(p.sb, target, client))
	}
	for name := range names {
		origin, err := p.originOf(ctx, target, name)
		if err != nil {
			return nil, nil, err
		}
		switch origin {
		case ours.Existing:
			existing.Insert(name)
		case ours.Unbound:
			unbound.Insert(name)
		case ours.Made:
		}
	}
	return existing, unbound, nil
}

// originOf says where the volume of a claim of a target is from. The cache may not have heard yet that the claim is bound.
func (p *pass) originOf(ctx context.Context, target *v1alpha1.Target, name string) (ours.Origin, error) {
	claim := p.claims[name]
	if claim == nil || claim.Spec.VolumeName == "" {
		var err error
		if claim, err = p.liveClaim(ctx, name); err != nil {
			return "", fmt.Errorf("get claim of target %s: %w", target.Name, err)
		}
	}
	if p.isNamespaced() || claim.Spec.VolumeName == "" {
		return ours.OriginOf(claim, nil), nil
	}
	volume, err := p.liveVolume(ctx, claim.Spec.VolumeName, "get volume "+claim.Spec.VolumeName)
	return ours.OriginOf(claim, volume), err
}

// noteExistingVolume notes that there may be test files on a volume that a claim of the benchmark has got and that was not made for it: they do not go with
// the claim.
func (s *scope) noteExistingVolume(target *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) {
	own := s.claimTargets[claim.Name] != "" && !ours.ClusterObject(s.sb, volume)
	if own && ours.OriginOf(claim, volume) == ours.Existing && target.TestFiles == "" && target.VolumeMode != corev1.PersistentVolumeBlock {
		target.TestFiles = v1alpha1.TestFilesPresent
	}
}

// withoutSource says of a target that a claim of it has got a volume that was there before, on which there is nothing of its dataSource: Kubernetes binds a
// claim to a free volume that fits, without a look at what the claim is to be made from.
func (p *pass) withoutSource(ctx context.Context, target *v1alpha1.Target) (string, error) {
	if target.DataSource == nil {
		return "", nil
	}
	for _, name := range storage.ClaimNames(p.sb, target) {
		claim := p.claims[name]
		if claim == nil || claim.Spec.VolumeName == "" || p.memory.sourced.Has(claim.UID) {
			continue
		}
		origin, err := p.originOf(ctx, target, name)
		switch {
		case err != nil:
			return "", err
		case origin == ours.Existing:
			return fmt.Sprintf("target %s: claim %s has come to volume %s, which was not made for it and has nothing of %s: a free volume of the StorageClass fits; "+
				"reserve that by its claimRef, or name another StorageClass, and create the benchmark anew",
				target.Name, name, claim.Spec.VolumeName, target.DataSource), nil
		}
		p.memory.sourced = p.memory.sourced.Union(sets.New(claim.UID))
	}
	return "", nil
}

// restUntied is how long volumes that could not be read or changed are left alone: each try holds up the pass.
const restUntied = time.Minute

// tie has each volume that was made for a claim of the benchmark go with that claim, as soon as the claim is bound, also where its StorageClass would
// retain it. Who removes the benchmark's finalizer has Kubernetes delete the claim, and nobody would know afterwards whose the volume was. One that cannot
// be read or changed holds back nothing: clean-up tries it before the claim goes, has a deadline for that, and says what it could not do.
func tie(ctx context.Context, p *pass) (outcome, error) {
	if p.isNamespaced() || p.now.Before(&p.memory.tieAgain) {
		return goOn(), nil
	}
	bound := p.untied()
	errs := inParallel(ctx, bound, func(claim *corev1.PersistentVolumeClaim) error { return p.settleClaim(ctx, claim) })
	for i, err := range errs {
		switch {
		case err == nil, isRefused(err), apierrors.IsInvalid(err):
			p.memory.tied = p.memory.tied.Union(sets.New(bound[i].UID))
		case !apierrors.IsConflict(err):
			p.memory.tieAgain = metav1.NewTime(p.Clock.Now().Add(restUntied)) // a webhook that is away may take 30 s to say so
		}
		if err != nil {
			ctrl.LoggerFrom(ctx).Info("The volume of a claim may stay without the benchmark's clean-up", "claim", bound[i].Name, "why", err.Error())
		}
	}
	return goOn(), nil
}

// untied returns the claims of the benchmark that are bound, and whose volumes were not looked at.
func (s *scope) untied() (bound []*corev1.PersistentVolumeClaim) {
	for _, claim := range s.claims {
		if claim.Status.Phase == corev1.ClaimBound && !s.memory.tied.Has(claim.UID) && !s.mountsAsIs(claim) {
			bound = append(bound, claim)
		}
	}
	return bound
}

// mountsAsIs says whether a claim of the benchmark is of storage that is mounted as it is: its volume is removed by its name.
func (s *scope) mountsAsIs(claim *corev1.PersistentVolumeClaim) bool {
	name := s.claimTargets[claim.Name]
	return slices.ContainsFunc(s.sb.Spec.Targets, func(t v1alpha1.Target) bool { return t.Name == name && storage.MakesVolume(&t) })
}
