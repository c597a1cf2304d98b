package fio

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// NeedsLayout reports whether fio --create_only may have something to do in a file system: it does not if
// every job makes its files as it opens them, or does without.
func (f *JobFile) NeedsLayout() bool {
	return f.anyJob((*job).needsFiles)
}

// Layout identifies the files that LayoutFile makes: where a job file has run, one with the same Layout finds
// its files ready. It is "" if that cannot be known from the file.
func (f *JobFile) Layout() string {
	var parts []string
	for _, j := range f.jobs() {
		if j.engine.isMetadata() && !j.needsFiles() {
			continue
		}
		sets, ok := j.fileSets()
		if !ok || j.on("unlink") || j.on("unlink_each_loop") || j.engine.removes() {
			return ""
		}
		for _, set := range sets {
			parts = append(parts, fmt.Sprintf("%q %d x %d x %d, written %t, on open %t",
				set.name, set.clones, set.files, set.bytes, j.reads || j.fills, j.on("create_on_open")))
		}
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), "; ")
}

// LayoutFile returns a job file of which fio --create_only makes the files of all the given ones. Unless a job
// says otherwise by option overwrite, all blocks are written once, also those that a job only writes. fio by
// itself only reserves these: then the first to write a block would also measure the file system's note of it,
// others would not, and reads of what nobody has written would not reach the storage. All that is written is on the
// storage when fio ends. It returns nil if there is nothing to make, or too much for one job file.
func LayoutFile(files ...*JobFile) *JobFile {
	var sections Sections
	seen := map[string]bool{}
	for _, f := range files {
		if !f.NeedsLayout() {
			continue
		}
		for _, j := range f.jobs() {
			if j.engine.isMetadata() && !j.needsFiles() {
				continue
			}
			section := j.flat()
			if text := fmt.Sprintf("%q", section); !seen[text] {
				seen[text] = true
				sections = append(sections, section)
			}
		}
	}
	layout := sections.File()
	clones := int64(0)
	for _, j := range layout.jobs() {
		clones += j.clones
	}
	if len(sections) == 0 || clones > maxProcesses || len(layout.String()) > maxLayoutBytes {
		return nil
	}
	return layout
}

// flat returns the job as a section that depends on no other, with what its files depend on. Those of a job of metadata
// are made by the engine that fio has without that option.
func (j *job) flat() Section {
	section := Section{Name: j.name}
	block := j.layoutBlock()
	for _, name := range slices.Sorted(maps.Keys(j.options)) {
		switch {
		case name == unsafeOption, name == waitFor, block > 0 && slices.Contains(blockOptions, name):
		case j.engine.isMetadata() && slices.Contains(ownOptions, name):
		default:
			section.Options = append(section.Options, *j.options[name])
		}
	}
	if j.engine.isMetadata() {
		section.Options = append(section.Options, with("filename_format", j.ownFormat()))
	}
	if block > 0 {
		section.Options = append(section.Options, with("bs", strconv.FormatInt(block, 10)))
	}
	if j.fills && !j.has("overwrite") {
		section.Options = append(section.Options, with("overwrite", "1"))
	}
	return section
}

const (
	// unsafeOption is the option by which fio leaves files that it lays out in the page cache. Nothing would be on the
	// storage when a run begins, and the pages would count as memory of the container that measures.
	unsafeOption = "create_fsync"
	// maxJobBytes bounds the text of the job file that a container is given, as a variable of its environment, and
	// maxLayoutBytes that of the one that LayoutFile or LayoutObjects makes. The kernel limits each variable to 128 KiB
	// (MAX_ARG_STRLEN), and all of them with the arguments to a quarter of the limit of the stack, but never to less than
	// 128 KiB: https://man7.org/linux/man-pages/man2/execve.2.html (Limits on size of arguments and environment). A
	// container with more never starts. The rest of 128 KiB is for the other variables and the arguments.
	maxJobBytes    = 60 << 10
	maxLayoutBytes = 64 << 10
)

var (
	// blockOptions are the options that say how large blocks are.
	blockOptions = []string{"bs", "bsrange", "bssplit", "bs_unaligned", "bs_is_seq_rand", "ba"}
	// ownOptions are the options of a job of metadata that its files do not depend on, or that ownFormat takes the place
	// of.
	ownOptions = []string{"ioengine", "stat_type", "filename_format"}
	// placeOptions are options for which fio wants blocks that fit to them.
	placeOptions = []string{
		"offset", "offset_align", "offset_increment", "io_size", "zonemode", "zonesize", "zonerange", "zoneskip",
	}
)

// layoutBlock returns the size of the blocks in which the job's files are laid out, 0 if these are the job's own. fio
// writes one block after the other, waiting for each, which takes for ever with small ones, and hours with 16k on
// storage that takes milliseconds for each. So it is the largest power of two of which files can be made in just
// the same size.
func (j *job) layoutBlock() int64 {
	if j.engine.isMetadata() {
		return j.blockOfMetadata()
	}
	if slices.ContainsFunc(placeOptions, j.has) {
		return 0
	}
	sets, ok := j.fileSets()
	if !ok || !j.hasEqualFiles() {
		return 0
	}
	block := int64(layoutBlockBytes)
	for _, set := range sets {
		for set.bytes%block != 0 {
			block /= 2
		}
	}
	if block < pageBytes || block <= j.smallestBlock {
		return 0
	}
	return block
}

// hasEqualFiles reports whether all files of the job have the same size, of which fio rounds nothing to blocks.
func (j *job) hasEqualFiles() bool {
	if j.has("filesize") {
		return !j.isRange
	}
	return !j.size.unknown && j.size.bytes%j.files == 0
}
