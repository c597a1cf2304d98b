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

// DevicePathKey is what a node is told of a volume that the controller has attached: where to find it.
const DevicePathKey = "devicePath"

// attaches says whether the controller attaches the volumes, and not their staging.
func (k Kind) attaches() bool { return k.Attaching > 0 }

// NodeStageVolume is part of the Node service: it attaches the disk, where the controller does not, and mounts its file system,
// which it makes first on a new disk.
func (d *onNode) NodeStageVolume(ctx context.Context, r *csi.NodeStageVolumeRequest) (*csi.NodeStageVolumeResponse, error) {
	if !d.kind.attaches() {
		if err := d.Attach(ctx, r.GetVolumeId(), d.node.Name); err != nil {
			return nil, err
		}
	}
	return &csi.NodeStageVolumeResponse{}, d.locked(r.GetVolumeId(), func() error {
		device, err := d.arrived(ctx, r)
		if err != nil || r.GetVolumeCapability().GetBlock() != nil {
			return err
		}
		return d.mountFileSystem(device, r.GetStagingTargetPath(), r.GetVolumeCapability())
	})
}

// arrived returns the device of a volume that the node has. It refuses others in the words of the driver of EBS.
func (d *onNode) arrived(ctx context.Context, r *csi.NodeStageVolumeRequest) (string, error) {
	path := r.GetPublishContext()[DevicePathKey]
	if path == "" && d.kind.attaches() {
		return "", status.Error(codes.InvalidArgument, "Device path not provided")
	}
	device, err := d.deviceAt(ctx, r.GetVolumeId(), d.node.Name)
	if err == nil && device == "" {
		err = status.Errorf(codes.NotFound, "Failed to find device path %s. no device path for device %q volume %q found", path, path, r.GetVolumeId())
	}
	return device, err
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

// NodeUnstageVolume is part of the Node service.
func (d *onNode) NodeUnstageVolume(ctx context.Context, r *csi.NodeUnstageVolumeRequest) (*csi.NodeUnstageVolumeResponse, error) {
	err := d.locked(r.GetVolumeId(), func() error { return d.unmount(r.GetStagingTargetPath()) })
	if err == nil && !d.kind.attaches() {
		err = d.Detach(ctx, r.GetVolumeId(), d.node.Name)
	}
	return &csi.NodeUnstageVolumeResponse{}, err
}

// NodePublishVolume is part of the Node service.
func (d *onNode) NodePublishVolume(_ context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	return &csi.NodePublishVolumeResponse{}, d.locked(r.GetVolumeId(), func() error {
		a, device, err := d.attachment(r.GetVolumeId())
		if err != nil {
			return err
		}
		if device == "" || !a.isAt(d.node.Name) {
			return status.Errorf(codes.FailedPrecondition, "volume %s is not staged on node %s", r.GetVolumeId(), d.node.Name)
		}
		return d.bind(device, r)
	})
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

// NodeUnpublishVolume is part of the Node service.
func (d *onNode) NodeUnpublishVolume(_ context.Context, r *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	return &csi.NodeUnpublishVolumeResponse{}, d.locked(r.GetVolumeId(), func() error { return d.unmount(r.GetTargetPath()) })
}

// unmount removes a mount point with all that is mounted on it.
func (v *Volumes) unmount(path string) error {
	forcer, ok := v.mounter.Interface.(mount.MounterForceUnmounter)
	if !ok {
		return mount.CleanupMountPoint(path, v.mounter, true)
	}
	return mount.CleanupMountWithForce(path, forcer, true, unmountLimit)
}
