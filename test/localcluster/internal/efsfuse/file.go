package efsfuse

import (
	"context"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/storagebench/storagebench/test/localcluster/internal/pace"
)

// openFlags let each read and write come here as it is, and several at a time.
const openFlags = fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES

// file is an open file.
type file struct {
	*fs.LoopbackFile
	connection *Connection
}

func (n *node) file(handle fs.FileHandle) fs.FileHandle {
	loopback, ok := handle.(*fs.LoopbackFile)
	if !ok {
		return handle
	}
	return &file{LoopbackFile: loopback, connection: n.mount.connection}
}

// PassthroughFd is part of fs.FilePassthroughFder. With one, the kernel would pass by
// this server.
func (f *file) PassthroughFd() (int, bool) { return 0, false }

// Write is part of fs.FileWriter.
func (f *file) Write(ctx context.Context, data []byte, offset int64) (uint32, syscall.Errno) {
	done := f.connection.write(time.Now(), len(data))
	n, errno := f.LoopbackFile.Write(ctx, data, offset)
	pace.Wait(done)
	return n, errno
}

// Read is part of fs.FileReader.
func (f *file) Read(ctx context.Context, into []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	done := f.connection.read(time.Now(), len(into))
	result, errno := f.LoopbackFile.Read(ctx, into, offset)
	pace.Wait(done)
	return result, errno
}

// Fsync is part of fs.FileFsyncer. What EFS has acknowledged is durable; what this
// stand-in holds need not be.
func (f *file) Fsync(context.Context, uint32) syscall.Errno { return 0 }

// Allocate is part of fs.FileAllocater. NFS 4.1, which EFS speaks, has no fallocate.
func (f *file) Allocate(context.Context, uint64, uint64, uint32) syscall.Errno {
	return syscall.EOPNOTSUPP
}
