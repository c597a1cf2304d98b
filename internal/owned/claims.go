package owned

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Claims are claims that were made for a benchmark, by their names.
type Claims map[string]*corev1.PersistentVolumeClaim

// ClaimsOf returns claims by their names.
func ClaimsOf(all []*corev1.PersistentVolumeClaim) Claims {
	claims := Claims{}
	for _, claim := range all {
		claims[claim.Name] = claim
	}
	return claims
}

// IsReplaced reports whether a claim is not the one that was recorded under its name.
func IsReplaced(status *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim) bool {
	noted := status.ClaimUID(claim.Name)
	return noted != "" && noted != claim.UID
}

// IsDevice says whether a claim is of a raw block volume.
func IsDevice(claim *corev1.PersistentVolumeClaim) bool {
	return ptr.Deref(claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == corev1.PersistentVolumeBlock
}
