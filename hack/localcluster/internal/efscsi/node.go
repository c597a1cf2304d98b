package efscsi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
	"github.com/storagebench/storagebench/hack/localcluster/internal/efsfuse"
)

const (
	// unmountLimit is how long an unmount may wait for the last user before the mount
	// is detached.
	unmountLimit    = 10 * time.Second
	unmountInterval = 100 * time.Millisecond
)

// NodeGetInfo is part of the Node service.
func (d *nodeDriver) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: d.nodeID}, nil
}

// NodeGetCapabilities is part of the Node service.
func (d *nodeDriver) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	return csiserve.NodeCapabilities(csi.NodeServiceCapability_RPC_GET_VOLUME_STATS), nil
}

// NodePublishVolume is part of the Node service.
func (d *nodeDriver) NodePublishVolume(_ context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	target := r.GetTargetPath()
	if target == "" {
		return nil, status.Error(codes.InvalidArgument, "Target path not provided")
	}
	if r.GetVolumeCapability() == nil {
		return nil, status.Error(codes.InvalidArgument, "Volume capability not provided")
	}
	if err := checkCapability(r.GetVolumeCapability()); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if err := d.checkMount(r); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if r.GetVolumeId() == "" {
		return nil, status.Error(codes.InvalidArgument, "Volume ID not provided")
	}
	h, err := parseHandle(r.GetVolumeId())
	if err != nil {
		return nil, err
	}
	d.mounting.Lock()
	defer d.mounting.Unlock()
	if err := d.mountAt(target, h, readOnly(r)); err != nil {
		return nil, status.Errorf(codes.Internal, "Could not mount %q at %q: %v", h.fsID+":/"+strings.TrimPrefix(h.path, "/"), target, err)
	}
	return &csi.NodePublishVolumeResponse{}, nil
}

// checkMount refuses attributes and options that are not documented.
func (d *nodeDriver) checkMount(r *csi.NodePublishVolumeRequest) error {
	options := r.GetVolumeCapability().GetMount().GetMountFlags()
	return errors.Join(d.known.CheckVolumeAttributes(r.GetVolumeContext()), d.known.CheckMountOptions(options))
}

func readOnly(r *csi.NodePublishVolumeRequest) bool {
	return r.GetReadonly() || slices.Contains(r.GetVolumeCapability().GetMount().GetMountFlags(), "ro")
}

func (d *nodeDriver) mountAt(target string, h handle, readOnly bool) error {
	if mounted, err := isMounted(target); mounted || err != nil {
		return err
	}
	view, err := d.view(h)
	if err != nil {
		return err
	}
	view.ReadOnly = readOnly
	connection, err := d.connection(h.fsID)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o750); err != nil {
		return err
	}
	mount, err := connection.Mount(target, view)
	if err != nil {
		return err
	}
	d.mounts[target] = mount
	d.log.Info("Mounted", "node", d.nodeID, "volume", h.String(), "target", target)
	return nil
}

// view returns what a volume is of its file system, in the words of mount.efs when it
// is not there.
func (d *nodeDriver) view(h handle) (efsfuse.View, error) {
	name := h.fsID + ".efs.local.amazonaws.com"
	if _, err := d.store.limits(h.fsID); err != nil {
		return efsfuse.View{}, fmt.Errorf("Failed to resolve %q - check that your file system ID is correct, and ensure that the VPC has an EFS mount target for this file system ID. (%w)", name, err) //nolint:staticcheck // the real words
	}
	view := efsfuse.View{Name: h.fsID + ":/" + strings.TrimPrefix(h.path, "/"), Dir: d.store.data(h.fsID, h.path)}
	if h.apID != "" {
		ap, err := d.store.accessPoint(h.fsID, h.apID)
		if err != nil {
			return view, fmt.Errorf("mount.nfs4: access denied by server while mounting %s:/: access point %s: %w", name, h.apID, err)
		}
		if _, err := d.store.ensureRoot(h.fsID, ap); err != nil {
			return view, err
		}
		view.Dir, view.Owner = d.store.data(h.fsID, path.Join(ap.Path, path.Clean("/"+h.path))), &ap.Owner
	}
	if info, err := os.Stat(view.Dir); err != nil || !info.IsDir() {
		return view, fmt.Errorf("mount.nfs4: mounting %s:%s failed, reason given by server: No such file or directory", name, h.path)
	}
	return view, nil
}

func (d *nodeDriver) connection(fsID string) (*efsfuse.Connection, error) {
	if d.connections[fsID] != nil {
		return d.connections[fsID], nil
	}
	server, err := d.server(fsID)
	if err != nil {
		return nil, err
	}
	d.connections[fsID] = server.Connect()
	return d.connections[fsID], nil
}

// NodeUnpublishVolume is part of the Node service.
func (d *nodeDriver) NodeUnpublishVolume(ctx context.Context, r *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	if r.GetTargetPath() == "" {
		return nil, status.Error(codes.InvalidArgument, "Target path not provided")
	}
	if r.GetVolumeId() == "" {
		return nil, status.Error(codes.InvalidArgument, "Volume ID not provided")
	}
	d.mounting.Lock()
	defer d.mounting.Unlock()
	if err := d.unmount(ctx, r.GetTargetPath()); err != nil {
		return nil, status.Errorf(codes.Internal, "Could not unmount %q: %v", r.GetTargetPath(), err)
	}
	if err := os.Remove(r.GetTargetPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &csi.NodeUnpublishVolumeResponse{}, nil
}

// unmount waits a while for the last user, and then leaves the end to it.
func (d *nodeDriver) unmount(ctx context.Context, target string) error {
	mount := d.mounts[target]
	if mount == nil {
		err := unix.Unmount(target, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
			return nil
		}
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, unmountLimit)
	defer cancel()
	tick := time.NewTicker(unmountInterval)
	defer tick.Stop()
	for {
		err := mount.Unmount()
		if err == nil {
			break
		}
		select {
		case <-tick.C:
			continue
		case <-ctx.Done():
		}
		d.log.Info("Mount is in use and detached", "target", target, "err", err)
		if err := unix.Unmount(target, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
			return err
		}
		break
	}
	delete(d.mounts, target)
	return nil
}

// NodeGetVolumeStats is part of the Node service.
func (d *nodeDriver) NodeGetVolumeStats(_ context.Context, r *csi.NodeGetVolumeStatsRequest) (*csi.NodeGetVolumeStatsResponse, error) {
	if r.GetVolumeId() == "" {
		return nil, status.Error(codes.InvalidArgument, "Volume ID not provided")
	}
	if r.GetVolumePath() == "" {
		return nil, status.Error(codes.InvalidArgument, "Volume Path not provided")
	}
	var stat unix.Statfs_t
	if err := unix.Statfs(r.GetVolumePath(), &stat); err != nil {
		return nil, status.Errorf(codes.NotFound, "Volume Path %s does not exist: %v", r.GetVolumePath(), err)
	}
	size := int64(stat.Blocks) * stat.Bsize
	// What is used, EFS knows only by counting each file.
	return &csi.NodeGetVolumeStatsResponse{Usage: []*csi.VolumeUsage{{Unit: csi.VolumeUsage_BYTES, Total: size, Available: size}}}, nil
}

func isMounted(target string) (bool, error) {
	mounted, err := mountinfo.Mounted(target)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return mounted, err
}
