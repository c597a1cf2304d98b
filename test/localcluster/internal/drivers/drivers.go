// Package drivers is the table of the CSI drivers that this program poses as.
package drivers

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"

	"github.com/container-storage-interface/spec/lib/go/csi"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
	"github.com/storagebench/storagebench/test/localcluster/internal/ebs"
	"github.com/storagebench/storagebench/test/localcluster/internal/efs"
)

const (
	createDelete = csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME
	modify       = csi.ControllerServiceCapability_RPC_MODIFY_VOLUME
	clone        = csi.ControllerServiceCapability_RPC_CLONE_VOLUME
	publish      = csi.ControllerServiceCapability_RPC_PUBLISH_UNPUBLISH_VOLUME
	stage        = csi.NodeServiceCapability_RPC_STAGE_UNSTAGE_VOLUME
	stats        = csi.NodeServiceCapability_RPC_GET_VOLUME_STATS
)

type (
	controller = []csi.ControllerServiceCapability_RPC_Type
	node       = []csi.NodeServiceCapability_RPC_Type
	modes      = []csi.VolumeCapability_AccessMode_Mode
)

// Loop has disks whose limits a StorageClass names.
var Loop = csidriver.Driver{
	Name:       "loop.csi.storagebench.dev",
	ShortName:  "loop",
	Controller: controller{createDelete, clone},
	Node:       node{stage, stats},
	Uses: csidriver.Uses{
		AccessModes: modes{csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER}, // which is ReadWriteOncePod as well: Kubernetes keeps to it
		Claims:      []string{"ReadWriteOnce", "ReadWriteOncePod"},
		FileSystems: disk.FileSystems,
		Block:       true,
	},
	Open: func(o csidriver.Options) (csidriver.Volumes, error) { return disk.Open(disk.Loop, o) },
}

// EBS poses as aws-ebs-csi-driver. What that can beside is not acted out: snapshots, and volumes that grow.
var EBS = csidriver.Driver{
	Name:       ebs.DriverName,
	ShortName:  "ebs",
	Controller: controller{createDelete, clone, publish, modify},
	Node:       node{stage, stats},
	Uses: csidriver.Uses{
		AccessModes:      modes{csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER},
		BlockAccessModes: modes{csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER},
		Claims:           []string{"ReadWriteOnce", "ReadWriteOncePod", "ReadWriteMany of raw block volumes"},
		FileSystems:      disk.FileSystems,
		Block:            true,
	},
	Info: ebs.Info,
	Open: ebs.Open,
}

// EFS poses as aws-efs-csi-driver.
var EFS = csidriver.Driver{
	Name:       "efs.csi.aws.com",
	ShortName:  "efs",
	Controller: controller{createDelete},
	Node:       node{stats},
	Uses: csidriver.Uses{
		AccessModes: modes{
			csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER,
			csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER,
		},
		Claims:      []string{"ReadWriteOnce", "ReadWriteMany"},
		FileSystems: []string{"efs"},
	},
	Open: func(o csidriver.Options) (csidriver.Volumes, error) { return efs.Open(o) },
}

// Find returns a driver by its short name.
func Find(shortName string) (csidriver.Driver, error) {
	all := []csidriver.Driver{Loop, EBS, EFS}
	at := slices.IndexFunc(all, func(d csidriver.Driver) bool { return d.ShortName == shortName })
	if at < 0 {
		return csidriver.Driver{}, fmt.Errorf("driver %q is unknown: give loop, ebs or efs", shortName)
	}
	return all[at], nil
}

// Options of the process that is a driver.
type Options struct {
	csidriver.Options

	// Driver is its short name.
	Driver string
	// Nodes is the file with the nodes to serve, which is followed.
	Nodes string
}

// Run is a driver until the context ends.
func Run(ctx context.Context, o Options) error {
	driver, err := Find(o.Driver)
	if err != nil {
		return err
	}
	o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	return driver.Run(ctx, o.Nodes, o.Options)
}
