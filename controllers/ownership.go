package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
)

// ownedByOthers names one of the objects that is there and somebody else's, "" if there is none. Applied, it would be taken over where
// its spec is the same, and deleted at the end with the data that it stands for. Jobs and pods need no such look: their specs
// cannot be the same, and the API server refuses to change them.
func (p *pass) ownedByOthers(ctx context.Context, objects storage.Objects) (string, error) {
	for _, look := range []func(context.Context, storage.Objects) (string, error){p.classOfOthers, p.volumeOfOthers, p.claimOfOthers} {
		if name, err := look(ctx, objects); name != "" || err != nil {
			return name, err
		}
	}
	return "", nil
}

func (p *pass) classOfOthers(ctx context.Context, objects storage.Objects) (string, error) {
	if objects.Class == nil {
		return "", nil
	}
	var classes storagev1.StorageClassList
	if err := p.Live.List(ctx, &classes); err != nil {
		return "", fmt.Errorf("list StorageClasses: %w", err)
	}
	for i := range classes.Items {
		if class := &classes.Items[i]; class.Name == ptr.Deref(objects.Class.Name, "") && !ours.ClusterObject(p.sb, class) {
			return "StorageClass " + class.Name, nil
		}
	}
	return "", nil
}

func (p *pass) volumeOfOthers(ctx context.Context, objects storage.Objects) (string, error) {
	if objects.Volume == nil {
		return "", nil
	}
	var volume corev1.PersistentVolume
	err := p.Live.Get(ctx, client.ObjectKey{Name: ptr.Deref(objects.Volume.Name, "")}, &volume)
	if err != nil || ours.ClusterObject(p.sb, &volume) {
		return "", unlessGone(err, "get PersistentVolume")
	}
	return "PersistentVolume " + volume.Name, nil
}

// claimOfOthers looks at all claims at once, of which there may be one for each client.
func (p *pass) claimOfOthers(ctx context.Context, objects storage.Objects) (string, error) {
	wanted := map[string]bool{}
	for _, claim := range objects.Claims {
		wanted[ptr.Deref(claim.Name, "")] = true
	}
	var claims corev1.PersistentVolumeClaimList
	if err := listLive(ctx, p.Live, &claims, client.InNamespace(p.sb.Namespace)); err != nil {
		return "", fmt.Errorf("list claims: %w", err)
	}
	made := ours.ClaimTargets(p.sb)
	for i := range claims.Items {
		if claim := &claims.Items[i]; wanted[claim.Name] && !ours.Claim(p.sb, made, claim) {
			return "PersistentVolumeClaim " + claim.Name, nil
		}
	}
	return "", nil
}
