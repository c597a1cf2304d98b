// Package efs makes and mounts volumes of a local stand-in for the CSI driver of Amazon EFS: it takes the parameters that
// aws-efs-csi-driver documents, refuses what that driver or EFS refuses, and mounts directories by FUSE that are as slow
// as an EFS would be.
package efs

import (
	"log/slog"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/documented"
	"github.com/storagebench/storagebench/test/localcluster/internal/efsfuse"
)

// Volumes are the access points and directories of all file systems, which nodes share
// with their limits.
type Volumes struct {
	store store
	known documented.Driver
	log   *slog.Logger
	// changes is held while access points change.
	changes sync.Mutex

	mu      sync.Mutex
	servers map[string]*efsfuse.Server
}

// Open returns the volumes of a directory of file systems. Mounts that an earlier driver
// served are dead, and detached. The process loses its umask: modes come from clients.
func Open(o csidriver.Options) (*Volumes, error) {
	known, err := documented.EFS()
	if err != nil {
		return nil, err
	}
	if err := efsfuse.DetachStale(o.Mounts); err != nil {
		return nil, err
	}
	unix.Umask(0)
	return &Volumes{store: store{dir: o.Volumes}, known: known, log: o.Log, servers: map[string]*efsfuse.Server{}}, nil
}

// Close is part of csidriver.Volumes.
func (*Volumes) Close() error { return nil }

// onNode are the volumes as one node sees them.
type onNode struct {
	*Volumes

	nodeID string

	mounting sync.Mutex
	// connections of the node by file system: a client has one, whatever it mounts.
	connections map[string]*efsfuse.Connection
	mounts      map[string]*efsfuse.Mount // by target path
}

// On is part of csidriver.Volumes.
func (v *Volumes) On(node csidriver.Node) csidriver.NodeVolumes { return v.onNode(node.Name) }

func (v *Volumes) onNode(nodeID string) *onNode {
	return &onNode{
		Volumes: v, nodeID: nodeID,
		connections: map[string]*efsfuse.Connection{}, mounts: map[string]*efsfuse.Mount{},
	}
}

// server returns what the clients of a file system share.
func (v *Volumes) server(fsID string) (*efsfuse.Server, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.servers[fsID] != nil {
		return v.servers[fsID], nil
	}
	limits, err := v.store.limits(fsID)
	if err != nil {
		return nil, err
	}
	v.servers[fsID] = efsfuse.NewServer(limits)
	return v.servers[fsID], nil
}
