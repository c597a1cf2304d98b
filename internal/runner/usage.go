package runner

import (
	"context"

	"golang.org/x/sys/unix"
)

// usage is how much of the space and of the inodes of a file system is used, in thousandths; 0 where that is not known.
type usage struct{ space, inodes int64 }

// usageOf returns how much is used of the file system that a directory is on.
func usageOf(directory string) usage {
	var stat unix.Statfs_t
	if err := unix.Statfs(directory, &stat); err != nil {
		return usage{}
	}
	return newUsage(&stat)
}

// newUsage leaves out NFS and FUSE: EFS and Mountpoint for S3 tell sizes that nobody can fill. Space is counted as df does: what is
// reserved for root is neither used nor free.
func newUsage(stat *unix.Statfs_t) usage {
	if stat.Type == unix.NFS_SUPER_MAGIC || stat.Type == unix.FUSE_SUPER_MAGIC {
		return usage{}
	}
	used := stat.Blocks - min(stat.Bfree, stat.Blocks)
	inodes := stat.Files - min(stat.Ffree, stat.Files)
	return usage{space: permille(used, used+stat.Bavail), inodes: permille(inodes, stat.Files)}
}

// permille returns a part in thousandths of the whole, rounded down; 0 of nothing.
func permille(part, whole uint64) int64 {
	if whole == 0 {
		return 0
	}
	return min(int64(float64(part)/float64(whole)*1000), 1000)
}

// mostUsed returns how much of the files' file system is used now, or was when they were looked at, whichever is more: a job may
// delete files that were there, and a file that it creates is part of what it leaves. It knows nothing where looking at files
// took too long.
func (f filesSeen) mostUsed(ctx context.Context) usage {
	if f.directory == "" {
		return usage{}
	}
	now := within(ctx, lookTime, func(context.Context) usage { return usageOf(f.directory) })
	return usage{space: max(now.space, f.used.space), inodes: max(now.inodes, f.used.inodes)}
}
