package storage

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// claims returns the PersistentVolumeClaims of a target that is provisioned by a StorageClass.
func claims(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, class string) []*corev1ac.PersistentVolumeClaimApplyConfiguration {
	var all []*corev1ac.PersistentVolumeClaimApplyConfiguration
	for client := range Claims(sb, t) {
		all = append(all, claim(sb, t, class, client))
	}
	return all
}

// claim returns the PersistentVolumeClaim of a client.
func claim(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, class string, client int32) *corev1ac.PersistentVolumeClaimApplyConfiguration {
	spec := corev1ac.PersistentVolumeClaimSpec().
		WithStorageClassName(class).
		WithAccessModes(AccessMode(t)).
		WithVolumeMode(VolumeMode(t)).
		WithResources(corev1ac.VolumeResourceRequirements().
			WithRequests(corev1.ResourceList{corev1.ResourceStorage: Capacity(t)}))
	if t.VolumeAttributesClassName != nil {
		spec.WithVolumeAttributesClassName(*t.VolumeAttributesClassName)
	}
	if source := t.DataSource; source != nil {
		// Not dataSourceRef: provisioners take either, and the API server copies the one into the other.
		spec.WithDataSource(dataSource(source))
	}
	return corev1ac.PersistentVolumeClaim(ClaimName(sb, t, client), sb.Namespace).
		WithLabels(childmeta.Labels(sb, v1alpha1.LabelTarget, t.Name, v1alpha1.LabelClient, strconv.Itoa(int(client)))).
		WithOwnerReferences(childmeta.OwnerReference(sb)).
		WithSpec(spec)
}

// dataSource returns a source in the words of claims, which have no group for their own kind.
func dataSource(source *v1alpha1.DataSource) *corev1ac.TypedLocalObjectReferenceApplyConfiguration {
	reference := corev1ac.TypedLocalObjectReference().WithKind(string(source.Kind)).WithName(source.Name)
	if group := ptr.Deref(source.APIGroup, ""); group != "" {
		reference.WithAPIGroup(group)
	}
	return reference
}
