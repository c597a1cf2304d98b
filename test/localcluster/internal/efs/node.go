package efs

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
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/efsfuse"
	"github.com/storagebench/storagebench/test/localcluster/internal/host"
)

// unmountLimit is how long an unmount may wait for the last user before the mount
// is detached.
const unmountLimit = 10 * time.Second

// NodePublishVolume is part of the Node service.
func (d *onNode) NodePublishVolume(_ context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	options := r.GetVolumeCapability().GetMount().GetMountFlags()
	if err := errors.Join(d.known.CheckVolumeAttributes(r.GetVolumeContext()), d.known.CheckMountOptions(options)); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	h, err := parseHandle(r.GetVolumeId())
	if err != nil {
		return nil, err
	}
	d.mounting.Lock()
	defer d.mounting.Unlock()
	if err := d.mountAt(r.GetTargetPath(), h, r.GetReadonly() || slices.Contains(options, "ro")); err != nil {
		return nil, status.Errorf(codes.Internal, "Could not mount %q at %q: %v", h.fsID+":/"+strings.TrimPrefix(h.path, "/"), r.GetTargetPath(), err)
	}
	return &csi.NodePublishVolumeResponse{}, nil
}

func (d *onNode) mountAt(target string, h handle, readOnly bool) error {
	if mounted, err := csidriver.Mounted(target); mounted || err != nil {
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
	if err := connection.Mount(target, view); err != nil {
		return err
	}
	d.log.Info("Mounted", "node", d.nodeID, "volume", h.String(), "target", target)
	return nil
}

// view returns what a volume is of its file system, in the words of mount.efs when it
// is not there.
func (d *onNode) view(h handle) (efsfuse.View, error) {
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
		if err := d.store.ensureRoot(h.fsID, ap); err != nil {
			return view, err
		}
		view.Dir, view.Owner = d.store.data(h.fsID, path.Join(ap.Path, path.Clean("/"+h.path))), &ap.Owner
	}
	if info, err := os.Stat(view.Dir); err != nil || !info.IsDir() {
		return view, fmt.Errorf("mount.nfs4: mounting %s:%s failed, reason given by server: No such file or directory", name, h.path)
	}
	return view, nil
}

// NodeUnpublishVolume is part of the Node service.
func (d *onNode) NodeUnpublishVolume(ctx context.Context, r *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	target := r.GetTargetPath()
	d.mounting.Lock()
	defer d.mounting.Unlock()
	if err := host.Unmount(ctx, target, unmountLimit); err != nil {
		return nil, fmt.Errorf("Could not unmount %q: %w", target, err) //nolint:staticcheck // the real driver's words
	}
	if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &csi.NodeUnpublishVolumeResponse{}, nil
}
