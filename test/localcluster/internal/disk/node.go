package disk

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/mount-utils"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/loopdev"
)

// unmountLimit is how long an unmount may take before it is forced.
const unmountLimit = 10 * time.Second

// formatOptions make mkfs write next to nothing: a new sparse file reads as zeros.
var formatOptions = map[string][]string{
	"ext3": {"-E", "lazy_itable_init=1,nodiscard,assume_storage_prezeroed=1"},
	"ext4": {"-E", "lazy_itable_init=1,lazy_journal_init=1,nodiscard,assume_storage_prezeroed=1"},
	"xfs":  {"-K"},
}

// mountOptions that are always set. With noinit_itable the kernel does not write
// the inode tables in the background, in the midst of a measurement.
var mountOptions = map[string][]string{"ext4": {"noinit_itable"}}

// Stage is part of csidriver.Stager: it attaches the disk, where the controller does not, and mounts its file system,
// which it makes first on a new disk.
func (d *onNode) Stage(ctx context.Context, r *csi.NodeStageVolumeRequest) error {
	id := r.GetVolumeId()
	if err := d.Check(id); err != nil {
		return err
	}
	defer d.lock(id)()
	device, err := d.deviceFor(ctx, r)
	if err != nil || r.GetVolumeCapability().GetBlock() != nil {
		return err
	}
	return d.mountFileSystem(device, r.GetStagingTargetPath(), r.GetVolumeCapability())
}

func (v *Volumes) mountFileSystem(device, target string, capability *csi.VolumeCapability) error {
	if mounted, err := csidriver.Mounted(target); mounted || err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o750); err != nil {
		return err
	}
	fsType := fsTypeOf(capability)
	options := append(append([]string{}, mountOptions[fsType]...), capability.GetMount().GetMountFlags()...)
	return v.mounter.FormatAndMountSensitiveWithFormatOptions(device, target, fsType, options, nil, formatOptions[fsType])
}

// Unstage is part of csidriver.Stager.
func (d *onNode) Unstage(ctx context.Context, r *csi.NodeUnstageVolumeRequest) error {
	id := r.GetVolumeId()
	if err := d.Check(id); err != nil {
		return err
	}
	defer d.lock(id)()
	if err := d.unmount(r.GetStagingTargetPath()); err != nil {
		return err
	}
	if d.kind.attaches() {
		return nil // the controller detaches it
	}
	return d.detach(ctx, id)
}

// detach detaches a volume from the node, if it is there.
func (d *onNode) detach(ctx context.Context, id string) error {
	device, err := d.attached(id)
	if err != nil || device == "" {
		return err
	}
	if err := loopdev.Detach(ctx, device); err != nil {
		return err
	}
	d.log.Info("Volume detached", "volume", id, "node", d.node.Name, "device", device)
	return nil
}

// Publish is part of csidriver.NodeVolumes.
func (d *onNode) Publish(r *csi.NodePublishVolumeRequest) error {
	id := r.GetVolumeId()
	if err := d.Check(id); err != nil {
		return err
	}
	defer d.lock(id)()
	device, err := d.attached(id)
	if err != nil {
		return err
	}
	if device == "" {
		return status.Errorf(codes.FailedPrecondition, "volume %s is not staged on node %s", id, d.node.Name)
	}
	return d.bind(device, r)
}

func (v *Volumes) bind(device string, r *csi.NodePublishVolumeRequest) error {
	target := r.GetTargetPath()
	if mounted, err := csidriver.Mounted(target); mounted || err != nil {
		return err
	}
	source, makeTarget := r.GetStagingTargetPath(), os.MkdirAll
	if r.GetVolumeCapability().GetBlock() != nil {
		source, makeTarget = device, makeFile
	}
	if err := makeTarget(target, 0o750); err != nil {
		return err
	}
	options := []string{"bind"}
	if r.GetReadonly() {
		options = append(options, "ro")
	}
	return v.mounter.Mount(source, target, "", options)
}

func makeFile(path string, _ os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE, 0o640)
	if err != nil {
		return err
	}
	return file.Close()
}

// Unpublish is part of csidriver.NodeVolumes.
func (d *onNode) Unpublish(_ context.Context, r *csi.NodeUnpublishVolumeRequest) error {
	id := r.GetVolumeId()
	if err := d.Check(id); err != nil {
		return err
	}
	defer d.lock(id)()
	return d.unmount(r.GetTargetPath())
}

// unmount removes a mount point with all that is mounted on it.
func (v *Volumes) unmount(path string) error {
	forcer, ok := v.mounter.Interface.(mount.MounterForceUnmounter)
	if !ok {
		return mount.CleanupMountPoint(path, v.mounter, true)
	}
	return mount.CleanupMountWithForce(path, forcer, true, unmountLimit)
}
