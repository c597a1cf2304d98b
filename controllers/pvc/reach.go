package pvc

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// Claims can be deleted by others than the operator, before test files are removed through them. That a claim is gone
// says nothing of files on storage that stays. This file has what is done then.

// FindClaim looks what there is by the name of a claim of a target. The cache may not have heard of it yet, and what is
// done about files, and what users are told to do, depends on it.
func FindClaim(ctx context.Context, p *pass.Pass, target *v1alpha1.Target, name string) (cleanup.Found, error) {
	claim, err := p.World.LiveClaim(ctx, name, "get claim of target "+target.Name)
	if err != nil {
		return "", err
	}
	return p.Children.FoundClaim(target, claim), nil
}

// IsClaimGone reports whether no claim of a target exists any more. Another claim may have replaced a user's claim.
func IsClaimGone(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) (bool, error) {
	for _, name := range storage.ClaimNames(p.SB, target) {
		if found, err := FindClaim(ctx, p, target, name); err != nil || !found.IsLost() {
			return false, err
		}
	}
	return true, nil
}

// LostVolumes returns what is known of the volumes of a claim of somebody's that is gone.
func LostVolumes(ctx context.Context, p *pass.Pass, target *v1alpha1.Target) ([]cleanup.LostVolume, error) {
	noted := p.SB.Status.Target(target.Name).Volumes
	lost := make([]cleanup.LostVolume, len(noted))
	for i := range lost {
		var err error
		if lost[i], err = lostVolume(ctx, p, noted[i].Name); err != nil {
			return nil, err
		}
	}
	return lost, nil
}

// lostVolume returns what is known of a volume whose claim is gone.
func lostVolume(ctx context.Context, p *pass.Pass, name string) (cleanup.LostVolume, error) {
	if p.Namespaces.AreSet() {
		return cleanup.LostVolume{Unseen: true}, nil
	}
	pv, err := p.World.LiveVolume(ctx, name, "get volume "+name)
	if err != nil {
		return cleanup.LostVolume{}, err
	}
	held, err := isHeld(ctx, p, pv)
	return cleanup.LostVolume{
		Held: held, Policy: pv.Spec.PersistentVolumeReclaimPolicy,
		Provisioner: owned.Provisioner(pv), Driver: owned.Driver(pv),
	}, err
}

// isHeld reports whether the claim that a volume is bound to exists and is not being deleted.
func isHeld(ctx context.Context, p *pass.Pass, volume *corev1.PersistentVolume) (bool, error) {
	ref := volume.Spec.ClaimRef
	if ref == nil {
		return false, nil
	}
	claim := &corev1.PersistentVolumeClaim{}
	err := p.World.Live.Get(ctx, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, claim)
	isBound := err == nil && owned.IsBound(volume, claim) && claim.DeletionTimestamp.IsZero()
	return isBound, world.UnlessGone(err, "get claim of volume "+volume.Name)
}
