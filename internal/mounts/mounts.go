// Package mounts finds the mount that a directory is on, by what Linux says of the process's mounts.
package mounts

import (
	"path/filepath"
	"strings"

	"github.com/prometheus/procfs"
)

// Of returns the mount that an absolute path is on, nil if that is not known. root is where /proc is: / but in tests.
func Of(root, path string) *procfs.MountInfo {
	proc, err := procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint))
	if err != nil {
		return nil
	}
	all, err := proc.GetMounts()
	if err != nil {
		return nil
	}
	return deepest(all, path)
}

// deepest returns the mount that a path is on. A later mount hides an earlier one at the same place.
func deepest(all []*procfs.MountInfo, path string) (found *procfs.MountInfo) {
	for _, mount := range all {
		below := strings.HasPrefix(path+"/", strings.TrimSuffix(mount.MountPoint, "/")+"/")
		if below && (found == nil || len(mount.MountPoint) >= len(found.MountPoint)) {
			found = mount
		}
	}
	return found
}
