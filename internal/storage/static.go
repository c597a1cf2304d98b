package storage

import (
	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// csiVolume is storage that exists, as its driver is told.
type csiVolume struct {
	driver       string
	handle       string
	attributes   map[string]string
	mountOptions []string
}

// static returns a PersistentVolume of storage that exists, and the claim that is bound to it and to no other. The
// volume is retained, because nothing was provisioned: deleting it deletes no storage.
func static(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, v csiVolume) Objects {
	source := corev1ac.CSIPersistentVolumeSource().WithDriver(v.driver).WithVolumeHandle(v.handle)
	if len(v.attributes) > 0 {
		source.WithVolumeAttributes(v.attributes)
	}
	name := childmeta.Name(sb, t.Name)
	volume := corev1ac.PersistentVolume(name).
		WithLabels(childmeta.ClusterLabels(sb, v1alpha1.LabelTarget, t.Name)).
		WithSpec(corev1ac.PersistentVolumeSpec().
			// Required, and without a meaning for the driver.
			WithCapacity(corev1.ResourceList{corev1.ResourceStorage: Capacity(t)}).
			WithAccessModes(AccessMode(t)).
			WithVolumeMode(VolumeMode(t)).
			WithPersistentVolumeReclaimPolicy(corev1.PersistentVolumeReclaimRetain).
			WithStorageClassName("").
			WithMountOptions(v.mountOptions...).
			WithClaimRef(corev1ac.ObjectReference().WithNamespace(sb.Namespace).WithName(name)).
			WithCSI(source))
	bound := claim(sb, t, "", 0)
	bound.Spec.WithVolumeName(name)
	return Objects{Volume: volume, Claims: []*corev1ac.PersistentVolumeClaimApplyConfiguration{bound}}
}
