package controllers

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/job"
)

// A raw block volume has no files, and nothing is ever laid out on it or removed from it: all that is written there is what a workload asks fio to write.
// On somebody's claim the plan refuses such workloads. A claim of a StorageClass is new, but Kubernetes may bind it to a device that was there before, which
// an administrator has freed, or made by hand. So fio opens a device to write only where a job writes.

// isOnlyRead says whether a run only reads the device that it works on.
func isOnlyRead(volume job.Volume, file *fio.JobFile) bool {
	return volume.Mode == corev1.PersistentVolumeBlock && !file.Overwrites()
}

// isDevice says whether a claim is of a raw block volume.
func isDevice(claim *corev1.PersistentVolumeClaim) bool {
	return ptr.Deref(claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == corev1.PersistentVolumeBlock
}

// isOnDevice says whether a volume that is in the status is a raw block volume.
func (s *scope) isOnDevice(volume string) bool {
	return slices.ContainsFunc(s.sb.Status.Targets, func(t v1alpha1.TargetStatus) bool {
		return t.VolumeMode == corev1.PersistentVolumeBlock && volumeIndex(&t, volume) >= 0
	})
}

// keep notes a volume that was not made for the benchmark, and stays.
func (s *scope) keep(volume v1alpha1.VolumeStatus, device bool) {
	name := fmt.Sprintf("%s (%s)", volume.Name, volume.Handle)
	if device {
		s.keptDevices = append(s.keptDevices, name)
	} else {
		s.kept = append(s.kept, name)
	}
}

// describeAllKept names all volumes that were there before the benchmark and are as they were, but for what was written there.
func (s *scope) describeAllKept() string {
	texts := []string{
		describeKept("volume", s.kept, "what is left of test files is in its directory "+child.Directory(s.sb)),
		describeKept("raw block volume", s.keptDevices, "what workloads wrote there is on it, and nothing else was changed"),
	}
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// describeKept names volumes of a kind, and says what is different there than before.
func describeKept(kind string, volumes []string, but string) string {
	if len(volumes) == 0 {
		return ""
	}
	return fmt.Sprintf("kept, because it was not made for this benchmark: %s %s, which a claim was bound to; %s", kind, describeSome(volumes), but)
}

// describeSome names as many things as a message has room for.
func describeSome(names []string) string {
	shown := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return shown
}
