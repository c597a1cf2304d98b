package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
)

// A claim of a StorageClass need not get a new volume. Kubernetes binds it to one that is there if one fits, such as a retained one that an
// administrator has made available again. What is on that is somebody's. This file has what is done to tell such volumes apart.

// existingVolumes returns those claims of clients of a target whose volume was there before the benchmark, or may have been. A target that
// tells by its kind is not looked at, nor is a device: it has no files that could be given to somebody.
func (p *pass) existingVolumes(ctx context.Context, target *v1alpha1.Target, clients ...int32) (sets.Set[string], error) {
	existing, unbound := sets.New[string](), sets.New[string]()
	if !storage.IsProvisioned(target) || storage.MakesVolume(target) || storage.VolumeMode(target) == corev1.PersistentVolumeBlock {
		return existing, nil
	}
	names := sets.New[string]() // clients share some claims
	for _, client := range clients {
		names.Insert(storage.ClaimName(p.sb, target, client))
	}
	for name := range names {
		claim, err := p.boundClaim(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("get claim of target %s: %w", target.Name, err)
		}
		if claim.Spec.VolumeName == "" {
			unbound.Insert(name)
			continue
		}
		made, err := p.isMade(ctx, claim)
		if err != nil {
			return nil, err
		}
		if !made {
			existing.Insert(name)
		}
	}
	awaited, err := p.mayGetExisting(ctx, target, unbound)
	if err != nil || !awaited {
		return existing, err
	}
	return existing.Union(unbound), nil
}

// boundClaim returns a claim of the benchmark, an empty one if it is gone. The cache may not have heard yet that it is bound.
func (p *pass) boundClaim(ctx context.Context, name string) (*corev1.PersistentVolumeClaim, error) {
	if claim := p.claims[name]; claim != nil && claim.Spec.VolumeName != "" {
		return claim, nil
	}
	claim := &corev1.PersistentVolumeClaim{}
	err := p.Live.Get(ctx, types.NamespacedName{Namespace: p.sb.Namespace, Name: name}, claim)
	return claim, client.IgnoreNotFound(err)
}

// isMade says whether the volume of a claim was made for it. A namespaced operator sees no more of the volume than its name.
func (p *pass) isMade(ctx context.Context, claim *corev1.PersistentVolumeClaim) (bool, error) {
	if p.isNamespaced() {
		return isNamedAfter(claim.Spec.VolumeName, claim.UID), nil
	}
	var volume corev1.PersistentVolume
	if err := p.Live.Get(ctx, types.NamespacedName{Name: claim.Spec.VolumeName}, &volume); err != nil {
		return false, unlessGone(err, "get volume "+claim.Spec.VolumeName)
	}
	return isBound(&volume, claim) && isMadeForItsClaim(&volume, claim.CreationTimestamp), nil
}

// mayGetExisting says whether Kubernetes may bind one of a target's claims to a volume that is there, rather than have one made. A namespaced
// operator cannot know.
func (p *pass) mayGetExisting(ctx context.Context, target *v1alpha1.Target, claims sets.Set[string]) (bool, error) {
	if p.isNamespaced() || claims.Len() == 0 {
		return false, nil
	}
	found := false
	err := p.eachVolume(ctx, func(volume *corev1.PersistentVolume) error {
		found = found || p.fits(target, claims, volume)
		return nil
	})
	return found, err
}

// fits says whether a volume that was there before may become that of one of a target's claims: it is kept for that, or for nobody, and has what is
// asked for. Of where it can be reached nothing is asked.
// https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding
func (s *scope) fits(target *v1alpha1.Target, claims sets.Set[string], volume *corev1.PersistentVolume) bool {
	if ref := volume.Spec.ClaimRef; ref != nil {
		return ref.Namespace == s.sb.Namespace && claims.Has(ref.Name) && !isMadeForItsClaim(volume, s.sb.CreationTimestamp)
	}
	class := cmp.Or(volume.Annotations[corev1.BetaStorageClassAnnotation], volume.Spec.StorageClassName)
	size := volume.Spec.Capacity[corev1.ResourceStorage]
	return volume.DeletionTimestamp.IsZero() && class == storage.ClassName(s.sb, target) && size.Cmp(storage.Capacity(target)) >= 0 &&
		slices.Contains(volume.Spec.AccessModes, storage.AccessMode(target)) &&
		ptr.Deref(volume.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == storage.VolumeMode(target)
}

// noteExistingVolume notes that there may be test files on a volume that a claim of the benchmark has got and that was not made for it: they do not go with
// the claim.
func (s *scope) noteExistingVolume(target *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) {
	switch {
	case s.claimTargets[claim.Name] == "", ours.ClusterObject(s.sb, volume), isMadeForItsClaim(volume, claim.CreationTimestamp):
	case target.TestFiles == "" && target.VolumeMode != corev1.PersistentVolumeBlock:
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
		made, err := p.isMade(ctx, claim)
		if err != nil {
			return "", fmt.Errorf("target %s: %w", target.Name, err)
		}
		if !made {
			return fmt.Sprintf("target %s: claim %s has come to volume %s, which was not made for it and has nothing of %s: a free volume of the StorageClass fits; "+
				"reserve that by its claimRef, or name another StorageClass, and create the benchmark anew",
				target.Name, name, claim.Spec.VolumeName, target.DataSource), nil
		}
		p.memory.hasSource(claim.UID)
	}
	return "", nil
}

// tie has each volume that was made for a claim of the benchmark go with that claim, as soon as the claim is bound, also where its StorageClass would
// retain it. Who removes the benchmark's finalizer has Kubernetes delete the claim, and nobody would know afterwards whose the volume was. One that an
// admission policy does not let be changed is left to clean-up, which says so.
func tie(ctx context.Context, p *pass) (outcome, error) {
	if p.isNamespaced() {
		return goOn(), nil
	}
	var bound []*corev1.PersistentVolumeClaim
	for _, claim := range p.claims {
		if claim.Status.Phase == corev1.ClaimBound && !p.memory.tied.Has(claim.UID) && !p.mountsAsIs(claim) {
			bound = append(bound, claim)
		}
	}
	errs := inParallel(ctx, bound, func(claim *corev1.PersistentVolumeClaim) error {
		mine := func(volume *corev1.PersistentVolume) bool { return isBound(volume, claim) }
		_, err := p.settle(ctx, claim.Spec.VolumeName, claim.CreationTimestamp, mine)
		return err
	})
	for i, err := range errs {
		if err == nil || isRefused(err) {
			p.memory.hasTied(bound[i].UID)
			errs[i] = nil
		}
	}
	return goOn(), errors.Join(errs...)
}

// mountsAsIs says whether a claim of the benchmark is of storage that is mounted as it is: its volume is removed by its name.
func (s *scope) mountsAsIs(claim *corev1.PersistentVolumeClaim) bool {
	name := s.claimTargets[claim.Name]
	return slices.ContainsFunc(s.sb.Spec.Targets, func(t v1alpha1.Target) bool { return t.Name == name && storage.MakesVolume(&t) })
}
