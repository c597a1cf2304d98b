package controllers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/internal/volumes"
)

// Claims can be deleted by others than the operator, before test files are removed through them. That a claim is gone says
// nothing of files on storage that stays. This file has what is done then.

// findClaim looks what there is by the name of a claim of a target. The cache may not have heard of it yet, and what is done about files, and what
// users are told to do, depends on it.
func (p *pass) findClaim(ctx context.Context, target *v1alpha1.Target, name string) (cleanup.Found, error) {
	claim, err := p.liveClaim(ctx, name, "get claim of target "+target.Name)
	if err != nil {
		return "", err
	}
	return p.FoundClaim(target, claim), nil
}

// isClaimGone says whether no claim of a target is there any more. In the place of somebody's there may be another one.
func (p *pass) isClaimGone(ctx context.Context, target *v1alpha1.Target) (bool, error) {
	for _, name := range storage.ClaimNames(p.sb, target) {
		if found, err := p.findClaim(ctx, target, name); err != nil || !found.IsLost() {
			return false, err
		}
	}
	return true, nil
}

// lostVolumes returns what is known of the volumes of a claim of somebody's that is gone.
func (p *pass) lostVolumes(ctx context.Context, target *v1alpha1.Target) ([]cleanup.LostVolume, error) {
	noted := p.sb.Status.Target(target.Name).Volumes
	lost := make([]cleanup.LostVolume, len(noted))
	for i := range lost {
		var err error
		if lost[i], err = p.lostVolume(ctx, noted[i].Name); err != nil {
			return nil, err
		}
	}
	return lost, nil
}

// lostVolume returns what is known of a volume whose claim is gone.
func (p *pass) lostVolume(ctx context.Context, name string) (cleanup.LostVolume, error) {
	if p.namespaces.AreSet() {
		return cleanup.LostVolume{Unseen: true}, nil
	}
	pv, err := p.liveVolume(ctx, name, "get volume "+name)
	if err != nil {
		return cleanup.LostVolume{}, err
	}
	held, err := p.isHeld(ctx, pv)
	return cleanup.LostVolume{Held: held, Policy: pv.Spec.PersistentVolumeReclaimPolicy, Provisioner: volumes.Provisioner(pv), Driver: volumes.Driver(pv)}, err
}

// isHeld says whether the claim that a volume is bound to is there, and stays.
func (p *pass) isHeld(ctx context.Context, volume *corev1.PersistentVolume) (bool, error) {
	ref := volume.Spec.ClaimRef
	if ref == nil {
		return false, nil
	}
	claim := &corev1.PersistentVolumeClaim{}
	err := p.Live.Get(ctx, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, claim)
	return err == nil && volumes.IsBound(volume, claim) && claim.DeletionTimestamp.IsZero(), unlessGone(err, "get claim of volume "+volume.Name)
}

// keepClaims has Kubernetes not delete claims before the test files are removed that are reached through them: deletion with --cascade=foreground
// would. What that promises is so without it: the benchmark stays until all else is gone.
func (p *pass) keepClaims(ctx context.Context) (outcome, error) {
	if !controllerutil.ContainsFinalizer(p.sb, metav1.FinalizerDeleteDependents) || !cleanup.HasFiles(p.sb.Status.Targets) {
		return goOn(), nil
	}
	if p.changed() {
		return saveFirst(), nil // what pods tell of files goes with them
	}
	return awaitFor(retrySoon), unlessGone(p.dropFinalizer(ctx, metav1.FinalizerDeleteDependents), "keep claims until test files are removed")
}
