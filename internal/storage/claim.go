package storage

import (
	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
)

// claim returns the PersistentVolumeClaim of a target that is provisioned by a StorageClass.
func claim(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, class string) *corev1ac.PersistentVolumeClaimApplyConfiguration {
	spec := corev1ac.PersistentVolumeClaimSpec().
		WithStorageClassName(class).
		WithAccessModes(AccessMode(t)).
		WithVolumeMode(VolumeMode(t)).
		WithResources(corev1ac.VolumeResourceRequirements().
			WithRequests(corev1.ResourceList{corev1.ResourceStorage: Capacity(t)}))
	if t.VolumeAttributesClassName != nil {
		spec.WithVolumeAttributesClassName(*t.VolumeAttributesClassName)
	}
	return corev1ac.PersistentVolumeClaim(ClaimName(sb, t), sb.Namespace).
		WithLabels(child.Labels(sb, v1alpha1.LabelTarget, t.Name)).
		WithOwnerReferences(child.OwnerReference(sb)).
		WithSpec(spec)
}
