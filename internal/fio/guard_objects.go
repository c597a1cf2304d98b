package fio

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/internal/humanize"
)

// ValidateOnObjectStore refuses what passes Validate, and fails or never ends on a mount of Mountpoint for Amazon S3.
// What works is to read files that are laid out before, to write new files from the first byte to the last, each
// by one writer, and to create, look up and delete files. The errors are like those of Validate; each says why, and what to do instead.
func ValidateOnObjectStore(workload *field.Path, f *JobFile) field.ErrorList {
	g := newGuard(workload, f)
	for _, j := range f.jobs() {
		if j.isMetadata() {
			g.checkObjectMetadata(j)
			continue
		}
		g.checkObjectDirection(j)
		g.checkObjectOptions(j)
		if !j.reads() {
			g.checkObjectExtent(j)
			g.checkWriters(j)
		}
	}
	g.checkSharedObjects(f)
	g.checkObjectNames(f)
	return g.errs[:min(len(g.errs), maxErrors)]
}

// checkObjectDirection refuses kinds of I/O that Mountpoint does not know.
func (g *guard) checkObjectDirection(j job) {
	switch j.direction() {
	case "read", "randread":
	case "write":
		if j.skips() {
			g.refuseIn(j, "rw", "it leaves holes, and Mountpoint writes a file from its first byte to its last: write rw=write")
		}
	case "randwrite":
		g.refuseIn(j, "rw", "Mountpoint writes a file from its first byte to its last, in order: write rw=write, or measure randread")
	case "rw", "readwrite", "randrw":
		g.refuseIn(j, "rw", "Mountpoint reads no file that is being written: measure reads and writes apart, with rw=write and rw=read or randread")
	default:
		g.refuseIn(j, "rw", "objects have no blocks to trim: measure rw=read, randread or write")
	}
}

// checkObjectExtent refuses a job that writes more than its file holds: it would begin anew.
func (g *guard) checkObjectExtent(j job) {
	wanted, ok := j.size("io_size")
	if !ok || wanted == 0 {
		return // a percentage is of the files that there are
	}
	sets := j.fileNames()
	if len(sets) > 1 || j.files() > 1 {
		// fio goes round as long as more than a block is missing, which the ends of several files can sum up to.
		g.refuseIn(j, "io_size", "with several files fio may begin them anew, and a file is written once: remove it, and let size or filesize say how much")
		return
	}
	if holds, ok := j.leastFileBytes(); ok && wanted > holds {
		g.refuseIn(j, "io_size", "the job would begin its file anew, and a file is written once: write at most %d bytes, or raise size", holds)
	}
}

// leastFileBytes returns how much a job with one file writes into it, at least; false if that cannot be known.
func (j job) leastFileBytes() (int64, bool) {
	size, known := j.size("size")
	text := j.text("filesize", "0")
	if text == "0" {
		return size, known
	}
	least, _, _ := strings.Cut(text, "-")
	bytes, ok := parseBytes(least, j.kiloBase())
	if size > 0 {
		bytes = min(bytes, size)
	}
	return bytes, known && ok
}

// checkWriters refuses files of a job that its clones would write together, or that have the same name.
func (g *guard) checkWriters(j job) {
	list, format := j.text("filename", ""), strings.ToLower(j.text("filename_format", defaultFormat))
	switch {
	case list != "" && j.clones() > 1:
		g.refuseIn(j, "filename", "%d clones would write the same file, which takes one writer: remove it, and each has a file of its own", j.clones())
	case list != "" && hasTwice(strings.Split(list, ":")):
		g.refuseIn(j, "filename", "it names a file twice, which is written once: name others")
	case list != "":
	case j.clones() > 1 && !strings.Contains(format, "$jobnum"):
		g.refuseIn(j, "filename_format", "%d clones would write the same file, which takes one writer: put $jobnum into it", j.clones())
	case j.files() > 1 && !strings.Contains(format, "$filenum"):
		g.refuseIn(j, "filename_format", "%d files would have the same name, and a file is written once: put $filenum into it", j.files())
	}
}

func hasTwice(names []string) bool {
	count := len(names)
	slices.Sort(names)
	return len(slices.Compact(names)) < count
}

// checkSharedObjects refuses a file that one section writes and another one uses too.
func (g *guard) checkSharedObjects(f *JobFile) {
	users := map[string]job{}
	for _, j := range f.jobs() {
		for _, set := range j.fileNames() {
			first, shared := users[set.name]
			if !shared {
				users[set.name] = j
				continue
			}
			if first.section != j.section && (!first.reads() || !j.reads()) {
				g.refuseShared(j, first)
				break
			}
		}
	}
}

func (g *guard) refuseShared(j, first job) {
	option := "filename_format"
	if j.has("filename") {
		option = "filename"
	}
	switch {
	case j.reads():
		g.refuseIn(j, option, "section [%s] writes the same file: on Mountpoint, reads and writes never share one. Remove it; what is read is laid out before", humanize.Excerpt(first.name))
	case first.reads():
		g.refuseIn(j, option, "section [%s] reads the same file: on Mountpoint, reads and writes never share one. Remove it; what is read is laid out before", humanize.Excerpt(first.name))
	default:
		g.refuseIn(j, option, "section [%s] writes the same file, which is written once: remove it, and each section has files of its own", humanize.Excerpt(first.name))
	}
}
