package efsfuse

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"
)

const (
	// fsType is the type of the mounts in /proc/mounts.
	fsType = "fuse." + fsSubtype
	// fsSubtype is set on mounting.
	fsSubtype = "efs"
	// maxWrite is the size of EFS' largest write.
	maxWrite = 1 << 20
	// cacheTimeout is how old attributes may be, as over NFS.
	cacheTimeout = time.Second
)

// View is the part of a file system that is mounted, and as whom.
type View struct {
	// Name is shown as the source of the mount.
	Name string
	// Dir is the directory that becomes the root.
	Dir string
	// Owner is set for an access point. Without, callers are who they are.
	Owner    *Owner
	ReadOnly bool
}

// mount is a mounted view.
type mount struct {
	view       View
	connection *Connection
}

// Mount mounts a view at a directory that exists, until somebody unmounts it and the last user is gone. The process must have no umask: the
// modes of new files come from clients, which have applied theirs.
func (c *Connection) Mount(target string, view View) error {
	dir, err := os.Open(view.Dir)
	if err != nil {
		return err
	}
	m := &mount{view: view, connection: c}
	// The root is found by its descriptor: an access point's identity need not be able to
	// pass the directories above.
	data := &fs.LoopbackRoot{Path: fmt.Sprintf("/proc/self/fd/%d", dir.Fd())}
	root := &node{LoopbackNode: &fs.LoopbackNode{RootData: data}, mount: m}
	data.RootNode = root
	server, err := fs.Mount(target, root, m.options())
	if err != nil {
		return errors.Join(fmt.Errorf("mount %s: %w", target, err), dir.Close())
	}
	go func() {
		server.Wait()
		_ = dir.Close()
	}()
	return nil
}

func (m *mount) options() *fs.Options {
	timeout := cacheTimeout
	options := &fs.Options{
		AttrTimeout: &timeout, EntryTimeout: &timeout, NullPermissions: true,
		MountOptions: fuse.MountOptions{
			AllowOther: true, DirectMountStrict: true, FsName: m.view.Name, Name: fsSubtype,
			MaxBackground: 128, MaxWrite: maxWrite, ExtraCapabilities: fuse.CAP_ASYNC_DIO, DisableXAttrs: true,
		},
	}
	if m.view.Owner == nil {
		options.Options = append(options.Options, "default_permissions")
	}
	if m.view.ReadOnly {
		options.DirectMountFlags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_RDONLY
	}
	return options
}

// DetachStale detaches mounts below a directory, whose server has ended.
func DetachStale(dir string) error {
	mounts, err := mountinfo.GetMounts(func(info *mountinfo.Info) (skip, stop bool) {
		return info.FSType != fsType || len(info.Mountpoint) <= len(dir) || info.Mountpoint[:len(dir)+1] != dir+"/", false
	})
	if err != nil {
		return err
	}
	var errs []error
	for _, m := range mounts {
		if err := unix.Unmount(m.Mountpoint, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
			errs = append(errs, fmt.Errorf("detach %s: %w", m.Mountpoint, err))
		}
	}
	return errors.Join(errs...)
}
