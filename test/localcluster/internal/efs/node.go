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
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/efsfuse"
)

const (
	// unmountLimit is how long an unmount may wait for the last user before the mount
	// is detached.
	unmountLimit    = 10 * time.Second
	unmountInterval = 100 * time.Millisecond
)

// Publish is part of csidriver.NodeVolumes.
func (d *onNode) Publish(r *csi.NodePublishVolumeRequest) error {
	if err := d.checkMount(r); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	h, err := parseHandle(r.GetVolumeId())
	if err != nil {
		return err
	}
	d.mounting.Lock()
	defer d.mounting.Unlock()
	if err := d.mountAt(r.GetTargetPath(), h, readOnly(r)); err != nil {
		return status.Errorf(codes.Internal, "Could not mount %q at %q: %v", h.fsID+":/"+strings.TrimPrefix(h.path, "/"), r.GetTargetPath(), err)
	}
	return nil
}

// checkMount refuses attributes and options that are not documented.
func (d *onNode) checkMount(r *csi.NodePublishVolumeRequest) error {
	options := r.GetVolumeCapability().GetMount().GetMountFlags()
	return errors.Join(d.known.CheckVolumeAttributes(r.GetVolumeContext()), d.known.CheckMountOptions(options))
}

func readOnly(r *csi.NodePublishVolumeRequest) bool {
	return r.GetReadonly() || slices.Contains(r.GetVolumeCapability().GetMount().GetMountFlags(), "ro")
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

func (d *onNode) connection(fsID string) (*efsfuse.Connection, error) {
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

// Unpublish is part of csidriver.NodeVolumes.
func (d *onNode) Unpublish(ctx context.Context, r *csi.NodeUnpublishVolumeRequest) error {
	target := r.GetTargetPath()
	d.mounting.Lock()
	defer d.mounting.Unlock()
	if err := d.unmount(ctx, target); err != nil {
		return fmt.Errorf("Could not unmount %q: %w", target, err) //nolint:staticcheck // the real driver's words
	}
	if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// unmount waits a while for the last user, and then leaves the end to it.
func (d *onNode) unmount(ctx context.Context, target string) error {
	mount := d.mounts[target]
	if mount == nil {
		err := detach(target)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
			return nil
		}
		return err
	}
	var inUse error
	err := wait.PollUntilContextTimeout(ctx, unmountInterval, unmountLimit, true, func(context.Context) (bool, error) {
		inUse = mount.Unmount()
		return inUse == nil, nil
	})
	if err != nil {
		d.log.Info("Mount is in use and detached", "target", target, "err", inUse)
		if err := detach(target); err != nil {
			return err
		}
	}
	delete(d.mounts, target)
	return nil
}

func detach(target string) error {
	return unix.Unmount(target, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
}
