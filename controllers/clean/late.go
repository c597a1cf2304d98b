package clean

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/owned"
)

// LateVolumes looks for volumes that nobody has heard of: their claims were deleted before they were bound, such as by
// a deadline that the provisioner did not keep. A StorageClass that retains volumes would leave them for good. Only
// volumes tell whose they are, so all of the cluster are looked at, page by page: once, when nothing else is left, and
// where volumes are missing. One that was there before is kept, and named: nobody else tells where test files may be.
func LateVolumes(ctx context.Context, p *pass.Pass) ([]cleanup.Leftover, error) {
	if p.Namespaces.AreSet() || !owned.AreMissing(p.SB) {
		return nil, nil
	}
	claims, err := pvc.LiveClaims(ctx, p) // of those that somebody has just made, the volumes are somebody's
	if err != nil {
		return nil, err
	}
	if own := p.Children.OwnClaims(claims); len(own) > 0 { // of a call whose answer was lost; the next pass removes them
		return world.Each(own, cleanup.LeftClaim), nil
	}
	var late []*corev1.PersistentVolume
	err = p.World.EachVolume(ctx, func(volume *corev1.PersistentVolume) {
		if p.Children.IsLateVolume(volume, claims) {
			late = append(late, volume.DeepCopy()) // of a page with many others
		}
	})
	if err != nil {
		return nil, err
	}
	tie := func(volume *corev1.PersistentVolume) (cleanup.Fate, error) {
		return pvc.TieVolume(ctx, p, volume, p.Children.FateOfVolume(volume, p.SB.CreationTimestamp, true))
	}
	fates, errs := world.Gather(ctx, world.ParallelCalls, late, tie)
	var left []cleanup.Leftover
	for i, volume := range late {
		device := ptr.Deref(volume.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == corev1.PersistentVolumeBlock
		status := v1alpha1.VolumeStatus{Name: volume.Name, Handle: owned.Handle(volume)}
		left = append(left, cleanup.LeftVolume(status, fates[i])...)
		if fates[i] == cleanup.Stays {
			p.Kept.Add(status, device)
		}
	}
	return left, errors.Join(errs...)
}
