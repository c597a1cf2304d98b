package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// lateVolumes looks for volumes that nobody has heard of: their claims were deleted before they were bound, such as by a deadline
// that the provisioner did not keep. A StorageClass that retains volumes would leave them for good. Only volumes tell whose they are,
// so all of the cluster are looked at, page by page: once, when nothing else is left, and where volumes are missing. One that was there before is kept, and
// named: nobody else tells where test files may be.
func (p *pass) lateVolumes(ctx context.Context, claims []corev1.PersistentVolumeClaim) ([]leftover, error) {
	if p.isNamespaced() || !p.lacksVolumes() {
		return nil, nil
	}
	var left []leftover
	var errs []error
	err := p.eachVolume(ctx, func(volume *corev1.PersistentVolume) {
		if !p.isLate(volume, claims) {
			return
		}
		fate, err := p.settleVolume(ctx, volume, p.sb.CreationTimestamp, true)
		device := ptr.Deref(volume.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == corev1.PersistentVolumeBlock
		left = append(left, p.leftVolume(v1alpha1.VolumeStatus{Name: volume.Name, Handle: handle(volume)}, device, fate)...)
		errs = append(errs, err)
	})
	if err != nil {
		return nil, err
	}
	return left, errors.Join(errs...)
}

// eachVolume looks at all volumes of the cluster, page by page.
func (p *pass) eachVolume(ctx context.Context, look func(*corev1.PersistentVolume)) error {
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		page := &corev1.PersistentVolumeList{}
		return page, p.Live.List(ctx, page, client.Limit(options.Limit), client.Continue(options.Continue))
	})
	pages.PageBufferSize = 0 // one page in memory, and one on its way
	if err := pages.EachListItem(ctx, metav1.ListOptions{}, looking(look)); err != nil {
		return fmt.Errorf("list PersistentVolumes: %w", err)
	}
	return nil
}

// lacksVolumes says whether there may be volumes of claims that were made, which are not in the status.
func (s *scope) lacksVolumes() bool {
	return s.sb.Status.StartTime != nil && slices.ContainsFunc(s.sb.Spec.Targets, func(t v1alpha1.Target) bool {
		status := s.targetStatus(t.Name)
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
	target := s.claimTargets[ref.Name]
	if target == "" || slices.ContainsFunc(claims, func(c corev1.PersistentVolumeClaim) bool { return c.UID == ref.UID }) {
		return false
	}
	return !slices.ContainsFunc(s.targetStatus(target).Volumes, func(v v1alpha1.VolumeStatus) bool { return v.Name == volume.Name })
}
