package controllers

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/internal/volumes"
)

// lateVolumes looks for volumes that nobody has heard of: their claims were deleted before they were bound, such as by a deadline
// that the provisioner did not keep. A StorageClass that retains volumes would leave them for good. Only volumes tell whose they are,
// so all of the cluster are looked at, page by page: once, when nothing else is left, and where volumes are missing. One that was there before is kept, and
// named: nobody else tells where test files may be.
func (p *pass) lateVolumes(ctx context.Context, claims []corev1.PersistentVolumeClaim) ([]cleanup.Leftover, error) {
	if p.isNamespaced() || !p.lacksVolumes() {
		return nil, nil
	}
	var late []*corev1.PersistentVolume
	err := p.eachVolume(ctx, func(volume *corev1.PersistentVolume) {
		if p.isLate(volume, claims) {
			late = append(late, volume.DeepCopy()) // of a page with many others
		}
	})
	if err != nil {
		return nil, err
	}
	fates, errs := gather(ctx, parallelCalls, late, func(volume *corev1.PersistentVolume) (cleanup.Fate, error) {
		return p.tieVolume(ctx, volume, p.fateOf(volume, p.sb.CreationTimestamp, true))
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

// lacksVolumes says whether there may be volumes of claims that were made, which are not in the status.
func (s *scope) lacksVolumes() bool {
	return s.sb.Status.StartTime != nil && slices.ContainsFunc(s.sb.Spec.Targets, func(t v1alpha1.Target) bool {
		status := s.sb.Status.Target(t.Name)
		return storage.IsProvisioned(&t) && (len(status.Volumes) < int(storage.Claims(s.sb, &t)) || status.RunsBeforeReplacement != nil)
	})
}

// isLate says whether a volume was made for a claim of the benchmark, and is not in the status. The claims are those that are
// there: one of them that is somebody else's has the volume for itself.
func (s *scope) isLate(volume *corev1.PersistentVolume, claims []corev1.PersistentVolumeClaim) bool {
	ref := volume.Spec.ClaimRef
	if ref == nil || ref.Namespace != s.sb.Namespace {
		return false
	}
	target := s.ClaimTargets[ref.Name]
	if target == "" || slices.ContainsFunc(claims, func(c corev1.PersistentVolumeClaim) bool { return c.UID == ref.UID }) {
		return false
	}
	return !slices.ContainsFunc(s.sb.Status.Target(target).Volumes, func(v v1alpha1.VolumeStatus) bool { return v.Name == volume.Name })
}
