package children

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/internal/volumes"
)

// This file has what children tell clean-up.

// FoundClaim says what a claim is that has the name of one of a target. It is empty if there is none.
func (c *Children) FoundClaim(target *v1alpha1.Target, claim *corev1.PersistentVolumeClaim) cleanup.Found {
	switch {
	case claim.Name == "":
		return cleanup.Gone
	case !storage.IsProvisioned(target) && volumes.IsReplaced(c.Benchmark.Status.Target(target.Name), claim),
		storage.IsProvisioned(target) && !c.IsOwnClaim(claim):
		return cleanup.Other
	case volumes.IsDevice(claim): // whatever the status says
		return cleanup.Device
	case !claim.DeletionTimestamp.IsZero():
		return cleanup.Ending
	default:
		return cleanup.There
	}
}

// CleanerName returns the name of the first client's Job that removes files of a target, "" if there is none.
func (c *Children) CleanerName(target *v1alpha1.Target) string {
	if name := job.CleanUpName(c.Benchmark, target.Name, 0); c.Jobs[name] != nil {
		return name
	}
	return ""
}

// HasFailedToClean says whether a Job that was to remove files of a target has failed for good.
func (c *Children) HasFailedToClean(target *v1alpha1.Target) bool {
	for client := range storage.Claims(c.Benchmark, target) {
		if existing := c.Jobs[job.CleanUpName(c.Benchmark, target.Name, client)]; existing != nil && attempt.JobHasFailed(existing) {
			return true
		}
	}
	return false
}

// IsLateVolume says whether a volume was made for a claim of the benchmark, and is not in the status. The claims are those that are
// there: one of them that is somebody else's has the volume for itself.
func (c *Children) IsLateVolume(volume *corev1.PersistentVolume, claims []corev1.PersistentVolumeClaim) bool {
	ref := volume.Spec.ClaimRef
	if ref == nil || ref.Namespace != c.Benchmark.Namespace {
		return false
	}
	target := c.ClaimTargets[ref.Name]
	if target == "" || slices.ContainsFunc(claims, func(claim corev1.PersistentVolumeClaim) bool { return claim.UID == ref.UID }) {
		return false
	}
	return !slices.ContainsFunc(c.Benchmark.Status.Target(target).Volumes, func(v v1alpha1.VolumeStatus) bool { return v.Name == volume.Name })
}

// FateOfVolume says what becomes of a volume that was read. bound says whether it is bound to a claim of the benchmark.
func (c *Children) FateOfVolume(volume *corev1.PersistentVolume, since metav1.Time, bound bool) cleanup.Fate {
	return cleanup.FateOf(cleanup.VolumeFacts{
		Bound: bound, AsIs: ours.ClusterObject(c.Benchmark, volume), Made: ours.MadeForItsClaim(volume, since),
		Deletes: volume.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete,
	})
}
