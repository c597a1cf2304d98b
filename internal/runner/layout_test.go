package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
)

// newLayoutFixture returns a runner that lays out the files of the job before it measures.
func newLayoutFixture(t *testing.T, job string) *fixture {
	t.Helper()
	f := newFixture(t, job)
	f.LayoutFile = strings.Replace(f.JobFile, "thread=0\n", "thread=0\noverwrite=1\n", 1)
	return f
}

// logLines returns the lines of the log that are of laying out files, and those that are not. None of the former follows
// one of the latter.
func (f *fixture) logLines() (layout, measuring []string) {
	f.Helper()
	for line := range strings.Lines(f.log.String()) {
		switch {
		case !strings.HasPrefix(line, digest.LayoutPrefix):
			measuring = append(measuring, line)
		case len(measuring) > 0:
			f.Errorf("%q comes after %q", line, measuring[len(measuring)-1])
		default:
			layout = append(layout, line)
		}
	}
	return layout, measuring
}

// Files are laid out before the measurement begins: it has the same result as one that found them there, and all blocks are
// written that it reads.
func TestMeasureLaysOutFirst(t *testing.T) {
	f := newLayoutFixture(t, "[reads]\nrw=randread\nsize=2M\nnumjobs=2\ngroup_reporting=1")

	f.wants(Measure(t.Context(), f.Options), 0)

	report := f.report()
	if len(report.Groups) != 1 {
		t.Fatalf("report is %+v", report)
	}
	if read := report.Groups[0].Of(v1alpha1.OperationRead); read == nil || read.Bytes != 4<<20 || report.Groups[0].Of(v1alpha1.OperationWrite) != nil {
		t.Errorf("reads are %+v, writes %+v", read, report.Groups[0].Of(v1alpha1.OperationWrite))
	}
	if e := report.Environment; e.Files != 2 || e.SparseFiles != 0 {
		t.Errorf("%d files were seen, %d of them sparse", e.Files, e.SparseFiles)
	}
	layout, measuring := f.logLines()
	if len(layout) == 0 || len(measuring) == 0 || measuring[0] != "test files are laid out\n" {
		t.Errorf("the log of the layout is %q, and the other\n%s", layout, strings.Join(measuring, ""))
	}
	// Who reads fio's output from the log finds one.
	if n := strings.Count(f.log.String(), `"fio version"`); n != 1 {
		t.Errorf("the log has fio's output %d times:\n%s", n, f.log)
	}
}

// The measured window is fio's own: by its clock the job began after the last file was written.
func TestLayoutIsNotMeasured(t *testing.T) {
	t.Parallel()
	f := newLayoutFixture(t, "[reads]\nrw=randread\nsize=64M\ntime_based=1\nruntime=1\nnrfiles=4")
	began := time.Now()
	f.wants(Measure(t.Context(), f.Options), 0)
	group := f.report().Groups[0]
	files, err := filepath.Glob(filepath.Join(f.Directory, "reads.*"))
	if err != nil || len(files) != 4 {
		t.Fatalf("files %v, error %v", files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if written := info.ModTime(); written.Before(began.Add(-time.Second)) || written.UnixMilli() > group.JobStart {
			t.Errorf("%s was written at %s, and the job began at %s", file, written, time.UnixMilli(group.JobStart))
		}
	}
}

// What the layout wrote is not in the page cache when the measurement begins: reads through it reach the storage.
func TestLayoutLeavesNothingCached(t *testing.T) {
	f := newLayoutFixture(t, "[reads]\nrw=read\nsize=4M\ndirect=0")
	f.JobFile = f.LayoutFile
	f.wants(Layout(t.Context(), f.Options), 0)
	var where unix.Statfs_t
	if err := unix.Statfs(f.Directory, &where); err != nil {
		t.Fatal(err)
	}
	if where.Type == unix.TMPFS_MAGIC {
		t.Skip("files of a tmpfs are nowhere but in the page cache")
	}
	if cached := f.cachedPages("reads.0.0"); cached > 0 {
		t.Errorf("%d pages are cached", cached)
	}
}

// cachedPages returns how many pages of a file are in the page cache.
func (f *fixture) cachedPages(name string) int {
	f.Helper()
	file, err := os.Open(filepath.Join(f.Directory, name))
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		f.Fatal(err)
	}
	mapped, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		f.Fatal(err)
	}
	defer func() { _ = unix.Munmap(mapped) }()
	pages := make([]byte, (len(mapped)+os.Getpagesize()-1)/os.Getpagesize())
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mapped[0])), uintptr(len(mapped)), uintptr(unsafe.Pointer(&pages[0]))); errno != 0 {
		f.Fatal(errno)
	}
	cached := 0
	for _, page := range pages {
		cached += int(page & 1)
	}
	return cached
}

// What goes wrong with the layout is the run's outcome, in the same words and with the same code as that of an init
// container, and nothing is measured.
func TestLayoutFailsFirst(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*fixture)
		code   int
		words  []string
	}{
		{"fio", func(f *fixture) { f.LayoutFile = "[a]\nrw=read\nsize=1M\nnosuch=1\n" }, digest.ExitFailed, []string{"fio failed", "nosuch"}},
		{"directory", func(f *fixture) {
			if err := os.WriteFile(f.Directory, nil, 0o600); err != nil {
				f.Fatal(err)
			}
		}, digest.ExitFailed, []string{"make the directory for test files", "not a directory"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newLayoutFixture(t, "[reads]\nrw=read\nsize=1M")
			test.change(f)
			f.wants(Measure(t.Context(), f.Options), test.code, test.words...)
			f.noReport()
			if _, measuring := f.logLines(); len(measuring) > 0 {
				t.Errorf("it went on: %q", measuring)
			}
		})
	}
}

func TestInterruptedWhileItLaysOut(t *testing.T) {
	f := newLayoutFixture(t, "[reads]\nrw=read\nsize=1M")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.wants(Measure(ctx, f.Options), digest.ExitInterrupted, "ended before fio had finished")
	f.noReport()
}

// A layout that gets nothing done is ended as a measurement is.
func TestNoProgressWhileItLaysOut(t *testing.T) {
	t.Parallel()
	f := newLayoutFixture(t, "[reads]\nrw=read\nsize=1M")
	hanging := filepath.Join(t.TempDir(), "fio")
	if err := os.WriteFile(hanging, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.Fio, f.ProgressDeadline = hanging, 2*time.Second
	f.wants(Measure(t.Context(), f.Options), digest.ExitNoProgress, "fio completed no I/O for 2s and was ended")
	f.noReport()
	if _, measuring := f.logLines(); len(measuring) > 0 {
		t.Errorf("it went on: %q", measuring)
	}
}

// newObjectsFixture returns a runner that lays out 4,000 objects whose names begin with a prefix, which it does in several parts.
func newObjectsFixture(t *testing.T, prefix string) *fixture {
	t.Helper()
	f := newFixture(t, "")
	reads, err := fio.Parse("[a]\nrw=read\nioengine=filestat\nfilesize=1\nnrfiles=1000\nnumjobs=4\n")
	if err != nil {
		t.Fatal(err)
	}
	f.JobFile = fio.LayoutObjects(reads).WithNamePrefix(prefix).On(fio.Volume{Directory: f.Directory}).String()
	return f
}

// Objects are laid out by several jobs at a time, part by part: 4,000 of such names in three. What is there in its size stays.
func TestLayoutOfObjects(t *testing.T) {
	t.Parallel()
	f := newObjectsFixture(t, "client-0.")
	f.wants(Layout(t.Context(), f.Options), 0)
	if n := strings.Count(f.log.String(), "fio was started at "); n != 3 {
		t.Errorf("fio was started %d times:\n%s", n, f.log)
	}
	first := filesOf(t, f.Directory)
	if len(first) != 4000 || first["client-0.read-1.filestat.a.3.999"] == nil {
		t.Fatalf("%d files", len(first))
	}
	f.wants(Layout(t.Context(), f.Options), 0)
	for name, again := range filesOf(t, f.Directory) {
		if before := first[name]; before == nil || before.Size() != 1 || again.Size() != 1 || !again.ModTime().Equal(before.ModTime()) {
			t.Errorf("%s is %v, and was %v", name, again, before)
		}
	}
}

// filesOf returns the files of a directory by their names.
func filesOf(t *testing.T, directory string) map[string]os.FileInfo {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]os.FileInfo{}
	for _, entry := range entries {
		if files[entry.Name()], err = entry.Info(); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// What goes wrong with one of the objects is the layout's outcome, in fio's words, and no other part begins.
func TestLayoutOfObjectsFails(t *testing.T) {
	f := newObjectsFixture(t, strings.Repeat("x", 250))
	f.wants(Layout(t.Context(), f.Options), digest.ExitFailed, "fio failed", "File name too long")
	if n := strings.Count(f.log.String(), "fio was started at "); n != 1 {
		t.Errorf("fio was started %d times:\n%s", n, f.log)
	}
}

func TestLayoutOfObjectsIsEnded(t *testing.T) {
	t.Parallel()
	f := newObjectsFixture(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.wants(Layout(ctx, f.Options), digest.ExitInterrupted, "ended before fio had finished")
	hanging := filepath.Join(t.TempDir(), "fio")
	if err := os.WriteFile(hanging, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.Fio, f.ProgressDeadline = hanging, 2*time.Second
	f.wants(Layout(t.Context(), f.Options), digest.ExitNoProgress, "fio completed no I/O for 2s and was ended")
}

func TestPrefixed(t *testing.T) {
	log := &buffer{}
	p := &prefixed{log: log, prefix: "> "}
	for _, text := range []string{"one\n", "two", " and a half\nthree\n\n", "", "four"} {
		if n, err := fmt.Fprint(p, text); n != len(text) || err != nil {
			t.Errorf("%q: %d bytes, error %v", text, n, err)
		}
	}
	if want := "> one\n> two and a half\n> three\n> \n> four"; log.String() != want {
		t.Errorf("log is %q, want %q", log, want)
	}
}
