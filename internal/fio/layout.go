package fio

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// NeedsLayout says whether fio --create_only may have something to do in a file system: it does not if
// every job makes its files as it opens them.
func (f *JobFile) NeedsLayout() bool {
	for _, j := range f.jobs() {
		if !j.on("create_on_open") {
			return true
		}
	}
	return false
}

// Layout identifies the files that LayoutFile makes: where a job file has run, one with the same Layout finds
// its files ready. It is "" if that cannot be known from the file.
func (f *JobFile) Layout() string {
	var parts []string
	for _, j := range f.jobs() {
		sets, ok := j.fileSets()
		if !ok || j.on("unlink") || j.on("unlink_each_loop") {
			return ""
		}
		for _, set := range sets {
			parts = append(parts, fmt.Sprintf("%q %d x %d x %d, written %t, on open %t",
				set.name, set.clones, set.files, set.bytes, j.reads() || j.fills(), j.on("create_on_open")))
		}
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), "; ")
}

// maxLayoutBytes bounds the text of what LayoutFile makes: it is given to a container as a variable of its
// environment, which the kernel limits to 128 KiB.
const maxLayoutBytes = 64 << 10

// LayoutFile returns a job file of which fio --create_only makes the files of all the given ones. Unless a job
// says otherwise by option overwrite, all blocks are written once, also those that a job only writes. fio by
// itself only reserves these: then the first to write a block would also measure the file system's note of it,
// others would not, and reads of what nobody has written would not reach the storage. It returns nil if there
// is nothing to make, or too much for one job file.
func LayoutFile(files ...*JobFile) *JobFile {
	layout := &JobFile{}
	seen := map[string]bool{}
	for _, f := range files {
		if !f.NeedsLayout() {
			continue
		}
		for _, j := range f.jobs() {
			section := j.flat()
			if text := fmt.Sprintf("%q", section); !seen[text] {
				seen[text] = true
				layout.Sections = append(layout.Sections, section)
			}
		}
	}
	clones := int64(0)
	for _, j := range layout.jobs() {
		clones += j.clones()
	}
	if len(layout.Sections) == 0 || clones > maxProcesses || len(layout.String()) > maxLayoutBytes {
		return nil
	}
	return layout
}

// fills says whether all blocks of the job's files are written before it runs, although it does not read them.
func (j job) fills() bool {
	if j.has("overwrite") {
		return j.on("overwrite")
	}
	return !j.on("file_append") && !j.on("fill_device")
}

// flat returns the job as a section that depends on no other, with what its files depend on.
func (j job) flat() Section {
	section := Section{Name: j.name}
	small := j.hasSmallBlocks()
	for _, name := range slices.Sorted(maps.Keys(j.options)) {
		if name != "bs" || !small {
			section.Options = append(section.Options, j.options[name])
		}
	}
	if j.fills() && !j.has("overwrite") {
		section.Options = append(section.Options, Option{Name: "overwrite", Value: "1", HasValue: true})
	}
	return section
}

// pageBytes is the size of blocks that fio has if it is not given another, and that layout is not slow with.
const pageBytes = 4096

// hasSmallBlocks says whether the job's blocks are smaller than pages although whole pages fit into its files. fio
// lays files out in blocks of the job, which takes for ever with blocks of a few bytes.
func (j job) hasSmallBlocks() bool {
	sets, ok := j.fileSets()
	if !ok {
		return false
	}
	for _, set := range sets {
		if set.bytes%pageBytes != 0 {
			return false
		}
	}
	for text := range strings.SplitSeq(j.text("bs", ""), ",") {
		if bytes, ok := parseBytes(text, j.kiloBase()); ok && bytes < pageBytes {
			return true
		}
	}
	return false
}
