package slowfs

import (
	"errors"
	"fmt"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"
)

// maxWrite is the largest that FUSE has, and EFS.
const maxWrite = 1 << 20

// Options returns those that all file systems here have: of a type, as which the kernel knows its mounts, with so many I/Os on their way at most, and
// attributes that may be so old.
func Options(source, fsType string, background int, cached time.Duration) *fs.Options {
	return &fs.Options{
		AttrTimeout: &cached, EntryTimeout: &cached, NullPermissions: true,
		MountOptions: fuse.MountOptions{
			DirectMountStrict: true, FsName: source, Name: fsType, MaxBackground: background, MaxWrite: maxWrite,
			ExtraCapabilities: fuse.CAP_ASYNC_DIO, DisableXAttrs: true,
		},
	}
}

// Mount serves a directory at another one, which exists. The root of the file system is made of that of the directory.
func Mount(target, dir string, root func(*fs.LoopbackNode) fs.InodeEmbedder, o *fs.Options) (*fuse.Server, error) {
	data := &fs.LoopbackRoot{Path: dir}
	data.RootNode = root(&fs.LoopbackNode{RootData: data})
	server, err := fs.Mount(target, data.RootNode, o)
	if err != nil {
		return nil, fmt.Errorf("mount %s: %w", target, err)
	}
	return server, nil
}

// DetachStale detaches mounts of a type at a directory and below, whose server has ended.
func DetachStale(dir, fsType string) error {
	below := mountinfo.PrefixFilter(dir)
	mounts, err := mountinfo.GetMounts(func(info *mountinfo.Info) (skip, stop bool) {
		skip, stop = below(info)
		return skip || info.FSType != "fuse."+fsType, stop
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
