package fio

import (
	"slices"
	"strconv"
)

// longestPrefix is as long as the longest prefix that WithNamePrefix is given: there are up to 128 clients.
const longestPrefix = "client-127."

// LayoutObjects returns a job file of which fio --create_only makes the files that the jobs of the given job files read
// in an object store, or look up or delete there, under the names of WithObjectNames. LayoutParts has it make several
// at a time. fio leaves a file alone that is there in its size, and replaces a shorter one, which an interrupted layout
// leaves; so to make it again costs a look at each file. It returns nil if no job reads, or the files are too many for
// one job file.
func LayoutObjects(files ...*JobFile) *JobFile {
	layout, clones := layoutOfObjects(files...)
	if layout == nil || clones > maxProcesses || len(layout.WithNamePrefix(longestPrefix).String()) > maxLayoutBytes {
		return nil
	}
	return layout
}

// layoutOfObjects returns what LayoutObjects does, however large it is, and the number of its clones.
func layoutOfObjects(files ...*JobFile) (*JobFile, int64) {
	var sets []readSet
	for _, f := range files {
		for _, j := range f.jobs() {
			if set, ok := j.readSet(); ok {
				sets = addSet(sets, set)
			}
		}
	}
	var layout Sections
	clones := int64(0)
	for _, set := range sets {
		layout = append(layout, set.section())
		clones += set.clones
	}
	if len(sets) == 0 {
		return nil, 0
	}
	return layout.File(), clones
}

// readSet is the files that the clones of a job read in an object store.
type readSet struct {
	job string
	// names is the option that names the files, size what objectSize returns, and least the size of the smallest.
	names Option
	size  string
	least int64
	// clones is the number of clones that have files of their own, files that of each one's files.
	clones, files int64
}

// readSet returns the files that a job reads, looks up or deletes; false if there are none, or it has not passed
// ValidateOnObjectStore.
func (j *job) readSet() (readSet, bool) {
	sets, ok := j.fileSets()
	if !ok || len(sets) == 0 || !j.findsObjects() {
		return readSet{}, false
	}
	least := sets[0].bytes
	if j.isRange && j.leastFile > 0 {
		least = j.leastFile
	}
	return readSet{
		job: j.name, least: least, names: j.objectNames(j.readPrefix()), size: j.objectSize(),
		clones: sets[0].clones, files: sets[0].files,
	}, true
}

// addSet adds a set of files, unless another one contains it, in place of those that it contains.
func addSet(sets []readSet, set readSet) []readSet {
	if slices.ContainsFunc(sets, set.isWithin) {
		return sets
	}
	return append(slices.DeleteFunc(sets, func(s readSet) bool { return s.isWithin(set) }), set)
}

// isWithin reports whether all files of a set are in another.
func (s readSet) isWithin(o readSet) bool {
	return s.job == o.job && s.names == o.names && s.clones <= o.clones && s.files <= o.files
}

// section returns the section of which fio makes the files. It has only what these depend on. fallocate=none keeps
// the C library from making up for a lack of fallocate by writes into all blocks, which Mountpoint refuses.
func (s readSet) section() Section {
	section := Section{Name: s.job, Options: []Option{
		with("rw", "read"),
		with("bs", strconv.FormatInt(max(min(s.least, layoutBlockBytes), 1), 10)), // no block is larger than a file
		with("filesize", s.size),
		with("numjobs", strconv.FormatInt(s.clones, 10)),
		with("fallocate", "none"),
		with(atOnceOption, "0"),
		s.names,
	}}
	if s.names.Name == "filename_format" {
		section.Options = append(section.Options, with("nrfiles", strconv.FormatInt(s.files, 10)))
	}
	return section
}
