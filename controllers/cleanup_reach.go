package controllers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
)

// Claims can be deleted by others than the operator, before test files are removed through them. That a claim is gone says
// nothing of files on storage that stays. This file has what is done then.

// reachFiles says what becomes of the test files of a target whose claim is gone. Storage that is mounted as it is can be reached by
// another claim, which is made. What a driver has made for the claim cannot, and may be gone as well.
func (p *pass) reachFiles(ctx context.Context, target *v1alpha1.Target) (v1alpha1.TestFilesState, error) {
	objects := storage.For(p.sb, target, job.UserOf(p.sb))
	switch {
	case !storage.IsProvisioned(target):
		return p.filesOfLostClaim(ctx, target)
	case objects.Volume == nil:
		return v1alpha1.TestFilesLeftBehind, nil
	}
	if fresh, err := p.isFresh(ctx); err != nil || !fresh {
		return v1alpha1.TestFilesPresent, err
	}
	switch name, err := p.ownedByOthers(ctx, objects); {
	case err != nil:
		return v1alpha1.TestFilesPresent, err
	case name != "":
		return v1alpha1.TestFilesLeftBehind, nil // somebody's is in the place of ours
	}
	if held, err := p.freeVolume(ctx, objects); err != nil || held != "" {
		return v1alpha1.TestFilesPresent, err
	}
	err := p.applyObjects(ctx, objects)
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return v1alpha1.TestFilesLeftBehind, nil // nothing can be made there any more
	case err != nil:
		return v1alpha1.TestFilesPresent, fmt.Errorf("reach test files of target %s: %w", target.Name, err)
	}
	return v1alpha1.TestFilesPresent, nil
}

// filesOfLostClaim says what becomes of test files on somebody's claim that is gone. They are gone with its volumes, but not with those that are
// retained, that no driver deletes, or whose driver leaves files behind. Of a volume that is gone only the status tells the driver. A namespaced operator
// does not see volumes.
func (p *pass) filesOfLostClaim(ctx context.Context, target *v1alpha1.Target) (v1alpha1.TestFilesState, error) {
	status := p.targetStatus(target.Name)
	if storage.LeavesFiles(status.Driver) {
		return v1alpha1.TestFilesLeftBehind, nil
	}
	for _, volume := range status.Volumes {
		if p.isNamespaced() {
			return v1alpha1.TestFilesLeftBehind, nil
		}
		var pv corev1.PersistentVolume
		if err := p.Live.Get(ctx, types.NamespacedName{Name: volume.Name}, &pv); err != nil {
			if client.IgnoreNotFound(err) != nil {
				return v1alpha1.TestFilesPresent, fmt.Errorf("get volume %s: %w", volume.Name, err)
			}
			if status.Driver == "" {
				return v1alpha1.TestFilesLeftBehind, nil // nobody can tell what has become of them
			}
			continue
		}
		if pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete || provisionerOf(&pv) == "" || storage.LeavesFiles(driverOf(&pv)) {
			return v1alpha1.TestFilesLeftBehind, nil
		}
	}
	return v1alpha1.TestFilesRemoved, nil
}

// freeVolume deletes the PersistentVolume of storage that exists if it is bound to a claim that is gone, and says what has to be
// waited for, "" if nothing: Kubernetes binds it to no other claim. Nothing is lost with it, and it is made anew.
func (p *pass) freeVolume(ctx context.Context, objects storage.Objects) (string, error) {
	if objects.Volume == nil {
		return "", nil
	}
	var volume corev1.PersistentVolume
	if err := p.Live.Get(ctx, types.NamespacedName{Name: *objects.Volume.Name}, &volume); err != nil {
		return "", unlessGone(err, "get PersistentVolume")
	}
	ref, held := volume.Spec.ClaimRef, fmt.Sprintf("PersistentVolume %s is being deleted, to be made anew", volume.Name)
	if len(volume.Finalizers) > 0 {
		held += "; it is kept by finalizer " + strings.Join(volume.Finalizers, ", ")
	}
	switch {
	case !ours.ClusterObject(p.sb, &volume):
		return "", nil
	case !volume.DeletionTimestamp.IsZero():
		return held, nil
	case ref == nil || ref.UID == "":
		return "", nil
	}
	var claim corev1.PersistentVolumeClaim
	err := p.Live.Get(ctx, types.NamespacedName{Namespace: p.sb.Namespace, Name: *objects.Claims[0].Name}, &claim)
	if client.IgnoreNotFound(err) != nil || (err == nil && claim.UID == ref.UID) {
		return "", client.IgnoreNotFound(err)
	}
	return held, p.deleteObject(ctx, &volume)
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

// isClaimGone says whether no claim of a target is there any more. The cache may not have heard of it yet, and what users are told to do
// depends on it. In the place of somebody's there may be another one.
func (p *pass) isClaimGone(ctx context.Context, target *v1alpha1.Target) (bool, error) {
	for _, name := range storage.ClaimNames(p.sb, target) {
		var claim corev1.PersistentVolumeClaim
		err := p.Live.Get(ctx, types.NamespacedName{Namespace: p.sb.Namespace, Name: name}, &claim)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return false, fmt.Errorf("get claim of target %s: %w", target.Name, err)
		case !storage.IsProvisioned(target):
			return isReplaced(p.targetStatus(target.Name), &claim), nil
		case ours.Owned(p.sb, &claim):
			return false, nil
		}
	}
	return true, nil
}

// handlesOf names the volumes of a target as their storage calls them.
func (s *scope) handlesOf(target *v1alpha1.Target) string {
	var handles []string
	for _, volume := range s.targetStatus(target.Name).Volumes {
		handles = append(handles, cmp.Or(volume.Handle, volume.Name))
	}
	return strings.Join(handles[:min(len(handles), maxNamed)], ", ")
}
