// Package efs makes and mounts volumes of a local stand-in for the CSI driver of Amazon EFS: it takes the parameters that
// aws-efs-csi-driver documents, refuses what that driver or EFS refuses, and mounts directories by FUSE that are as slow
// as an EFS would be.
package efs

import (
	"log/slog"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/documented"
	"github.com/storagebench/storagebench/test/localcluster/internal/efsfuse"
)

// Volumes are the access points and directories of all file systems, which nodes share
// with their limits.
type Volumes struct {
	csi.UnimplementedControllerServer

	store store
	known documented.Driver
	log   *slog.Logger
	// changes is held while access points change.
	changes sync.Mutex

	mu sync.Mutex
	// connections of clients: a node has one to a file system, whatever it mounts.
	connections map[client]*efsfuse.Connection
}

// client is a node's of a file system.
type client struct{ node, fsID string }

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
	return &Volumes{store: store{dir: o.Volumes}, known: known, log: o.Log, connections: map[client]*efsfuse.Connection{}}, nil
}

// onNode are the volumes as one node sees them.
type onNode struct {
	csi.UnimplementedNodeServer
	*Volumes

	nodeID string

	mounting sync.Mutex
}

// On is part of csidriver.Volumes.
func (v *Volumes) On(node csidriver.Node) csi.NodeServer { return v.onNode(node.Name) }

func (v *Volumes) onNode(nodeID string) *onNode { return &onNode{Volumes: v, nodeID: nodeID} }

// connection returns that of the node to a file system, whose limits it shares with others.
func (d *onNode) connection(fsID string) (*efsfuse.Connection, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	self := client{d.nodeID, fsID}
	if d.connections[self] != nil {
		return d.connections[self], nil
	}
	for other, connection := range d.connections {
		if other.fsID == fsID {
			d.connections[self] = connection.Another()
			return d.connections[self], nil
		}
	}
	limits, err := d.store.limits(fsID)
	if err != nil {
		return nil, err
	}
	d.connections[self] = efsfuse.NewServer(limits).Connect()
	return d.connections[self], nil
}
