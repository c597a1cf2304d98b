// Package host changes this machine for a cluster, and undoes the changes.
package host

import (
	"errors"
	"io/fs"
	"os"

	"github.com/storagebench/storagebench/test/localcluster/internal/loopdev"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// outsideDirs are directories that containerd, the CNI plugins, the kubelet and
// mount(8) make at fixed places.
var outsideDirs = []string{"/run/containerd", "/run/mount", "/var/lib/cni", "/var/log/containers", "/var/lib/kubelet", "/opt/containerd"}

// Journal is what the machine was like before. It is written before anything is
// changed, so that a half-finished `up` can be undone too.
type Journal struct {
	path string

	// Sysctls by name, those the cluster's components are known to change.
	Sysctls map[string]string `json:"sysctls"`
	// Addresses that were added to lo.
	Addresses []string `json:"addresses"`
	// LoopDevices that existed.
	LoopDevices []int `json:"loopDevices"`
	// MissingDirs did not exist.
	MissingDirs []string `json:"missingDirs"`
	// ServiceTables is true when kube-proxy's nft tables are the cluster's.
	ServiceTables bool `json:"serviceTables"`
}

// LoadJournal reads a journal; a missing one is fs.ErrNotExist.
func LoadJournal(path string) (*Journal, error) {
	j := &Journal{path: path}
	return j, state.ReadJSON(path, j)
}

// OpenJournal reads a journal, or begins one with the machine as it is.
func OpenJournal(path string) (*Journal, error) {
	j, err := LoadJournal(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return j, err
	}
	if j.Sysctls, err = readSysctls(); err != nil {
		return nil, err
	}
	if j.LoopDevices, err = loopdev.Numbers(); err != nil {
		return nil, err
	}
	for _, dir := range outsideDirs {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			j.MissingDirs = append(j.MissingDirs, dir)
		}
	}
	return j, j.save()
}

func (j *Journal) save() error { return state.WriteJSON(j.path, j, 0o644) }
