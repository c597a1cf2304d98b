// Package efscsi is a local stand-in for the CSI driver of Amazon EFS: it takes the
// parameters that aws-efs-csi-driver documents, refuses what that driver or EFS
// refuses, and mounts directories by FUSE that are as slow as an EFS would be.
package efscsi

import (
	"context"
	"log/slog"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
	"github.com/storagebench/storagebench/hack/localcluster/internal/documented"
	"github.com/storagebench/storagebench/hack/localcluster/internal/efsfuse"
)

const (
	// DriverName is the name of the real driver.
	DriverName = "efs.csi.aws.com"
	// SocketName is its name among the sockets of a node.
	SocketName = "efs"
)

// Options of a driver.
type Options struct {
	// FileSystems is the directory of the file systems.
	FileSystems string
	// Mounts is a directory above all targets. Mounts there that an earlier driver
	// served are dead, and detached at the start.
	Mounts string
	Log    *slog.Logger
}

// Driver serves all nodes of a cluster, because the nodes share the limits of a file
// system.
type Driver struct {
	store store
	known documented.Driver
	log   *slog.Logger
	// changes is held while access points change.
	changes sync.Mutex

	mu      sync.Mutex
	servers map[string]*efsfuse.Server
}

// New returns a driver. The process loses its umask: modes come from clients.
func New(o Options) (*Driver, error) {
	known, err := documented.EFS()
	if err != nil {
		return nil, err
	}
	if err := efsfuse.DetachStale(o.Mounts); err != nil {
		return nil, err
	}
	unix.Umask(0)
	return &Driver{store: store{dir: o.FileSystems}, known: known, log: o.Log, servers: map[string]*efsfuse.Server{}}, nil
}

// nodeDriver is the driver as one node sees it.
type nodeDriver struct {
	csi.UnimplementedControllerServer
	csi.UnimplementedNodeServer
	*Driver

	nodeID string

	mounting sync.Mutex
	// connections of the node by file system: a client has one, whatever it mounts.
	connections map[string]*efsfuse.Connection
	mounts      map[string]*efsfuse.Mount // by target path
}

func (d *Driver) onNode(nodeID string) *nodeDriver {
	return &nodeDriver{
		Driver: d, nodeID: nodeID,
		connections: map[string]*efsfuse.Connection{}, mounts: map[string]*efsfuse.Mount{},
	}
}

// ServeNode serves a node until the context ends.
func (d *Driver) ServeNode(ctx context.Context, node csiserve.Node) error {
	n := d.onNode(node.Name)
	return csiserve.Serve(ctx, csiserve.Driver{Name: DriverName, Controller: n, Node: n, Log: d.log}, node.Sockets(SocketName))
}

// server returns what the clients of a file system share.
func (d *Driver) server(fsID string) (*efsfuse.Server, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.servers[fsID] != nil {
		return d.servers[fsID], nil
	}
	limits, err := d.store.limits(fsID)
	if err != nil {
		return nil, err
	}
	d.servers[fsID] = efsfuse.NewServer(limits)
	return d.servers[fsID], nil
}
