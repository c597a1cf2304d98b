// Package disk makes volumes that are loop devices over files: real block devices of a real size, with limits like those
// of a cloud's disks. A Kind says which volumes it makes.
package disk

import (
	"log/slog"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"k8s.io/mount-utils"
	utilexec "k8s.io/utils/exec"
	"k8s.io/utils/keymutex"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
)

// Volumes are those of a driver.
type Volumes struct {
	csi.UnimplementedControllerServer

	kind    Kind
	store   *store
	disks   string // where the disks of volumes with limits are served
	mounter *mount.SafeFormatAndMount
	log     *slog.Logger
	// locks has a lock for each volume: calls for one volume come one at a time,
	// whatever callers do.
	locks keymutex.KeyMutex
}

// Open returns the volumes of a directory.
func Open(kind Kind, o csidriver.Options) (*Volumes, error) {
	s, err := openStore(o.Volumes)
	if err != nil {
		return nil, err
	}
	return &Volumes{
		kind:    kind,
		store:   s,
		disks:   o.Disks,
		mounter: mount.NewSafeFormatAndMount(mount.New(""), utilexec.New()),
		log:     o.Log,
		locks:   keymutex.NewHashed(64),
	}, nil
}

func (v *Volumes) lock(id string) (unlock func()) {
	v.locks.LockKey(id)
	// The error is only for keys that were not locked.
	return func() { _ = v.locks.UnlockKey(id) }
}

// locked does something with a volume that nobody else changes meanwhile. It must exist.
func (v *Volumes) locked(id string, do func() error) error {
	defer v.lock(id)()
	if err := v.Check(id); err != nil {
		return err
	}
	return do()
}

// onNode are the volumes as one node sees them.
type onNode struct {
	csi.UnimplementedNodeServer
	*Volumes

	node csidriver.Node
}

// On is part of csidriver.Volumes.
func (v *Volumes) On(node csidriver.Node) csi.NodeServer {
	return &onNode{Volumes: v, node: node}
}
