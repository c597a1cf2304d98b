//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// diskOf returns the file that a volume of the local cluster is on.
func diskOf(t *testing.T, volume *corev1.PersistentVolume) string {
	t.Helper()
	return filepath.Join(localClusterDirectory(t), "volumes", volume.Spec.CSI.VolumeHandle, "disk.img")
}

// loopDeviceOf returns the name of the loop device of a volume, "" if it is at no node: of its disk, or of the file as which a disk with limits is served.
func loopDeviceOf(volume *corev1.PersistentVolume) string {
	backing, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	if err != nil {
		return ""
	}
	for _, path := range backing {
		// Another one's may end at any time. The kubelet attaches a device of its own to a block volume, whose path has the volume's name as well.
		if text, err := os.ReadFile(path); err == nil && strings.HasSuffix(strings.TrimSpace(string(text)), "/"+volume.Spec.CSI.VolumeHandle+"/disk.img") {
			return filepath.Base(filepath.Dir(filepath.Dir(path)))
		}
	}
	return ""
}
