package disk

import (
	"context"
	"path"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"

	"github.com/storagebench/storagebench/test/localcluster/internal/pace"
	"github.com/storagebench/storagebench/test/localcluster/internal/slowfs"
)

// node is a directory or file of the store, as it is served.
type node struct {
	*fs.LoopbackNode
	server *Server
}

func (s *Server) root(n *fs.LoopbackNode) fs.InodeEmbedder { return &node{n, s} }

// WrapChild is part of fs.NodeWrapChilder.
func (n *node) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	if loopback, ok := child.(*fs.LoopbackNode); ok {
		return n.server.root(loopback)
	}
	return child
}

// Open is part of fs.NodeOpener. Disks can be opened, and nothing else.
func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	id, name := path.Split(n.Path(n.Root()))
	if name != diskName {
		return nil, 0, syscall.EACCES
	}
	id = path.Clean(id)
	volume, err := n.server.begin(id)
	if err != nil {
		return nil, 0, fs.ToErrno(err)
	}
	handle, _, errno := n.LoopbackNode.Open(ctx, flags&^syscall.O_DIRECT)
	if errno != 0 {
		n.server.end(id)
		return nil, 0, errno
	}
	return &file{File: slowfs.Paced(handle, volume.admit), id: id, server: n.server}, slowfs.OpenFlags, 0
}

// file is an open disk.
type file struct {
	*slowfs.File
	id     string
	server *Server
}

// Allocate is part of fs.FileAllocater, by which a loop device discards blocks and writes zeros.
func (f *file) Allocate(ctx context.Context, offset, size uint64, mode uint32) syscall.Errno {
	defer pace.Wait(f.Admit(time.Now(), true, 0))
	return f.File.Allocate(ctx, offset, size, mode)
}

// Release is part of fs.FileReleaser.
func (f *file) Release(ctx context.Context) syscall.Errno {
	f.server.end(f.id)
	return f.File.Release(ctx)
}
