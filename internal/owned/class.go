package owned

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/internal/storage"
)

// ClassOf returns what is known of where the volume of somebody's claim comes from. The volume is nil if the claim has
// none yet; class is empty if there is none of the name that the claim gives.
func ClassOf(volume *corev1.PersistentVolume, class *storagev1.StorageClass) storage.Class {
	of := storage.ClassOf(class)
	if volume == nil {
		return of
	}
	of.Driver, of.Bucket = Driver(volume), bucketOf(volume)
	of.Capacity = new(volume.Spec.Capacity[corev1.ResourceStorage])
	of.Unknown = !isOfClass(volume, class)
	return of
}

// AttributesClass returns the name of the VolumeAttributesClass that a claim's volume has, "" if it has none. The
// volume is nil if the claim has none yet.
func AttributesClass(claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) string {
	if volume != nil {
		return ptr.Deref(volume.Spec.VolumeAttributesClassName, "")
	}
	return ptr.Deref(claim.Spec.VolumeAttributesClassName, "")
}

// isOfClass reports whether a volume was made by what a StorageClass says. A class can be deleted, and another one take
// its name.
func isOfClass(volume *corev1.PersistentVolume, class *storagev1.StorageClass) bool {
	made := Provisioner(volume)
	return made != "" && storage.DriverOf(made) == storage.DriverOf(class.Provisioner) &&
		!volume.CreationTimestamp.Before(&class.CreationTimestamp)
}

// bucketOf returns the bucket of AWS that a volume is a part of, "" if it is of none.
// https://github.com/awslabs/mountpoint-s3-csi-driver/blob/main/docs/CONFIGURATION.md
func bucketOf(volume *corev1.PersistentVolume) string {
	csi := volume.Spec.CSI
	if csi == nil || csi.Driver != storage.S3Driver || slices.ContainsFunc(volume.Spec.MountOptions, isEndpoint) {
		return ""
	}
	return csi.VolumeAttributes["bucketName"]
}

// isEndpoint reports whether an option of Mountpoint names another store than AWS. Users write it with and without
// dashes.
func isEndpoint(option string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(option, "- "), "=")
	name, _, _ = strings.Cut(name, " ")
	return name == "endpoint-url"
}
