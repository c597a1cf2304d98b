package controllers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
)

// Claims can be deleted by others than the operator, before test files are removed through them. That a claim is gone says
// nothing of files on storage that stays. This file has what is done then.

// findClaim says what there is by the name of a claim of a target. The cache may not have heard of it yet, and what is done about files, and what
// users are told to do, depends on it.
func (p *pass) findClaim(ctx context.Context, target *v1alpha1.Target, name string) (cleanup.Found, error) {
	claim, err := p.liveClaim(ctx, name)
	switch {
	case err != nil:
		return "", fmt.Errorf("get claim of target %s: %w", target.Name, err)
	case claim.Name == "":
		return cleanup.Gone, nil
	case !storage.IsProvisioned(target) && isReplaced(p.targetStatus(target.Name), claim),
		storage.IsProvisioned(target) && !ours.Claim(p.sb, p.claimTargets, claim):
		return cleanup.Other, nil
	case isDevice(claim): // whatever the status says
		return cleanup.Device, nil
	case !claim.DeletionTimestamp.IsZero():
		return cleanup.Ending, nil
	default:
		return cleanup.There, nil
	}
}

// isClaimGone says whether no claim of a target is there any more. In the place of somebody's there may be another one.
func (p *pass) isClaimGone(ctx context.Context, target *v1alpha1.Target) (bool, error) {
	for _, name := range storage.ClaimNames(p.sb, target) {
		if found, err := p.findClaim(ctx, target, name); err != nil || (found != cleanup.Gone && found != cleanup.Other) {
			return false, err
		}
	}
	return true, nil
}

// filesOfLostClaim says what becomes of test files on somebody's claim that is gone.
func (p *pass) filesOfLostClaim(ctx context.Context, target *v1alpha1.Target) (v1alpha1.TestFilesState, error) {
	status := p.targetStatus(target.Name)
	state := cleanup.FilesOnLostClaim(status.Driver)
	for i := 0; i < len(status.Volumes) && state == v1alpha1.TestFilesRemoved; i++ {
		volume, err := p.lostVolume(ctx, status.Volumes[i].Name)
		if err != nil {
			return v1alpha1.TestFilesPresent, err
		}
		state = cleanup.FilesOnLostClaim(status.Driver, volume)
	}
	return state, nil
}

// lostVolume returns what is known of a volume whose claim is gone.
func (p *pass) lostVolume(ctx context.Context, name string) (cleanup.LostVolume, error) {
	if p.isNamespaced() {
		return cleanup.LostVolume{Unseen: true}, nil
	}
	pv, err := p.liveVolume(ctx, name, "get volume "+name)
	return cleanup.LostVolume{Policy: pv.Spec.PersistentVolumeReclaimPolicy, Provisioner: provisionerOf(pv), Driver: driverOf(pv)}, err
}

// freeVolume deletes the PersistentVolume of storage that exists if it is bound to a claim that is gone, and says what has to be
// waited for, "" if nothing: Kubernetes binds it to no other claim. Nothing is lost with it, and it is made anew.
func (p *pass) freeVolume(ctx context.Context, objects storage.Objects) (string, error) {
	if objects.Volume == nil {
		return "", nil
	}
	volume, err := p.liveVolume(ctx, *objects.Volume.Name, "get PersistentVolume")
	ref, ending := volume.Spec.ClaimRef, !volume.DeletionTimestamp.IsZero()
	if err != nil || !ours.ClusterObject(p.sb, volume) || (!ending && (ref == nil || ref.UID == "")) {
		return "", err
	}
	if !ending {
		claim, err := p.liveClaim(ctx, *objects.Claims[0].Name)
		if err != nil || claim.UID == ref.UID {
			return "", err
		}
	}
	held := fmt.Sprintf("PersistentVolume %s is being deleted, to be made anew", volume.Name)
	if len(volume.Finalizers) > 0 {
		held += "; it is kept by finalizer " + strings.Join(volume.Finalizers, ", ")
	}
	return held, p.deleteObject(ctx, volume)
}

// keepClaims has Kubernetes not delete claims before the test files are removed that are reached through them, and says whether it had to:
// deletion with --cascade=foreground would. What that promises is so without it: the benchmark stays until all else is gone.
func (p *pass) keepClaims(ctx context.Context) (bool, error) {
	if !controllerutil.ContainsFinalizer(p.sb, metav1.FinalizerDeleteDependents) || !p.hasFiles() {
		return false, nil
	}
	if p.changed() {
		return true, nil // what pods tell of files goes with them, so it has to be saved first
	}
	kept := p.before.DeepCopy()
	controllerutil.RemoveFinalizer(kept, metav1.FinalizerDeleteDependents)
	if err := p.Client.Patch(ctx, kept, client.MergeFromWithOptions(p.before, client.MergeFromWithOptimisticLock{})); err != nil {
		return true, unlessGone(err, "keep claims until test files are removed")
	}
	return true, nil
}

// hasFiles says whether there are test files to remove.
func (s *scope) hasFiles() bool {
	return slices.ContainsFunc(s.sb.Status.Targets, func(t v1alpha1.TargetStatus) bool { return t.TestFiles == v1alpha1.TestFilesPresent })
}

// handlesOf names the volumes of a target as their storage calls them.
func (s *scope) handlesOf(target *v1alpha1.Target) string {
	var handles []string
	for _, volume := range s.targetStatus(target.Name).Volumes {
		handles = append(handles, cmp.Or(volume.Handle, volume.Name))
	}
	return strings.Join(handles[:min(len(handles), maxNamed)], ", ")
}
