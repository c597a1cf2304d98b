package owned

import (
	"crypto/sha256"
	"encoding/hex"

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

// UID returns the UID of the claim of a name, "" if it is not among these. Of several names it returns a hash of their UIDs, "" if one of them is missing:
// for all of them the status would have no room.
func (c Claims) UID(names []string) string {
	all := sha256.New()
	for _, name := range names {
		claim := c[name]
		if claim == nil {
			return ""
		}
		if len(names) == 1 {
			return string(claim.UID)
		}
		all.Write([]byte(claim.UID))
	}
	return hex.EncodeToString(all.Sum(nil))[:32]
}

// IsReplaced says whether a claim of somebody's is another one than was measured on.
func IsReplaced(status *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim) bool {
	return status.ClaimsUID != "" && status.ClaimsUID != string(claim.UID)
}

// IsDevice says whether a claim is of a raw block volume.
func IsDevice(claim *corev1.PersistentVolumeClaim) bool {
	return ptr.Deref(claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == corev1.PersistentVolumeBlock
}
