package controllers

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/volumes"
)

// lateVolumes looks for volumes that nobody has heard of: their claims were deleted before they were bound, such as by a deadline
// that the provisioner did not keep. A StorageClass that retains volumes would leave them for good. Only volumes tell whose they are,
// so all of the cluster are looked at, page by page: once, when nothing else is left, and where volumes are missing. One that was there before is kept, and
// named: nobody else tells where test files may be.
func (p *pass) lateVolumes(ctx context.Context) ([]cleanup.Leftover, error) {
	if p.namespaces.AreSet() || !volumes.AreMissing(p.sb) {
		return nil, nil
	}
	claims, err := p.liveClaims(ctx) // of those that somebody has just made, the volumes are somebody's
	if err != nil {
		return nil, err
	}
	if own := p.OwnClaims(claims); len(own) > 0 { // of a call whose answer was lost; the next pass removes them
		return each(own, cleanup.LeftClaim), nil
	}
	var late []*corev1.PersistentVolume
	err = p.eachVolume(ctx, func(volume *corev1.PersistentVolume) {
		if p.IsLateVolume(volume, claims) {
			late = append(late, volume.DeepCopy()) // of a page with many others
		}
	})
	if err != nil {
		return nil, err
	}
	fates, errs := gather(ctx, parallelCalls, late, func(volume *corev1.PersistentVolume) (cleanup.Fate, error) {
		return p.tieVolume(ctx, volume, p.FateOfVolume(volume, p.sb.CreationTimestamp, true))
	})
	var left []cleanup.Leftover
	for i, volume := range late {
		device := ptr.Deref(volume.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == corev1.PersistentVolumeBlock
		status := v1alpha1.VolumeStatus{Name: volume.Name, Handle: volumes.Handle(volume)}
		left = append(left, cleanup.LeftVolume(status, fates[i])...)
		if fates[i] == cleanup.Stays {
			p.kept.Add(status, device)
		}
	}
	return left, errors.Join(errs...)
}
