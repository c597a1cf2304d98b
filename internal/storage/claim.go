// Package storage turns the targets of a benchmark into the objects that provision their volumes.
package storage

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
)

// DefaultCapacity is the size of a new volume whose target does not give one.
var DefaultCapacity = resource.MustParse("10Gi")

// Capacity returns the size of the target's new volume.
func Capacity(t *v1alpha1.Target) resource.Quantity {
	return ptr.Deref(t.Capacity, DefaultCapacity)
}

// VolumeMode returns the mode of the target's new volume.
func VolumeMode(t *v1alpha1.Target) corev1.PersistentVolumeMode {
	return ptr.Deref(t.VolumeMode, corev1.PersistentVolumeFilesystem)
}

// AccessMode returns the access mode of the target's new volume.
func AccessMode(t *v1alpha1.Target) corev1.PersistentVolumeAccessMode {
	return ptr.Deref(t.AccessMode, corev1.ReadWriteOnce)
}

// IsProvisioned says whether the target's volume is made for the benchmark, and so deleted after it.
func IsProvisioned(t *v1alpha1.Target) bool { return t.ClaimName == nil }

// ClaimName returns the name of the target's PersistentVolumeClaim.
func ClaimName(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target) string {
	if t.ClaimName != nil {
		return *t.ClaimName
	}
	return child.Name(sb, t.Name)
}

// Claim returns the PersistentVolumeClaim of a provisioned target.
func Claim(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target) *corev1ac.PersistentVolumeClaimApplyConfiguration {
	return corev1ac.PersistentVolumeClaim(ClaimName(sb, t), sb.Namespace).
		WithLabels(child.Labels(sb, v1alpha1.LabelTarget, t.Name)).
		WithOwnerReferences(child.OwnerReference(sb)).
		WithSpec(corev1ac.PersistentVolumeClaimSpec().
			WithStorageClassName(ptr.Deref(t.StorageClassName, "")).
			WithAccessModes(AccessMode(t)).
			WithVolumeMode(VolumeMode(t)).
			WithResources(corev1ac.VolumeResourceRequirements().
				WithRequests(corev1.ResourceList{corev1.ResourceStorage: Capacity(t)})))
}
