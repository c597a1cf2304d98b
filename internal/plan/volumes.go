package plan

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// Volume is what was found of a target's volumes, which its spec does not say.
type Volume struct {
	// Mode is that of a claim that exists.
	Mode corev1.PersistentVolumeMode
	// Driver is the CSI driver of a StorageClass or of a claim.
	Driver string
}

// Volumes has what was found of the volumes of targets, by the names of the targets. A plan that is made without a
// cluster has nothing, and takes claims for file systems, and StorageClasses and claims for storage of which no rules
// are known.
type Volumes map[string]Volume

// VolumesOf returns what was found of volumes, by status.targets.
func VolumesOf(targets []v1alpha1.TargetStatus) Volumes {
	volumes := make(Volumes, len(targets))
	for i := range targets {
		volumes[targets[i].Name] = Volume{Mode: targets[i].VolumeMode, Driver: targets[i].Driver}
	}
	return volumes
}

// KindOf returns what the storage of a target is.
func (v Volumes) KindOf(t *v1alpha1.Target) storage.Kind { return storage.KindOf(t, v[t.Name].Driver) }

// ModeOf returns the volume mode of a target.
func (v Volumes) ModeOf(t *v1alpha1.Target) corev1.PersistentVolumeMode {
	if storage.IsProvisioned(t) {
		return storage.VolumeMode(t)
	}
	return cmp.Or(v[t.Name].Mode, corev1.PersistentVolumeFilesystem)
}

// ReadOnly reports whether nothing may be written to a target: a device that existed before holds data that fio would
// overwrite, where a file system has room for files beside.
func (v Volumes) ReadOnly(t *v1alpha1.Target) bool {
	return !storage.IsProvisioned(t) && v.ModeOf(t) == corev1.PersistentVolumeBlock
}
