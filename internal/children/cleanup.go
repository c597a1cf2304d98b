package children

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// This file has what children tell clean-up.

// FoundClaim says what a claim is that has the name of one of a target. It is empty if there is none.
func (c *Children) FoundClaim(target *v1alpha1.Target, claim *corev1.PersistentVolumeClaim) cleanup.Found {
	switch {
	case claim.Name == "":
		return cleanup.Gone
	case !storage.IsProvisioned(target) && owned.IsReplaced(c.Benchmark.Status.Target(target.Name), claim),
		storage.IsProvisioned(target) && !c.IsOwnClaim(claim):
		return cleanup.Other
	case owned.IsDevice(claim): // whatever the status says
		return cleanup.Device
	case !claim.DeletionTimestamp.IsZero():
		return cleanup.Ending
	default:
		return cleanup.There
	}
}

// CleanerName returns the name of the first client's Job that removes files of a target, "" if there is none.
func (c *Children) CleanerName(target *v1alpha1.Target) string {
	if name := childmeta.CleanUpName(c.Benchmark, target.Name, 0); c.Jobs[name] != nil {
		return name
	}
	return ""
}

// HasFailedToClean reports whether a Job that was to remove files of a target has failed for good. Kubernetes repeats no
// pod that a sidecar keeps running, so there the first failure is final.
func (c *Children) HasFailedToClean(target *v1alpha1.Target) bool {
	for client := range storage.Claims(c.Benchmark, target) {
		existing := c.Jobs[childmeta.CleanUpName(c.Benchmark, target.Name, client)]
		if existing == nil {
			continue
		}
		exit, isRunning := c.exitOfCleaner(existing)
		if attempt.JobHasFailed(existing) || exit > 0 && isRunning {
			return true
		}
	}
	return false
}

// HasCleaned reports whether the Job that removes a client's files of a target has done so.
func (c *Children) HasCleaned(j *batchv1.Job) bool {
	exit, _ := c.exitOfCleaner(j)
	return j.Status.Succeeded > 0 || exit == 0
}

// exitOfCleaner returns the exit code of the container that removes test files in the newest pod of a Job, -1 while it has
// none, and whether other containers of the pod still run.
func (c *Children) exitOfCleaner(j *batchv1.Job) (code int32, isRunning bool) {
	pod := Newest(c.Pods[j.Name])
	if pod == nil {
		return -1, false
	}
	status := attempt.ContainerStatus(pod.Status.ContainerStatuses, job.CleanContainer)
	if status == nil || status.State.Terminated == nil {
		return -1, true
	}
	return status.State.Terminated.ExitCode, !attempt.HasEnded(pod)
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
		Bound: bound, AsIs: owned.ClusterObject(c.Benchmark, volume), Made: owned.MadeForItsClaim(volume, since),
		Deletes: volume.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete,
	})
}
