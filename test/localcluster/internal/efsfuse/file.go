package efsfuse

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"

	"github.com/storagebench/storagebench/test/localcluster/internal/slowfs"
)

// file is an open file.
type file struct{ *slowfs.File }

func (n *node) file(handle fs.FileHandle) fs.FileHandle {
	return file{slowfs.Paced(handle, n.mount.connection.admit)}
}

// Allocate is part of fs.FileAllocater. NFS 4.1, which EFS speaks, has no fallocate.
func (file) Allocate(context.Context, uint64, uint64, uint32) syscall.Errno {
	return syscall.EOPNOTSUPP
}
