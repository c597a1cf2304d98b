// Package diskfuse serves disks as files, whose reads and writes take as long as somebody says.
package diskfuse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/test/localcluster/internal/pace"
)

const (
	// maxWrite is the largest that FUSE has.
	maxWrite = 1 << 20
	// maxBackground is how many I/Os may be on their way, of all disks together: one that is slow must not hold up the others.
	maxBackground = 1 << 14
)

// Disks are the disks by their names.
type Disks interface {
	// Size returns the size of a file.
	Size(name string) (int64, error)
	// Open opens a disk.
	Open(name string) (Disk, error)
	// Say returns the content of a file that is no disk, or os.ErrNotExist.
	Say(name string) ([]byte, error)
}

// Disk is an open disk.
type Disk interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Fd() uintptr
	// Admit returns when a read or write that comes now is done.
	Admit(now time.Time, write bool, bytes int) time.Time
}

// Mounted are disks that are served.
type Mounted struct{ server *fuse.Server }

// Mount serves disks at a directory, which it makes. A mount of a server that has ended there is detached.
func Mount(at string, disks Disks) (*Mounted, error) {
	if err := os.MkdirAll(at, 0o700); errors.Is(err, unix.ENOTCONN) || errors.Is(err, os.ErrExist) {
		if err := unix.Unmount(at, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
			return nil, fmt.Errorf("detach what was served at %s: %w", at, err)
		}
	} else if err != nil {
		return nil, err
	}
	never := time.Duration(0)
	server, err := fs.Mount(at, &root{disks: disks}, &fs.Options{
		EntryTimeout: &never, AttrTimeout: &never, NegativeTimeout: &never,
		MountOptions: fuse.MountOptions{
			DirectMountStrict: true, FsName: "disks", Name: "disks", MaxBackground: maxBackground, MaxWrite: maxWrite,
			ExtraCapabilities: fuse.CAP_ASYNC_DIO, DisableXAttrs: true,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("mount %s: %w", at, err)
	}
	return &Mounted{server: server}, nil
}

// Unmount ends the service, or fails while a disk is in use.
func (m *Mounted) Unmount() error { return m.server.Unmount() }

// root is the directory.
type root struct {
	fs.Inode

	disks Disks
}

// Lookup is part of fs.NodeLookuper.
func (r *root) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	size, err := r.disks.Size(name)
	if err != nil {
		return nil, syscall.ENOENT
	}
	out.Mode, out.Size = fileMode, uint64(size)
	if known := r.GetChild(name); known != nil {
		return known, 0
	}
	return r.NewInode(ctx, &file{disks: r.disks, name: name}, fs.StableAttr{Mode: syscall.S_IFREG}), 0
}

const fileMode = syscall.S_IFREG | 0o600

// file is a disk, or a file that says something.
type file struct {
	fs.Inode

	disks Disks
	name  string
}

// Getattr is part of fs.NodeGetattrer.
func (f *file) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	size, err := f.disks.Size(f.name)
	if err != nil {
		return syscall.ENOENT
	}
	out.Mode, out.Size = fileMode, uint64(size)
	return 0
}

// Open is part of fs.NodeOpener. Each read and write comes here as it is, and several at a time.
func (f *file) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	const flags = fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES
	if said, err := f.disks.Say(f.name); err == nil {
		return words(said), flags, 0
	}
	disk, err := f.disks.Open(f.name)
	if err != nil {
		return nil, 0, fs.ToErrno(err)
	}
	return &handle{disk: disk}, flags, 0
}

// words is the content of a file that says something.
type words []byte

// Read is part of fs.FileReader.
func (w words) Read(_ context.Context, into []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	from := min(offset, int64(len(w)))
	return fuse.ReadResultData(into[:copy(into, w[from:])]), 0
}

// handle is an open disk.
type handle struct{ disk Disk }

// Read is part of fs.FileReader.
func (h *handle) Read(_ context.Context, into []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	done := h.disk.Admit(time.Now(), false, len(into))
	n, err := h.disk.ReadAt(into, offset)
	pace.Wait(done)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fs.ToErrno(err)
	}
	return fuse.ReadResultData(into[:n]), 0
}

// Write is part of fs.FileWriter.
func (h *handle) Write(_ context.Context, data []byte, offset int64) (uint32, syscall.Errno) {
	done := h.disk.Admit(time.Now(), true, len(data))
	n, err := h.disk.WriteAt(data, offset)
	pace.Wait(done)
	return uint32(n), fs.ToErrno(err)
}

// Fsync is part of fs.FileFsyncer. What a volume of a cloud has acknowledged is durable. What is acted out here need not be: it ends with the machine.
func (h *handle) Fsync(context.Context, uint32) syscall.Errno { return 0 }

// Allocate is part of fs.FileAllocater, by which a loop device discards blocks and writes zeros.
func (h *handle) Allocate(_ context.Context, offset, size uint64, mode uint32) syscall.Errno {
	done := h.disk.Admit(time.Now(), true, 0)
	err := unix.Fallocate(int(h.disk.Fd()), mode, int64(offset), int64(size))
	pace.Wait(done)
	return fs.ToErrno(err)
}

// Release is part of fs.FileReleaser.
func (h *handle) Release(context.Context) syscall.Errno { return fs.ToErrno(h.disk.Close()) }
