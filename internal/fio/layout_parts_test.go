package fio

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parted returns the jobs of each part of a layout.
func parted(t *testing.T, layout string) [][]*job {
	t.Helper()
	var parts [][]*job
	for part := range LayoutParts(layout) {
		sections, err := parseSections(part)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, jobsOf(sections))
	}
	return parts
}

// Objects are laid out several at a time, and never more than so many: each once, under the name that a run has for it, with all that it depends on.
func TestLayoutParts(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		// jobs are how many each part has, and names all files in the order of their jobs, or some of them.
		jobs  []int
		files int
		names []string
	}{
		"the preset": {
			text: "[files]\nrw=read\nioengine=filestat\nsize=4000k\nnrfiles=1000\nnumjobs=4\n", jobs: []int{16, 16, 16}, files: 4000,
			names: []string{"read-4096.filestat.files.0.0", "read-4096.filestat.files.0.999", "read-4096.filestat.files.1.0", "read-4096.filestat.files.3.999"},
		},
		"few and large": {
			text: "[a]\nrw=read\nsize=1G\nnumjobs=3\n", jobs: []int{3}, files: 3,
			names: []string{"read-1073741824.a.0.0", "read-1073741824.a.1.0", "read-1073741824.a.2.0"},
		},
		"one":              {text: "[a]\nrw=read\nsize=1M\n", jobs: []int{1}, files: 1, names: []string{"read-1048576.a.0.0"}},
		"not shared alike": {text: "[a]\nrw=read\nsize=17k\nnrfiles=17\n", jobs: []int{16}, files: 17, names: []string{"read-1024.a.0.0", "read-1024.a.0.16"}},
		"a list":           {text: "[a]\nrw=read\nsize=3k\nfilename=longer:y:z\n", jobs: []int{3}, files: 3, names: []string{"read-1024.longer", "read-1024.y", "read-1024.z"}},
		"a format":         {text: "[a b]\nrw=read\nsize=1k\nnumjobs=2\nfilename_format=$JOBNAME-$jobnum$clientuid\n", jobs: []int{2}, files: 2, names: []string{"read-1024.a b-0", "read-1024.a b-1"}},
		"several jobs": {
			text: "[a]\nrw=read\nsize=10k\nnrfiles=10\n[b]\nrw=randread\nsize=10k\nnrfiles=10\n", jobs: []int{16, 4}, files: 20,
			names: []string{"read-1024.a.0.9", "read-1024.b.0.0", "read-1024.b.0.9"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			layout := LayoutObjects(mustParse(t, test.text)).On(Volume{Directory: "/volume/b"})
			var jobs []int
			var names []string
			for _, part := range parted(t, layout.String()) {
				jobs = append(jobs, len(part))
				for _, j := range part {
					names = append(names, strings.Split(j.text("filename", ""), ":")...)
					if len(j.options["filename"].String()) > 4<<10 {
						t.Errorf("fio does not read a line of %d bytes", len(j.options["filename"].String()))
					}
					first := layout.jobs()[0]
					for _, option := range []string{"directory", "rw", "bs", "filesize", "fallocate", "create_serialize"} {
						if j.text(option, "") != first.text(option, "") {
							t.Errorf("%s=%s, want %s", option, j.text(option, ""), first.text(option, ""))
						}
					}
					if j.clones != 1 || j.has("filename_format") || j.has("nrfiles") {
						t.Errorf("a job has other files than its list: %v", j.options)
					}
				}
			}
			if diff := cmp.Diff(test.jobs, jobs); diff != "" {
				t.Errorf("jobs of each part (-want +got):\n%s", diff)
			}
			slices.Sort(names)
			if len(names) != test.files || len(slices.Compact(slices.Clone(names))) != test.files {
				t.Errorf("%d files, want %d, each once", len(names), test.files)
			}
			for _, want := range test.names {
				if !slices.Contains(names, want) {
					t.Errorf("no %s among %q", want, names[:min(len(names), 20)])
				}
			}
		})
	}
}

// A layout that is not of an object store stays as it is, and so does what is no job file.
func TestLayoutsOfOnePart(t *testing.T) {
	files := LayoutFile(mustParse(t, "[a]\nrw=read\nsize=1M\nnrfiles=8\nfallocate=none\ncreate_serialize=0\n"), mustParse(t, "[b]\nrw=read\nfilesize=1M\nbs=4k\ncreate_serialize=0\n"))
	for _, layout := range []string{files.On(Volume{Directory: "/volume/b"}).String(), "[a]\nsize=1M\n", "x", "", "[a ]\nfilesize=1k\nfallocate=none\ncreate_serialize=0\nnrfiles=4\n[b]\nsize=1\n"} {
		if diff := cmp.Diff([]string{layout}, slices.Collect(LayoutParts(layout))); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// What reads all of a layout can stop, and the largest one takes no more than a part of it at a time.
func TestLargestLayoutInParts(t *testing.T) {
	const clones, files = 10, 100_000
	layout := LayoutObjects(mustParse(t, fmt.Sprintf("[a]\nrw=read\nioengine=filestat\nfilesize=1\nnrfiles=%d\nnumjobs=%d\n", files, clones)))
	parts, count := 0, 0
	for part := range LayoutParts(layout.String()) {
		if len(part) > 128<<10 {
			t.Fatalf("a part has %d bytes", len(part))
		}
		parts++
		count += strings.Count(part, "filestat.a.")
	}
	if count != clones*files || parts > 1000 {
		t.Errorf("%d files in %d parts", count, parts)
	}
	for range LayoutParts(layout.String()) {
		break
	}
}
