package runner

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		name string
		stat unix.Statfs_t
		want usage
	}{
		{"half full", unix.Statfs_t{Type: unix.XFS_SUPER_MAGIC, Blocks: 1000, Bfree: 500, Bavail: 500, Files: 100, Ffree: 75}, usage{500, 250}},
		{"with a reserve for root", unix.Statfs_t{Type: unix.EXT4_SUPER_MAGIC, Blocks: 1000, Bfree: 145, Bavail: 95, Files: 64, Ffree: 63}, usage{900, 15}},
		{"just not more than 90 %", unix.Statfs_t{Type: unix.EXT4_SUPER_MAGIC, Blocks: 10_000, Bfree: 991, Bavail: 991}, usage{900, 0}},
		{"full", unix.Statfs_t{Type: unix.EXT4_SUPER_MAGIC, Blocks: 1000, Bfree: 50, Bavail: 0, Files: 64, Ffree: 0}, usage{1000, 1000}},
		{"empty", unix.Statfs_t{Type: unix.XFS_SUPER_MAGIC, Blocks: 1000, Bfree: 1000, Bavail: 1000, Files: 100, Ffree: 100}, usage{}},
		{"without sizes", unix.Statfs_t{Type: unix.BTRFS_SUPER_MAGIC}, usage{}},
		{"with more free than all", unix.Statfs_t{Type: unix.XFS_SUPER_MAGIC, Blocks: 10, Bfree: 20, Bavail: 20, Files: 1, Ffree: 2}, usage{}},
		{"EFS", unix.Statfs_t{Type: unix.NFS_SUPER_MAGIC, Blocks: 1000, Bfree: 1, Bavail: 1, Files: 10, Ffree: 1}, usage{}},
		{"Mountpoint for S3", unix.Statfs_t{Type: unix.FUSE_SUPER_MAGIC, Blocks: 1000, Bfree: 1, Bavail: 1, Files: 10, Ffree: 1}, usage{}},
	} {
		if got := newUsage(&test.stat); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// What was used before counts as well: the job may have deleted it.
func TestMostUsed(t *testing.T) {
	directory := t.TempDir()
	seen := filesSeen{directory: directory, used: usage{space: 1000, inodes: 1000}}
	if got := seen.mostUsed(t.Context()); got != seen.used {
		t.Errorf("%+v, want what was used before", got)
	}
	seen.used = usage{}
	now := usageOf(directory)
	if got := seen.mostUsed(t.Context()); got.space < now.space-100 || got.space > now.space+100 {
		t.Errorf("%+v, want what is used now, %+v", got, now)
	}
	for name, f := range map[string]filesSeen{"a raw device": {}, "no directory": {directory: filepath.Join(directory, "none")}} {
		if got := f.mostUsed(t.Context()); got != (usage{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
