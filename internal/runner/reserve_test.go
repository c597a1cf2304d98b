package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
)

// sharedMemory is a file system that little else writes to while tests run.
const sharedMemory = "/dev/shm"

// newReserveFixture returns a runner on a file system of which all but so many bytes are reserved.
func newReserveFixture(t *testing.T, job string, room int64) *fixture {
	t.Helper()
	f := newFixture(t, job)
	directory, err := os.MkdirTemp(sharedMemory, "runner")
	if err != nil {
		t.Skip("it takes a file system in memory: ", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	f.JobFile = strings.Replace(f.JobFile, f.Directory, filepath.Join(directory, "files"), 1)
	f.Directory = filepath.Join(directory, "files")
	f.reserveAllBut(room)
	return f
}

// reserveAllBut reserves all that is free now but so many bytes.
func (f *fixture) reserveAllBut(room int64) {
	f.Helper()
	var stat unix.Statfs_t
	if err := unix.Statfs(sharedMemory, &stat); err != nil {
		f.Fatal(err)
	}
	f.FreeSpaceReserve = new(int64(stat.Bavail)*stat.Frsize - room)
}

// written returns how many bytes the test files take.
func (f *fixture) written() (total int64) {
	f.Helper()
	files, err := testFiles(f.Directory)
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		total += file.Bytes
	}
	return total
}

// Files that would leave less than the reserve are not made, nor is their directory. That holds for files that are
// laid out, and for those that fio makes while it measures.
func TestRefusesToFill(t *testing.T) {
	for name, test := range map[string]struct {
		job    string
		layout bool
		words  string
	}{
		"layout":         {"[a]\nrw=randread\nsize=64M", true, "needed 64.1 MiB"},
		"clones":         {"[a]\nrw=randread\nsize=8M\nnumjobs=5", true, "needed 40.1 MiB"},
		"after layout":   {"[a]\nrw=randread\nsize=16M\n[b]\nrw=write\ncreate_on_open=1\nsize=24M", true, "needed 40 MiB"},
		"without layout": {"[a]\nrw=write\nsize=64M", false, "needed 64.1 MiB"},
		"at the end":     {"[a]\nrw=write\nsize=64M\nfile_append=1", false, "needed 64.1 MiB"},
		"more files":     {"[a]\nrw=write\nfilesize=64k\nnrfiles=600\ncreate_on_open=1\nunlink=1", false, "needed 39.9 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newReserveFixture(t, test.job, 32*mib)
			if test.layout {
				first, _, _ := strings.Cut(f.JobFile, "[b]")
				f.LayoutFile = first
			}
			code := Measure(t.Context(), f.Options)
			f.wants(code, digest.ExitFailed, "free ", test.words, "reserve ", "fio was not started", "freeSpaceReserve")
			f.noReport()
			if _, err := os.Stat(f.Directory); !os.IsNotExist(err) {
				t.Errorf("the directory was made (%v)", err)
			}
		})
	}
}

// Clients that share a file system lay out their files at the same time. The reserve holds for all of them together, also
// where one has begun before another looks.
func TestClientsTogetherKeepTheReserve(t *testing.T) {
	for name, test := range map[string]struct {
		others  []string
		refused bool
	}{
		"one client":    {nil, false},
		"two clients":   {[]string{"client-1"}, false},
		"three clients": {[]string{"client-1", "client-2"}, true},
		"three clients, of which one has its files": {[]string{"client-1", "done"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newReserveFixture(t, "[a]\nrw=randread\nsize=16M", 48*mib)
			f.LayoutFile, f.OtherDirectories = f.JobFile, test.others
			done := filepath.Join(filepath.Dir(f.Directory), "done")
			if err := os.MkdirAll(done, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(done, "a.0.0"), make([]byte, 16*mib), 0o600); err != nil {
				t.Fatal(err)
			}
			f.reserveAllBut(40 * mib)
			code := Measure(t.Context(), f.Options)
			if !test.refused {
				f.wants(code, 0)
				return
			}
			f.wants(code, digest.ExitFailed, "needed 48", "fio was not started, because the 3 clients together would leave less")
		})
	}
}

// The remedy for a new volume that is smaller than its reserve is a larger one.
func TestRemedy(t *testing.T) {
	for own, want := range map[bool]bool{true: true, false: false} {
		if got := strings.Contains(Options{OwnClaim: own}.remedy(), "raise capacity"); got != want {
			t.Errorf("own claim %t: raise capacity is in the remedy: %t", own, got)
		}
	}
}

// Files of an earlier run are not needed again.
func TestFilesAreThereAlready(t *testing.T) {
	f := newReserveFixture(t, "[a]\nrw=randread\nsize=24M\nnumjobs=2\ngroup_reporting=1", 64*mib)
	f.LayoutFile = f.JobFile
	f.wants(Measure(t.Context(), f.Options), 0)
	f.reserveAllBut(8 * mib)
	f.wants(Measure(t.Context(), f.Options), 0)
	if read := f.report().Groups[0].Of(v1alpha1.OperationRead); read == nil || read.Bytes != 48*mib {
		t.Errorf("reads are %+v", read)
	}
}

// fio is stopped when it comes to the reserve, also where nothing tells beforehand how much it writes.
func TestStoppedAtTheReserve(t *testing.T) {
	t.Parallel()
	for name, job := range map[string]string{
		"fill_device": "[a]\nrw=write\nbs=64k\nfill_device=1\nrate=100M",
		"fill_fs":     "[a]\nrw=write\nbs=64k\nfill_fs=1\nrate=100M\nnumjobs=2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newReserveFixture(t, job, 32*mib)
			code := Measure(t.Context(), f.Options)
			f.wants(code, digest.ExitFailed, "free ", "reserve ", "fio was stopped", "freeSpaceReserve")
			f.noReport()
			if got := f.written(); got > 128*mib {
				t.Errorf("%d bytes were written of 32 MiB", got)
			}
			f.wants(Clean(f.Options), 0)
		})
	}
}

// A layout is stopped as well when something else takes the space meanwhile.
func TestLayoutIsStoppedAtTheReserve(t *testing.T) {
	f := newReserveFixture(t, "[a]\nrw=read\nsize=8M", 32*mib)
	if err := os.MkdirAll(f.Directory, 0o700); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "fio")
	text := "#!/bin/sh\nhead -c 64M /dev/zero > " + f.Directory + "/other\nexec sleep 600\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	f.Fio = script
	f.wants(Layout(t.Context(), f.Options), digest.ExitFailed, "fio was stopped", "reserve ")
}

// Without a reserve fio may fill the file system. A claim that others may use has the default reserve.
func TestReserveOfVolumes(t *testing.T) {
	directory := t.TempDir()
	var stat unix.Statfs_t
	if err := unix.Statfs(directory, &stat); err != nil {
		t.Fatal(err)
	}
	whole := thisMachine().isWholeDevice(directory)
	for name, test := range map[string]struct {
		options  Options
		reserved bool
	}{
		"an existing claim":              {Options{}, true},
		"an existing claim, no reserve":  {Options{FreeSpaceReserve: new(int64(0))}, false},
		"an own claim":                   {Options{OwnClaim: true}, !whole},
		"an own claim, with a reserve":   {Options{OwnClaim: true, FreeSpaceReserve: new(int64(1))}, true},
		"an existing claim, one of 1 KB": {Options{FreeSpaceReserve: new(int64(1000))}, true},
	} {
		room, err := test.options.roomAt(directory)
		if err != nil || room.isReserved() != test.reserved {
			t.Errorf("%s: %+v, error %v, want reserved %t", name, room, err, test.reserved)
		}
	}
}

// A volume is a file system of its own where its mount shows all of a block device.
func TestIsWholeDevice(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "proc/self"), 0o700); err != nil {
		t.Fatal(err)
	}
	const mounts = `100 1 0:50 / / rw - overlay image rw
101 100 259:3 / /disk rw - ext4 /dev/nvme1n1 rw
102 100 7:3 / /loop rw - xfs /dev/loop3 rw
103 100 259:1 /opt/local-path-provisioner/pvc-1 /local rw - ext4 /dev/nvme0n1p1 rw
104 100 0:60 / /nfs rw - nfs4 server:/share/pvc-1 rw
105 100 0:61 / /fuse rw - fuse mountpoint-s3 rw
106 100 0:62 /pvc-1 /btrfs rw - btrfs /dev/nvme2n1 rw
107 100 259:3 / /hidden rw - ext4 /dev/nvme1n1 rw
109 100 0:63 / /whole-btrfs rw - btrfs /dev/nvme3n1 rw
110 100 0:64 /volumes/csi/csi-vol-1 /cephfs rw - ceph 10.0.0.1:6789:/volumes/csi/csi-vol-1 rw
111 100 0:65 / /zfs rw - zfs pool/pvc-1 rw
108 100 0:60 / /hidden rw - nfs4 server:/share rw
`
	if err := os.WriteFile(filepath.Join(root, "proc/self/mountinfo"), []byte(mounts), 0o600); err != nil {
		t.Fatal(err)
	}
	m := machine{root: root}
	for path, want := range map[string]bool{
		"/disk": true, "/disk/sb-1": true, "/loop/sb-1/client-1": true, "/diskette": false, "/local/sb-1": false,
		"/nfs/sb-1": false, "/fuse": false, "/whole-btrfs/sb-1": true, "/cephfs": false, "/zfs": false, "/btrfs/sb-1": false, "/hidden/sb-1": false,
	} {
		if got := m.isWholeDevice(path); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
	if (machine{root: t.TempDir()}).isWholeDevice("/disk") {
		t.Error("a machine without mounts has a device")
	}
}
