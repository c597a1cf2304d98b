package fio

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/test/fiorun"
)

// TestFilesRead also lets fio lay the files out, and looks which of them the patterns match.
func TestFilesRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text            string
		patterns, files []string
	}{
		"one file": {
			text:     "[a]\n",
			patterns: []string{"a.0.0"}, files: []string{"a.0.0"},
		},
		"every kind of read": {
			text:     "[a]\nrw=read\n[b]\nrw=randread\n[c]\nrw=rw\n[d]\nreadwrite=readwrite\n[e]\nrw=randrw:2\n",
			patterns: []string{"a.0.0", "b.0.0", "c.0.0", "d.0.0", "e.0.0"},
			files:    []string{"a.0.0", "b.0.0", "c.0.0", "d.0.0", "e.0.0"},
		},
		"writes are left out": {
			text:     "[global]\nrw=write\noverwrite=1\n[a]\n[b]\nrw=randwrite\n[c]\nrw=read\n",
			patterns: []string{"c.0.0"}, files: []string{"c.0.0"},
		},
		"nothing is read": {text: "[a]\nrw=write\noverwrite=1\n"},
		"clones": {
			text:     "[a]\nnumjobs=11\nfilesize=1k\nbs=1k\n",
			patterns: []string{"a.[0-9]*.0"},
			files:    []string{"a.0.0", "a.1.0", "a.10.0", "a.2.0", "a.3.0", "a.4.0", "a.5.0", "a.6.0", "a.7.0", "a.8.0", "a.9.0"},
		},
		"files": {
			text:     "[a]\nnr_files=2\n",
			patterns: []string{"a.0.[0-9]*"}, files: []string{"a.0.0", "a.0.1"},
		},
		"files of clones": {
			text:     "[a]\nnrfiles=2\nnumjobs=2\n",
			patterns: []string{"a.[0-9]*.[0-9]*"}, files: []string{"a.0.0", "a.0.1", "a.1.0", "a.1.1"},
		},
		"a section whose name begins as another's": {
			text:     "[a]\nnumjobs=2\n[a.b]\nrw=write\noverwrite=1\n",
			patterns: []string{"a.[0-9]*.0"}, files: []string{"a.0.0", "a.1.0"},
		},
		"shared by sections": {
			text:     "[global]\nfilename=Shared:other\n[a]\nnumjobs=2\n[b]\n",
			patterns: []string{"Shared", "other"}, files: []string{"Shared", "other"},
		},
		"named by a format": {
			text:     "[Job]\nnumjobs=2\nfilename_format=X.$filenum-$JobName$clientuid.$JOBNUM\n",
			patterns: []string{"X.0-Job.[0-9]*"}, files: []string{"X.0-Job.0", "X.0-Job.1"},
		},
		"shared by a format": {
			text:     "[a]\nnumjobs=2\nfilename_format=Data.$jobname\n",
			patterns: []string{"Data.a"}, files: []string{"Data.a"},
		},
		"names with characters of patterns": {
			text:     "[a*]\nnumjobs=2\n[b]\nfilename=x?y\n[ax]\nrw=write\noverwrite=1\n[c]\nrw=write\noverwrite=1\nfilename=x1y\n",
			patterns: []string{`a\*.[0-9]*.0`, `x\?y`}, files: []string{"a*.0.0", "a*.1.0", "x?y"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			f := mustParse(t, "[global]\nsize=8k\n"+tt.text).On(Volume{Directory: directory})
			got := f.FilesRead()
			if diff := cmp.Diff(tt.patterns, got); diff != "" {
				t.Errorf("patterns (-want +got):\n%s", diff)
			}
			if run := fiorun.Run(t, f.String(), "--create_only=1"); run.Code != 0 {
				t.Fatalf("fio: %s", run.Output)
			}
			if diff := cmp.Diff(tt.files, matches(t, directory, got)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

// matches returns the names in the directory that match one of the patterns.
func matches(t *testing.T, directory string, patterns []string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) == 0 {
		t.Error("fio has laid nothing out")
	}
	for _, entry := range entries {
		if slices.ContainsFunc(patterns, func(pattern string) bool {
			ok, err := filepath.Match(pattern, entry.Name())
			if err != nil {
				t.Error(err)
			}
			return ok
		}) {
			names = append(names, entry.Name())
		}
	}
	return names
}

func TestFilesReadOfDevices(t *testing.T) {
	for _, device := range []string{"/dev/xvda", "/dev/a:b", "/dev/[a]"} {
		f := mustParse(t, "[a]\nrw=read\n[b]\nrw=randrw\nnumjobs=2\n").On(Volume{Device: device})
		if got := f.FilesRead(); len(got) > 0 {
			t.Errorf("%s: %q", device, got)
		}
	}
}
