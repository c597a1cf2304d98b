package fio

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/test/fiorun"
)

func TestNeedsLayout(t *testing.T) {
	for text, want := range map[string]bool{
		"[a]\nrw=read\nsize=1G\n":                           true,
		"[a]\nrw=write\nsize=1G\ncreate_on_open=1\n":        false,
		"[global]\ncreate_on_open=1\n[a]\n[b]\n":            false,
		"[a]\ncreate_on_open=1\n[b]\ncreate_on_open=0\n":    true,
		"[global]\ncreate_on_open=0\n[a]\ncreate_on_open=1": false,
	} {
		if got := mustParse(t, text).NeedsLayout(); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// TestLayout also asks fio: in the directory of a job file with the same layout it changes nothing.
func TestLayout(t *testing.T) {
	t.Parallel()
	const text = "[a]\nrw=randread\nsize=64k\nnumjobs=2\nnrfiles=2\n"
	for name, tt := range map[string]struct {
		text string
		same bool
	}{
		"the same":           {text, true},
		"a block size":       {text + "bs=16k\niodepth=4\n", true},
		"a kind of read":     {"[a]\nrw=rw\nsize=64k\nnumjobs=2\nnrfiles=2\n", true},
		"a size of each":     {"[a]\nrw=randread\nfilesize=32k\nsize=1M\nnumjobs=2\nnrfiles=2\n", true},
		"more bytes":         {"[a]\nrw=randread\nsize=128k\nnumjobs=2\nnrfiles=2\n", false},
		"more clones":        {"[a]\nrw=randread\nsize=64k\nnumjobs=4\nnrfiles=2\n", false},
		"as many files":      {"[a]\nrw=randread\nsize=32k\nnumjobs=4\nnrfiles=1\n", false},
		"another section":    {"[b]\nrw=randread\nsize=64k\nnumjobs=2\nnrfiles=2\n", false},
		"a section more":     {text + "[b]\nsize=64k\n", false},
		"an upper case name": {text + "filename_format=A.$jobnum.$filenum\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			layOut := func(f *JobFile) map[string]string {
				if run := fiorun.Run(t, LayoutFile(f).On(Volume{Directory: directory}).String(), "--create_only=1"); run.Code != 0 {
					t.Fatalf("fio: %s", run.Output)
				}
				return filesBelow(t, directory)
			}
			one, other := mustParse(t, text), mustParse(t, tt.text)
			before := layOut(one)
			if same := one.Layout() == other.Layout(); same != tt.same {
				t.Errorf("%t that %q is %q", same, other.Layout(), one.Layout())
			}
			if same := cmp.Equal(before, layOut(other)); same != tt.same {
				t.Errorf("%t that fio changed nothing", same)
			}
		})
	}
}

// filesBelow returns sizes and times of the files in a directory, by their names.
func filesBelow(t *testing.T, directory string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = fmt.Sprint(info.Size(), info.ModTime())
	}
	return files
}

// TestLayoutsThatDiffer are of job files whose files have the same names and sizes.
func TestLayoutsThatDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{"rw=read\n", "rw=write\noverwrite=0\n", "rw=write\ncreate_on_open=1\n"} {
		layout := mustParse(t, "[a]\nsize=64k\n"+text).Layout()
		if other, ok := seen[layout]; ok || layout == "" {
			t.Errorf("%q and %q have layout %q", text, other, layout)
		}
		seen[layout] = text
	}
	for _, text := range []string{"fill_device=1\n", "size=50%\n", "file_append=1\n", "unlink=1\n", "unlink_each_loop=1\n"} {
		if layout := mustParse(t, "[a]\nsize=64k\n[b]\nsize=64k\n"+text).Layout(); layout != "" {
			t.Errorf("%q has layout %q", text, layout)
		}
	}
}

// TestLayoutFile has fio itself lay out files: all blocks are written, for whatever they are used, unless the job
// says otherwise.
func TestLayoutFile(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		texts []string
		// written are the names of files, and whether there is data in them.
		written map[string]bool
	}{
		"reads":               {[]string{"[a]\nrw=read\n"}, map[string]bool{"a.0.0": true}},
		"writes":              {[]string{"[a]\nrw=randwrite\n"}, map[string]bool{"a.0.0": true}},
		"writes before reads": {[]string{"[a]\nrw=write\n", "[a]\nrw=read\n"}, map[string]bool{"a.0.0": true}},
		"fresh files":         {[]string{"[a]\nrw=write\noverwrite=0\n"}, map[string]bool{"a.0.0": false}},
		"more clones":         {[]string{"[a]\nrw=write\n", "[a]\nrw=write\nnumjobs=3\n"}, map[string]bool{"a.0.0": true, "a.1.0": true, "a.2.0": true}},
		"global sections":     {[]string{"[global]\nnumjobs=2\n[a]\nrw=write\n", "[b]\nrw=read\n"}, map[string]bool{"a.0.0": true, "a.1.0": true, "b.0.0": true}},
		"one after another":   {[]string{"[a]\nrw=write\n[b]\nrw=read\nstonewall\n"}, map[string]bool{"a.0.0": true, "b.0.0": true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			var files []*JobFile
			for _, text := range tt.texts {
				files = append(files, mustParse(t, strings.ReplaceAll(text, "rw=", "size=64k\nrw=")))
			}
			if run := fiorun.Run(t, LayoutFile(files...).On(Volume{Directory: directory}).String(), "--create_only=1"); run.Code != 0 {
				t.Fatalf("fio: %s", run.Output)
			}
			got := map[string]bool{}
			for name := range filesBelow(t, directory) {
				data, err := os.ReadFile(filepath.Join(directory, name))
				if err != nil || len(data) != 64<<10 {
					t.Errorf("%s has %d bytes: %v", name, len(data), err)
				}
				got[name] = bytes.Count(data, []byte{0}) < len(data)/2
			}
			if diff := cmp.Diff(tt.written, got); diff != "" {
				t.Errorf("files, and whether they are written (-want +got):\n%s", diff)
			}
		})
	}
}

// What is laid out is on the storage before anything is measured, whatever a job says: fio leaves no page of it in memory.
func TestLayoutIsOnTheStorage(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"[a]\ncreate_fsync=0\n", "[global]\ncreate_fsync=0\n[a]\n", "[a]\ncreate_fsync=0\noverwrite=1\noffset=4k\n"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			layout := LayoutFile(mustParse(t, text+"rw=write\nsize=1M\n"))
			if got := layout.String(); strings.Contains(got, "create_fsync") || !strings.Contains(got, "size=1M") {
				t.Errorf("it is laid out by\n%s", got)
			}
			directory := t.TempDir()
			if run := fiorun.Run(t, layout.On(Volume{Directory: directory}).String(), "--create_only=1"); run.Code != 0 {
				t.Fatalf("fio: %s", run.Output)
			}
			var where unix.Statfs_t
			if err := unix.Statfs(directory, &where); err != nil {
				t.Fatal(err)
			}
			if where.Type == unix.TMPFS_MAGIC {
				t.Skip("files of a tmpfs are nowhere but in the page cache")
			}
			if cached := cachedPages(t, filepath.Join(directory, "a.0.0")); cached > 0 {
				t.Errorf("%d pages are cached", cached)
			}
		})
	}
}

// cachedPages returns how many pages of a file are in the page cache.
func cachedPages(t *testing.T, path string) int {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(mapped) }()
	pages := make([]byte, (len(mapped)+os.Getpagesize()-1)/os.Getpagesize())
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mapped[0])), uintptr(len(mapped)), uintptr(unsafe.Pointer(&pages[0]))); errno != 0 {
		t.Fatal(errno)
	}
	cached := 0
	for _, page := range pages {
		cached += int(page & 1)
	}
	return cached
}

// TestLayoutBlocks: files are laid out in the largest blocks of which they can be made, unless fio wants others.
func TestLayoutBlocks(t *testing.T) {
	for text, want := range map[string]string{
		"size=64k\n":                       "65536",
		"bs=1\nsize=64k\n":                 "65536",
		"bs=512,4k\nsize=64k\n":            "65536",
		"bs=8k,,1k\nsize=40k\n":            "8192",
		"bs=16k\nsize=1G\n":                "1048576",
		"bs=16k\nsize=1G\nnrfiles=4\n":     "1048576",
		"bs=4k\nsize=30k\nnrfiles=3\n":     "4k", // 10k each
		"bs=4k\nsize=32k\nnrfiles=3\n":     "4k", // not the same for each
		"bs=8m\nsize=1G\n":                 "8m",
		"bsrange=1k-64k\nsize=1M\n":        "1048576",
		"bssplit=4k/50:8k/50\nsize=1M\n":   "1048576",
		"bs=4k\nfilesize=16k-64k\n":        "4k",
		"bs=4k\nsize=1M\noffset=4k\n":      "4k",
		"bs=4k\nsize=1M\nio_size=8k\n":     "4k",
		"bs=1\nsize=100\n":                 "1",
		"bs=64k\nsize=64k\n":               "64k",
		"bs=1k\nsize=64k\nfill_device=1\n": "1k",
	} {
		layout := LayoutFile(mustParse(t, "[a]\nrw=randrw\n"+text))
		if got := layout.jobs()[0].text("bs", ""); got != want {
			t.Errorf("%q is laid out with bs=%q, want %q", text, got, want)
		}
	}
}

// TestLayoutMakesTheSameFiles: by the judgement of fio itself, what is laid out are the files that the job would make.
func TestLayoutMakesTheSameFiles(t *testing.T) {
	for _, text := range []string{
		"rw=randrw\nbs=16k\nsize=1M\nnumjobs=2",
		"rw=read\nbs=1\nsize=40k",
		"rw=write\nbs=4k,16k\nsize=3M\nnrfiles=3",
		"rw=randread\nbsrange=4k-64k\nsize=256k",
		"rw=randread\nbssplit=4k/50:64k/50\nsize=256k\nnrfiles=2",
		"rw=randread\nbs=4k\nfilesize=128k\nsize=1M\nnrfiles=8",
		"rw=readwrite\nbs=16k\nsize=1M\nfilename=shared",
		"rw=write\nbs=4k\nsize=100k\nnrfiles=3",
	} {
		f := mustParse(t, "[a]\n"+text+"\n")
		if diff := cmp.Diff(filesOf(t, f), filesOf(t, LayoutFile(f))); diff != "" {
			t.Errorf("%q (-by itself +laid out):\n%s", text, diff)
		}
	}
}

// filesOf has fio make the files of a job file, and returns their sizes by their names.
func filesOf(t *testing.T, f *JobFile) map[string]int64 {
	t.Helper()
	directory := t.TempDir()
	if run := fiorun.Run(t, f.On(Volume{Directory: directory}).String(), "--create_only=1"); run.Code != 0 {
		t.Fatalf("fio: %s", run.Output)
	}
	sizes := map[string]int64{}
	for name := range filesBelow(t, directory) {
		info, err := os.Stat(filepath.Join(directory, name))
		if err != nil {
			t.Fatal(err)
		}
		sizes[name] = info.Size()
	}
	return sizes
}

// There is no layout file where there is nothing to make, or too much for one.
func TestNoLayoutFile(t *testing.T) {
	long := mustParse(t, "[a]\nsize=1M\ndescription="+strings.Repeat("x", 120)+"\n")
	var many []*JobFile
	for i := range 600 {
		many = append(many, long.With([]Setting{{"size", fmt.Sprintf("%dk", i+1)}}))
	}
	for name, files := range map[string][]*JobFile{
		"nothing":         nil,
		"files on open":   {mustParse(t, "[a]\ncreate_on_open=1\n")},
		"too many clones": {mustParse(t, "[a]\nnumjobs=1024\n"), mustParse(t, "[b]\nnumjobs=1024\n"), mustParse(t, "[c]\nnumjobs=1024\n"), mustParse(t, "[d]\nnumjobs=1024\n"), mustParse(t, "[e]\n")},
		"too long":        many,
	} {
		if f := LayoutFile(files...); f != nil {
			t.Errorf("%s: %.200s", name, f)
		}
	}
	if f := LayoutFile(long, long, long); f == nil || len(f.sections) != 1 {
		t.Errorf("the same thrice: %s", f)
	}
}
