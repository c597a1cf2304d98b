package storage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	storagev1ac "k8s.io/client-go/applyconfigurations/storage/v1"
	"k8s.io/utils/ptr"
)

// What provisions a target's storage is made when a benchmark begins, and may be needed once more when the operator has been upgraded, which would make it
// otherwise. Kubernetes changes neither the parameters of a StorageClass nor the source of a PersistentVolume.

// ClassDiffers says in what a StorageClass differs from the one that would be made now, of what its volumes depend on: a text for each difference. They
// do not depend on its reclaim policy, on when it binds, or on tags.
func ClassDiffers(there *storagev1.StorageClass, wanted *storagev1ac.StorageClassApplyConfiguration) []string {
	var d differences
	d.compare("provisioner", there.Provisioner, ptr.Deref(wanted.Provisioner, ""))
	d.compareMaps("parameters", withoutTags(there.Parameters), withoutTags(wanted.Parameters))
	d.compare("mountOptions", strings.Join(there.MountOptions, ","), strings.Join(wanted.MountOptions, ","))
	return d
}

// VolumeDiffers says the same of a PersistentVolume of storage that is mounted as it is.
func VolumeDiffers(there *corev1.PersistentVolume, wanted *corev1ac.PersistentVolumeApplyConfiguration) []string {
	source := ptr.Deref(there.Spec.CSI, corev1.CSIPersistentVolumeSource{})
	var d differences
	d.compare("driver", source.Driver, ptr.Deref(wanted.Spec.CSI.Driver, ""))
	d.compare("volumeHandle", source.VolumeHandle, ptr.Deref(wanted.Spec.CSI.VolumeHandle, ""))
	d.compareMaps("volumeAttributes", source.VolumeAttributes, wanted.Spec.CSI.VolumeAttributes)
	d.compare("mountOptions", strings.Join(there.Spec.MountOptions, ","), strings.Join(wanted.Spec.MountOptions, ","))
	d.compare("volumeMode", string(ptr.Deref(there.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)), string(ptr.Deref(wanted.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)))
	return d
}

// withoutTags leaves out the tags of EBS volumes.
func withoutTags(parameters map[string]string) map[string]string {
	rest := maps.Clone(parameters)
	maps.DeleteFunc(rest, func(name, _ string) bool { return strings.HasPrefix(name, tagParameter) })
	return rest
}

// differences are texts, one for each.
type differences []string

func (d *differences) compare(field, there, wanted string) {
	if there != wanted {
		*d = append(*d, fmt.Sprintf("%s is %q, and would be %q", field, there, wanted))
	}
}

func (d *differences) compareMaps(field string, there, wanted map[string]string) {
	all := maps.Clone(there)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, wanted)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d.compare(field+"."+name, there[name], wanted[name])
	}
}
