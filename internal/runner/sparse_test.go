package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testFile is a file to which a test writes.
type testFile struct {
	*testing.T
	*os.File
}

func newTestFile(t *testing.T, directory, name string, size int64) testFile {
	t.Helper()
	if err := os.MkdirAll(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(directory, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
	return testFile{t, file}
}

// fill writes bytes from an offset on.
func (f testFile) fill(offset, bytes int64) testFile {
	f.Helper()
	if _, err := f.WriteAt([]byte(strings.Repeat("x", int(bytes))), offset); err != nil {
		f.Fatal(err)
	}
	return f
}

// reserve has the file system set blocks aside from an offset on.
func (f testFile) reserve(offset, bytes int64) testFile {
	f.Helper()
	if err := syscall.Fallocate(int(f.Fd()), 0, offset, bytes); err != nil {
		f.Fatal(err)
	}
	return f
}

// Kinds of file systems, of linux/magic.h and OpenZFS, that do not tell a file's extents.
var withoutExtents = map[int64]string{0x01021994: "tmpfs", 0x6969: "NFS", 0x65735546: "FUSE", 0x01021997: "9p", 0x2fc12fc1: "ZFS"}

// needExtents skips a test where the file system of temporary files does not tell extents.
func needExtents(t *testing.T) {
	t.Helper()
	var stat syscall.Statfs_t
	if err := syscall.Statfs(t.TempDir(), &stat); err != nil {
		t.Fatal(err)
	}
	if name, ok := withoutExtents[stat.Type]; ok {
		t.Skipf("%s does not tell a file's extents: set TMPDIR to a directory on ext4, xfs or btrfs", name)
	}
}

const mebibyte = 1 << 20

// files returns the report's counts of files.
func (f *fixture) files() [2]int64 {
	f.Helper()
	e := f.report().Environment
	return [2]int64{e.Files, e.SparseFiles}
}

func TestLaidOutFilesAreNotSparse(t *testing.T) {
	t.Parallel()
	for name, job := range map[string]string{
		"reads":               "[a]\nrw=randread\nsize=2M\nnumjobs=2",
		"reads and writes":    "[a]\nrw=randrw\nsize=2M\nnumjobs=2",
		"by several sections": "[global]\nsize=2M\n[a]\nrw=read\n[b]\nrw=write\n[c]\nrw=read",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, job)
			f.wants(Layout(t.Context(), f.Options), 0)
			f.wants(Measure(t.Context(), f.Options), 0)
			if diff := cmp.Diff([2]int64{2, 0}, f.files()); diff != "" {
				t.Errorf("files and sparse files (-want +got):\n%s", diff)
			}
		})
	}
}

// Files that were there before, of the right size, are what fio reads: whatever is in them.
func TestFilesOfOthersAreSparse(t *testing.T) {
	f := newFixture(t, "[a]\nrw=read\nsize=2M\nnumjobs=3")
	newTestFile(t, f.Directory, "a.0.0", 2*mebibyte)
	newTestFile(t, f.Directory, "a.1.0", 2*mebibyte).fill(0, 2*mebibyte)
	newTestFile(t, f.Directory, "a.2.0", 2*mebibyte).fill(0, mebibyte)
	f.wants(Measure(t.Context(), f.Options), 0)
	if diff := cmp.Diff([2]int64{3, 2}, f.files()); diff != "" {
		t.Errorf("files and sparse files (-want +got):\n%s", diff)
	}
}

func TestReservedFilesAreSparse(t *testing.T) {
	needExtents(t)
	f := newFixture(t, "[a]\nrw=read\nsize=2M\nnumjobs=2")
	newTestFile(t, f.Directory, "a.0.0", 2*mebibyte).reserve(0, 2*mebibyte)
	newTestFile(t, f.Directory, "a.1.0", 2*mebibyte).reserve(0, 2*mebibyte).fill(0, 2*mebibyte)
	f.wants(Measure(t.Context(), f.Options), 0)
	if diff := cmp.Diff([2]int64{2, 1}, f.files()); diff != "" {
		t.Errorf("files and sparse files (-want +got):\n%s", diff)
	}
}

// fio lays out what is only written by reserving it. A later section reads what was written.
func TestFilesThatTheJobWritesFirst(t *testing.T) {
	t.Parallel()
	needExtents(t)
	f := newFixture(t, "[global]\nfilename=shared\nsize=2M\n[a]\nrw=write\nend_fsync=1\n[b]\nstonewall\nrw=read")
	f.wants(Layout(t.Context(), f.Options), 0)
	if diff := cmp.Diff([]string{"shared"}, f.lookAtFiles(t.Context()).sparse); diff != "" {
		t.Errorf("fio's layout of a write is not what this test is about (-want +got):\n%s", diff)
	}
	f.wants(Measure(t.Context(), f.Options), 0)
	if diff := cmp.Diff([2]int64{1, 0}, f.files()); diff != "" {
		t.Errorf("files and sparse files (-want +got):\n%s", diff)
	}
}

func TestFilesThatAreGone(t *testing.T) {
	f := newFixture(t, "[a]\nrw=read\nsize=2M\nunlink=1")
	newTestFile(t, f.Directory, "a.0.0", 2*mebibyte)
	f.wants(Measure(t.Context(), f.Options), 0)
	if diff := cmp.Diff([2]int64{1, 1}, f.files()); diff != "" {
		t.Errorf("files and sparse files (-want +got):\n%s", diff)
	}
}

func TestNoFilesToLookAt(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"raw device":           func(o *Options) { o.Directory = "" },
		"no such directory":    func(o *Options) { o.Directory += "/x" },
		"job that is none":     func(o *Options) { o.JobFile = "[global]\n" },
		"only written":         func(o *Options) { o.JobFile = "[a]\nrw=write\n" },
		"other files are read": func(o *Options) { o.JobFile = "[b]\nrw=read\n" },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "[a]\nrw=read\nsize=1M")
			newTestFile(t, f.Directory, "a.0.0", mebibyte)
			if got := f.lookAtFiles(t.Context()); got.count != 1 || len(got.sparse) != 1 {
				t.Fatalf("%+v before", got)
			}
			change(&f.Options)
			if got := f.lookAtFiles(t.Context()); got.count != 0 || len(got.sparse) != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestIsSparse(t *testing.T) {
	for _, test := range []struct {
		name    string
		make    func(testFile)
		extents bool
		want    bool
	}{
		{name: "written", make: func(f testFile) { f.fill(0, mebibyte) }},
		{name: "written without end", make: func(f testFile) { f.fill(0, mebibyte-4096) }},
		{name: "small hole", make: func(f testFile) { f.fill(0, 512<<10).fill(520<<10, 504<<10) }},
		{name: "hole", make: func(f testFile) { f.fill(0, 512<<10).fill(528<<10, 496<<10) }, want: true},
		{name: "hole first", make: func(f testFile) { f.fill(16<<10, 1008<<10) }, want: true},
		{name: "hole last", make: func(f testFile) { f.fill(0, 1008<<10) }, want: true},
		{name: "hole, and an end within a block", make: func(f testFile) { f.fill(12<<10, 1012<<10+1) }, want: true},
		{name: "nothing", make: func(testFile) {}, want: true},
		{name: "reserved", make: func(f testFile) { f.reserve(0, mebibyte) }, extents: true, want: true},
		{name: "reserved and written", make: func(f testFile) { f.reserve(0, mebibyte).fill(0, mebibyte) }, extents: true},
		{name: "hardly reserved", make: func(f testFile) { f.fill(0, mebibyte-8192).reserve(mebibyte-8192, 8192) }, extents: true},
		{name: "partly reserved", make: func(f testFile) { f.fill(0, mebibyte-16384).reserve(mebibyte-16384, 16384) }, extents: true, want: true},
		{name: "reserved beyond its end", make: func(f testFile) {
			f.fill(0, mebibyte).reserve(mebibyte, mebibyte)
			if err := f.Truncate(mebibyte + 100); err != nil {
				f.Fatal(err)
			}
		}, extents: true},
		{name: "empty", make: func(f testFile) {
			if err := f.Truncate(0); err != nil {
				f.Fatal(err)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.extents {
				needExtents(t)
			}
			directory := t.TempDir()
			test.make(newTestFile(t, directory, "a", mebibyte))
			if got := openRoot(t, directory).isSparse("a"); got != test.want {
				t.Errorf("%t, want %t", got, test.want)
			}
		})
	}
}

// What does not tell extents is judged by its blocks, as NFS and FUSE are.
func TestIsSparseWithoutExtents(t *testing.T) {
	directory, err := os.MkdirTemp("/dev/shm", "sparse")
	if err != nil {
		t.Skipf("no tmpfs to test on: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	written := newTestFile(t, directory, "written", mebibyte).fill(0, mebibyte)
	newTestFile(t, directory, "small-hole", mebibyte).fill(8192, mebibyte-8192)
	newTestFile(t, directory, "hole", mebibyte).fill(16384, mebibyte-16384)
	if got, err := unwritten(written.File, mebibyte); err == nil {
		t.Skipf("/dev/shm tells extents: of %d bytes", got)
	}
	for name, want := range map[string]bool{"written": false, "small-hole": false, "hole": true} {
		if got := openRoot(t, directory).isSparse(name); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
}

// testRoot is a directory with a test's files.
type testRoot struct {
	*testing.T
	*os.Root
}

func openRoot(t *testing.T, directory string) testRoot {
	t.Helper()
	root, err := os.OpenRoot(directory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return testRoot{t, root}
}

func (r testRoot) isSparse(name string) bool {
	r.Helper()
	sparse, err := isSparse(r.Root, name)
	if err != nil {
		r.Error(err)
	}
	return sparse
}

// The kernel tells extents in portions, and not for ever.
func TestManyExtents(t *testing.T) {
	needExtents(t)
	const block, most = 4096, extentsAtOnce * maxAsked
	for _, test := range []struct {
		extents, missing int64
		all              bool
	}{
		{1, block, true},
		{extentsAtOnce, extentsAtOnce * block, true},
		{extentsAtOnce + 1, (extentsAtOnce + 1) * block, true},
		{3 * extentsAtOnce, 3 * extentsAtOnce * block, true},
		{most + 100, most * block, false},
	} {
		t.Run(fmt.Sprintf("%d", test.extents), func(t *testing.T) {
			size := test.extents * 2 * block
			file := newTestFile(t, t.TempDir(), "a", size)
			for i := range test.extents {
				file.fill((2*i+1)*block, block)
			}
			if got, err := unwritten(file.File, size); got != test.missing || (err == nil) != test.all {
				t.Errorf("%d bytes were not written, error %v, want %d", got, err, test.missing)
			}
		})
	}
}

// Behind the extents that are asked for, the blocks of a file still tell holes.
func TestHoleBehindManyExtents(t *testing.T) {
	const block, most = 4096, extentsAtOnce * maxAsked
	directory := t.TempDir()
	file := newTestFile(t, directory, "a", 1000*2*most*block)
	for i := range int64(most + 1) {
		file.fill((2*i+1)*block, block)
	}
	if !openRoot(t, directory).isSparse("a") {
		t.Error("the file passes for written")
	}
}

// What is no file of the directory is not looked at, and does not stop fio.
func TestLookAtOtherThanFiles(t *testing.T) {
	directory := t.TempDir()
	outside := newTestFile(t, t.TempDir(), "outside", mebibyte)
	newTestFile(t, directory, "a.0", mebibyte)
	for _, err := range []error{
		os.Mkdir(filepath.Join(directory, "a.1"), 0o700),
		os.Symlink(outside.Name(), filepath.Join(directory, "a.2")),
		os.Symlink("nothing", filepath.Join(directory, "a.3")),
		os.Symlink("a.0", filepath.Join(directory, "a.4")),
		syscall.Mkfifo(filepath.Join(directory, "a.5"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := look(t.Context(), directory, []string{"a.[0-9]*", "a.0", "../*", "a.9"})
	want := filesSeen{directory: directory, count: 2, sparse: []string{"a.0", "a.4"}, used: got.used}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(filesSeen{}, usage{}, counted{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLookAtManyFiles(t *testing.T) {
	directory := t.TempDir()
	for i := range maxFiles + 10 {
		newTestFile(t, directory, fmt.Sprintf("a.%d", i), 1).fill(0, 1)
	}
	if got := look(t.Context(), directory, []string{"*"}); got.count != maxFiles || len(got.sparse) > 0 {
		t.Errorf("%d files, sparse ones %q", got.count, got.sparse)
	}
}

func TestLookEndsWithItsContext(t *testing.T) {
	directory := t.TempDir()
	newTestFile(t, directory, "a", mebibyte)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := look(ctx, directory, []string{"*"}); got.count != 0 || len(got.sparse) > 0 {
		t.Errorf("%+v", got)
	}
	f := filesSeen{directory: directory, count: 1, sparse: []string{"a"}}
	if got := f.stillSparse(ctx); got != 1 {
		t.Errorf("%d files are still sparse", got)
	}
}

// Storage that hangs keeps nobody waiting.
func TestWithin(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	hangs := func(context.Context) int {
		<-hang
		return 1
	}
	if got := within(t.Context(), time.Millisecond, hangs); got != 0 {
		t.Errorf("got %d of what hangs", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := within(ctx, time.Hour, hangs); got != 0 {
		t.Errorf("got %d of what hangs, after the run's end", got)
	}
	if got := within(t.Context(), time.Hour, func(context.Context) int { return 2 }); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
}
