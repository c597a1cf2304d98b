// Package csidriver is the one CSI driver of the local cluster: its identity, its controller and its part on each node,
// for volumes of any kind. A Driver has what differs between the drivers that it poses as.
package csidriver

import (
	"context"
	"log/slog"

	"github.com/container-storage-interface/spec/lib/go/csi"
)

// Driver is what differs between drivers.
type Driver struct {
	// Name in Kubernetes.
	Name string
	// ShortName is its name among the sockets of a node.
	ShortName string
	// Controller and Node are the capabilities of these services.
	Controller []csi.ControllerServiceCapability_RPC_Type
	Node       []csi.NodeServiceCapability_RPC_Type
	// Uses are the ways in which pods can use its volumes.
	Uses Uses
	// Info is what it says of a node. Nil: the node's name alone. With a topology its volumes are where the nodes are that can have them.
	Info func(Node) *csi.NodeGetInfoResponse
	// Open returns its volumes, and takes up the work of an earlier process.
	Open func(Options) (Volumes, error)
}

// Options of the process that is a driver.
type Options struct {
	// Volumes is the directory of what the volumes hold.
	Volumes string
	// Disks is where disks are served that have limits.
	Disks string
	// Mounts is a directory above all targets of mounts.
	Mounts string
	Log    *slog.Logger `json:"-"`
}

// Volumes are those of a driver. They are the same for all nodes: a volume goes from one node to another, and its limits
// with it. Requests have what they need, and have been checked for what all drivers refuse, and for Driver.Uses. An error
// that is no gRPC status is an internal one.
type Volumes interface {
	csi.ControllerServer
	// Check returns NotFound for a volume that does not exist.
	Check(id string) error
	// On returns the volumes as a node sees them.
	On(Node) csi.NodeServer
}

// Run is the driver until the context ends. It serves the nodes that a file lists.
func (d Driver) Run(ctx context.Context, nodes string, o Options) error {
	volumes, err := d.Open(o)
	if err != nil {
		return err
	}
	return FollowNodes(ctx, nodes, func(ctx context.Context, node Node) error { return d.Serve(ctx, volumes, node, o.Log) })
}
