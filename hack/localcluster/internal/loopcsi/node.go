package loopcsi

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/moby/sys/mountinfo"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/mount-utils"

	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
	"github.com/storagebench/storagebench/hack/localcluster/internal/loopdev"
)

const (
	podUIDKey = "csi.storage.k8s.io/pod.uid"
	// unmountLimit is how long an unmount may take before it is forced.
	unmountLimit = 10 * time.Second
)

// formatOptions make mkfs write next to nothing: a new sparse file reads as zeros.
var formatOptions = map[string][]string{
	"ext3": {"-E", "lazy_itable_init=1,nodiscard,assume_storage_prezeroed=1"},
	"ext4": {"-E", "lazy_itable_init=1,lazy_journal_init=1,nodiscard,assume_storage_prezeroed=1"},
	"xfs":  {"-K"},
}

// mountOptions that are always set. With noinit_itable the kernel does not write
// the inode tables in the background, in the midst of a measurement.
var mountOptions = map[string][]string{"ext4": {"noinit_itable"}}

// NodeGetInfo is part of the Node service.
func (d *nodeDriver) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: d.node.Name}, nil
}

// NodeGetCapabilities is part of the Node service.
func (d *nodeDriver) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	return csiserve.NodeCapabilities(
		csi.NodeServiceCapability_RPC_STAGE_UNSTAGE_VOLUME,
		csi.NodeServiceCapability_RPC_GET_VOLUME_STATS,
		csi.NodeServiceCapability_RPC_SINGLE_NODE_MULTI_WRITER,
	), nil
}

// NodeStageVolume is part of the Node service: it attaches the disk and mounts its
// file system, which it makes first on a new disk.
func (d *nodeDriver) NodeStageVolume(_ context.Context, r *csi.NodeStageVolumeRequest) (*csi.NodeStageVolumeResponse, error) {
	if r.GetStagingTargetPath() == "" {
		return nil, status.Error(codes.InvalidArgument, "staging target path is missing")
	}
	v, err := d.volume(r.GetVolumeId())
	if err != nil {
		return nil, err
	}
	if err := checkCapability(r.GetVolumeCapability()); err != nil {
		return nil, err
	}
	defer d.lock(v.ID)()
	device, err := d.attach(v.ID)
	if err != nil {
		return nil, err
	}
	if r.GetVolumeCapability().GetBlock() != nil {
		return &csi.NodeStageVolumeResponse{}, nil
	}
	if err := d.mountFileSystem(device, r.GetStagingTargetPath(), r.GetVolumeCapability()); err != nil {
		return nil, internalError(err)
	}
	return &csi.NodeStageVolumeResponse{}, nil
}

func (d *Driver) mountFileSystem(device, target string, capability *csi.VolumeCapability) error {
	if mounted, err := isMounted(target); mounted || err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o750); err != nil {
		return err
	}
	fsType := fsTypeOf(capability)
	options := append(append([]string{}, mountOptions[fsType]...), capability.GetMount().GetMountFlags()...)
	return d.mounter.FormatAndMountSensitiveWithFormatOptions(device, target, fsType, options, nil, formatOptions[fsType])
}

// NodeUnstageVolume is part of the Node service.
func (d *nodeDriver) NodeUnstageVolume(ctx context.Context, r *csi.NodeUnstageVolumeRequest) (*csi.NodeUnstageVolumeResponse, error) {
	if r.GetStagingTargetPath() == "" {
		return nil, status.Error(codes.InvalidArgument, "staging target path is missing")
	}
	v, err := d.volume(r.GetVolumeId())
	if err != nil {
		return nil, err
	}
	defer d.lock(v.ID)()
	if err := d.unmount(r.GetStagingTargetPath()); err != nil {
		return nil, internalError(err)
	}
	device, err := d.attached(v.ID)
	if err != nil || device == "" {
		return &csi.NodeUnstageVolumeResponse{}, err
	}
	if err := loopdev.Detach(ctx, device); err != nil {
		return nil, internalError(err)
	}
	d.log.Info("Volume detached", "volume", v.ID, "node", d.node.Name, "device", device)
	return &csi.NodeUnstageVolumeResponse{}, nil
}

// NodePublishVolume is part of the Node service.
func (d *nodeDriver) NodePublishVolume(_ context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	if r.GetTargetPath() == "" || r.GetStagingTargetPath() == "" {
		return nil, status.Error(codes.InvalidArgument, "target path or staging target path is missing")
	}
	v, err := d.volume(r.GetVolumeId())
	if err != nil {
		return nil, err
	}
	if err := checkCapability(r.GetVolumeCapability()); err != nil {
		return nil, err
	}
	defer d.lock(v.ID)()
	device, err := d.attached(v.ID)
	if err != nil {
		return nil, err
	}
	if device == "" {
		return nil, status.Errorf(codes.FailedPrecondition, "volume %s is not staged on node %s", v.ID, d.node.Name)
	}
	if err := d.checkSingleWriter(v.ID, r); err != nil {
		return nil, err
	}
	// Before the mount: the container starts only after it.
	if err := d.register(v, device, r); err != nil {
		return nil, internalError(err)
	}
	if err := d.bind(device, r); err != nil {
		return nil, internalError(err)
	}
	return &csi.NodePublishVolumeResponse{}, nil
}

// checkSingleWriter keeps a ReadWriteOncePod volume from a second pod.
func (d *Driver) checkSingleWriter(id string, r *csi.NodePublishVolumeRequest) error {
	if r.GetVolumeCapability().GetAccessMode().GetMode() != csi.VolumeCapability_AccessMode_SINGLE_NODE_SINGLE_WRITER {
		return nil
	}
	published, err := d.store.publications(id)
	if err != nil {
		return internalError(err)
	}
	for _, p := range published {
		if p.TargetPath == r.GetTargetPath() {
			continue
		}
		// The note alone proves nothing: it survives a restart of the machine.
		mounted, err := isMounted(p.TargetPath)
		if err != nil {
			return internalError(err)
		}
		if mounted {
			return status.Errorf(codes.FailedPrecondition, "volume %s has a single writer and is published at %s", id, p.TargetPath)
		}
	}
	return nil
}

// register notes the publication, and has the pod throttled when the volume has
// limits.
func (d *nodeDriver) register(v volume, device string, r *csi.NodePublishVolumeRequest) error {
	podUID := r.GetVolumeContext()[podUIDKey]
	if podUID == "" && !v.Limits.empty() {
		return errors.New("the volume has limits, but nothing tells for which pod: the CSIDriver needs podInfoOnMount")
	}
	number, err := deviceNumber(device)
	if err != nil {
		return err
	}
	p := publication{VolumeID: v.ID, TargetPath: r.GetTargetPath(), PodUID: podUID, Kubepods: d.node.Kubepods, Device: number, Limits: v.Limits}
	if err := d.store.savePublication(v.ID, p); err != nil {
		return err
	}
	return d.throttlePod(p)
}

// throttlePod holds a pod to the limits of the volume, or to its part of the
// volume's budget.
func (d *Driver) throttlePod(p publication) error {
	if d.kind.Budget == nil {
		d.throttle.add(p)
		return nil
	}
	return d.throttle.addShare(p, func() (keeper, error) { return d.openBudget(p.VolumeID) })
}

func (d *Driver) bind(device string, r *csi.NodePublishVolumeRequest) error {
	target := r.GetTargetPath()
	if mounted, err := isMounted(target); mounted || err != nil {
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
	return d.mounter.Mount(source, target, "", options)
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
func (d *nodeDriver) NodeUnpublishVolume(_ context.Context, r *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	if r.GetTargetPath() == "" {
		return nil, status.Error(codes.InvalidArgument, "target path is missing")
	}
	v, err := d.volume(r.GetVolumeId())
	if err != nil {
		return nil, err
	}
	defer d.lock(v.ID)()
	if err := d.unmount(r.GetTargetPath()); err != nil {
		return nil, internalError(err)
	}
	d.throttle.remove(r.GetTargetPath())
	if err := d.store.deletePublication(v.ID, r.GetTargetPath()); err != nil {
		return nil, internalError(err)
	}
	return &csi.NodeUnpublishVolumeResponse{}, nil
}

// unmount removes a mount point with all that is mounted on it.
func (d *Driver) unmount(path string) error {
	forcer, ok := d.mounter.Interface.(mount.MounterForceUnmounter)
	if !ok {
		return mount.CleanupMountPoint(path, d.mounter, true)
	}
	return mount.CleanupMountWithForce(path, forcer, true, unmountLimit)
}

func isMounted(path string) (bool, error) {
	mounted, err := mountinfo.Mounted(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return mounted, err
}
