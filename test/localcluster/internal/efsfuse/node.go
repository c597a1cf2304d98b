package efsfuse

import (
	"context"
	"runtime"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/test/localcluster/internal/pace"
	"github.com/storagebench/storagebench/test/localcluster/internal/slowfs"
)

// Owner is the identity that an access point gives to all who come through it.
type Owner struct {
	UID uint32 `json:"uid"`
	GID uint32 `json:"gid"`
}

// node is a file or directory.
type node struct {
	*fs.LoopbackNode
	mount *mount
}

// WrapChild is part of fs.NodeWrapChilder.
func (n *node) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	loopback, ok := child.(*fs.LoopbackNode)
	if !ok {
		return child
	}
	return &node{LoopbackNode: loopback, mount: n.mount}
}

// as makes the calling thread, and what it makes, the access point's until the end. Through the
// root of a file system the kernel has already judged by the caller's own identity.
func (n *node) as(ctx *context.Context) (end func()) {
	owner := n.mount.view.Owner
	if owner == nil {
		return func() {}
	}
	runtime.LockOSThread()
	// These are of the thread and not of the process. The group first: without root
	// it could not be changed.
	gid, errGID := unix.SetfsgidRetGid(int(owner.GID))
	uid, errUID := unix.SetfsuidRetUid(int(owner.UID))
	*ctx = fuse.NewContext(*ctx, &fuse.Caller{Owner: fuse.Owner{Uid: owner.UID, Gid: owner.GID}}) //nolint:fatcontext // once for each operation
	return func() {
		if errUID == nil {
			_, errUID = unix.SetfsuidRetUid(uid)
		}
		if errGID == nil {
			_, errGID = unix.SetfsgidRetGid(gid)
		}
		// A thread that could not be made root again ends with its goroutine.
		if errUID == nil && errGID == nil {
			runtime.UnlockOSThread()
		}
	}
}

// changes is as, for a change of a directory, which takes its time.
func (n *node) changes(ctx *context.Context) (end func()) {
	began, endAs := time.Now(), n.as(ctx)
	return func() {
		endAs()
		pace.Wait(n.mount.connection.admit(began, true, 0))
	}
}

// Access is part of fs.NodeAccesser. For an access point each operation is judged by
// its identity when it comes; for the root the kernel does not ask.
func (n *node) Access(context.Context, uint32) syscall.Errno { return 0 }

const (
	// 8 EiB in blocks of 1 MiB, as df shows an EFS.
	blockSize  = 1 << 20
	blockCount = 1<<43 - 1
)

// Statfs is part of fs.NodeStatfser.
func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	*out = fuse.StatfsOut{Blocks: blockCount, Bfree: blockCount, Bavail: blockCount, Bsize: blockSize, Frsize: blockSize, NameLen: 255}
	return 0
}

// Open is part of fs.NodeOpener.
func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	defer n.as(&ctx)()
	handle, _, errno := n.LoopbackNode.Open(ctx, flags&^syscall.O_DIRECT)
	if errno != 0 {
		return nil, 0, errno
	}
	return n.file(handle), slowfs.OpenFlags, 0
}

// Create is part of fs.NodeCreater.
func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	defer n.changes(&ctx)()
	inode, handle, _, errno := n.LoopbackNode.Create(ctx, name, flags&^syscall.O_DIRECT, mode, out)
	if errno != 0 {
		return nil, nil, 0, errno
	}
	return inode, n.file(handle), slowfs.OpenFlags, 0
}

// OpendirHandle is part of fs.NodeOpendirHandler.
func (n *node) OpendirHandle(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	defer n.as(&ctx)()
	return n.LoopbackNode.OpendirHandle(ctx, flags)
}

// Lookup is part of fs.NodeLookuper.
func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer n.as(&ctx)()
	return n.LoopbackNode.Lookup(ctx, name, out)
}

// Setattr is part of fs.NodeSetattrer.
func (n *node) Setattr(ctx context.Context, handle fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	defer n.as(&ctx)()
	return n.LoopbackNode.Setattr(ctx, handle, in, out)
}

// Mkdir is part of fs.NodeMkdirer.
func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer n.changes(&ctx)()
	return n.LoopbackNode.Mkdir(ctx, name, mode, out)
}

// Mknod is part of fs.NodeMknoder.
func (n *node) Mknod(ctx context.Context, name string, mode, device uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer n.changes(&ctx)()
	return n.LoopbackNode.Mknod(ctx, name, mode, device, out)
}

// Symlink is part of fs.NodeSymlinker.
func (n *node) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer n.changes(&ctx)()
	return n.LoopbackNode.Symlink(ctx, target, name, out)
}

// Link is part of fs.NodeLinker.
func (n *node) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer n.changes(&ctx)()
	return n.LoopbackNode.Link(ctx, target, name, out)
}

// Unlink is part of fs.NodeUnlinker.
func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	defer n.changes(&ctx)()
	return n.LoopbackNode.Unlink(ctx, name)
}

// Rmdir is part of fs.NodeRmdirer.
func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	defer n.changes(&ctx)()
	return n.LoopbackNode.Rmdir(ctx, name)
}

// Rename is part of fs.NodeRenamer.
func (n *node) Rename(ctx context.Context, name string, parent fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	defer n.changes(&ctx)()
	return n.LoopbackNode.Rename(ctx, name, parent, newName, flags)
}

// CopyFileRange is part of fs.NodeCopyFileRanger. NFS 4.1, which EFS speaks, has none.
func (n *node) CopyFileRange(context.Context, fs.FileHandle, uint64, *fs.Inode, fs.FileHandle, uint64, uint64, uint64) (uint32, syscall.Errno) {
	return 0, syscall.ENOSYS
}
