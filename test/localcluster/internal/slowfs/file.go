// Package slowfs serves directories of this machine as FUSE file systems, whose reads and writes take as long as somebody says.
package slowfs

import (
	"context"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/storagebench/storagebench/test/localcluster/internal/pace"
)

// OpenFlags let each read and write come here as it is, and several at a time.
const OpenFlags = fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES

// File is an open file.
type File struct {
	*fs.LoopbackFile
	// Admit returns when a read or write that comes now is done.
	Admit func(now time.Time, write bool, bytes int) (done time.Time)
}

// Paced returns a handle that a LoopbackNode has opened, with the pace of its reads and writes. It must not have been opened for direct I/O, which does not
// take buffers of any address.
func Paced(handle fs.FileHandle, admit func(time.Time, bool, int) time.Time) *File {
	file, _ := handle.(*fs.LoopbackFile)
	return &File{LoopbackFile: file, Admit: admit}
}

// PassthroughFd is part of fs.FilePassthroughFder. With one, the kernel would pass by
// this server.
func (f *File) PassthroughFd() (int, bool) { return 0, false }

// Read is part of fs.FileReader.
func (f *File) Read(ctx context.Context, into []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	defer pace.Wait(f.Admit(time.Now(), false, len(into)))
	result, errno := f.LoopbackFile.Read(ctx, into, offset)
	if errno != 0 {
		return nil, errno
	}
	data, status := result.Bytes(into) // which reads now, and not when it is sent
	return fuse.ReadResultData(data), syscall.Errno(status)
}

// Write is part of fs.FileWriter.
func (f *File) Write(ctx context.Context, data []byte, offset int64) (uint32, syscall.Errno) {
	defer pace.Wait(f.Admit(time.Now(), true, len(data)))
	return f.LoopbackFile.Write(ctx, data, offset)
}

// Fsync is part of fs.FileFsyncer. What storage of a cloud has acknowledged is durable. What is acted out here need not be: it ends with the machine.
func (f *File) Fsync(context.Context, uint32) syscall.Errno { return 0 }
