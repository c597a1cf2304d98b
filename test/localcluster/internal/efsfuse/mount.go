package efsfuse

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/test/localcluster/internal/slowfs"
)

const (
	// fsType is the type of the mounts.
	fsType = "efs"
	// maxBackground is how many I/Os of a mount may be on their way.
	maxBackground = 128
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
	root := func(n *fs.LoopbackNode) fs.InodeEmbedder { return &node{LoopbackNode: n, mount: m} }
	// The root is found by its descriptor: an access point's identity need not be able to
	// pass the directories above.
	server, err := slowfs.Mount(target, fmt.Sprintf("/proc/self/fd/%d", dir.Fd()), root, m.options())
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	go func() {
		server.Wait()
		_ = dir.Close()
	}()
	return nil
}

func (m *mount) options() *fs.Options {
	options := slowfs.Options(m.view.Name, fsType, maxBackground, cacheTimeout)
	options.AllowOther = true
	if m.view.Owner == nil {
		options.Options = append(options.Options, "default_permissions")
	}
	if m.view.ReadOnly {
		options.DirectMountFlags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_RDONLY
	}
	return options
}

// DetachStale detaches mounts below a directory, whose server has ended.
func DetachStale(dir string) error { return slowfs.DetachStale(dir, fsType) }
