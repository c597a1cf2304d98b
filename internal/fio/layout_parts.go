package fio

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

const (
	// objectsAtOnce is how many objects are laid out at a time. A small one is little work and some tens of milliseconds
	// of waiting. Large ones take memory of Mountpoint, which uploads parts of 8 MiB.
	objectsAtOnce = 16
	// maxNamesBytes bounds lists of names in option filename, of which fio reads lines of 4 KiB.
	maxNamesBytes = 3 << 10
	// atOnceOption is the option by which LayoutObjects asks for several files at a time, when it is 0. fio then makes
	// those of different jobs at the same time, and still those of each job one after the other.
	atOnceOption = "create_serialize"
)

// objectOptions are the options of sections that LayoutObjects makes.
var objectOptions = []string{
	"rw", "bs", "filesize", "numjobs", "fallocate", "filename", "filename_format", "nrfiles", atOnceOption,
}

// LayoutParts returns job files of which fio --create_only, run with one after the other, makes the files of the text
// of a layout. Those that LayoutObjects has asked for are shared out among jobs: each of these parts has at most
// objectsAtOnce jobs, which fio runs at the same time. Any other layout is one part, as it is.
func LayoutParts(layout string) iter.Seq[string] {
	return func(yield func(string) bool) {
		sections, err := parseSections(layout)
		jobs := jobsOf(sections)
		if err != nil || !slices.ContainsFunc(jobs, (*job).isObjectLayout) {
			yield(layout)
			return
		}
		global := slices.DeleteFunc(slices.Clone(sections), Section.isJob)
		part := slices.Clone(global)
		for _, j := range jobs {
			for section := range j.shares(sections[j.section]) {
				part = append(part, section)
				if len(part) < len(global)+objectsAtOnce {
					continue
				}
				if !yield(part.String()) {
					return
				}
				part = slices.Clone(global)
			}
		}
		if len(part) > len(global) {
			yield(part.String())
		}
	}
}

// isObjectLayout reports whether a job is one that LayoutObjects makes, and its files can stand in a list: fio drops a
// blank at the end of one.
func (j *job) isObjectLayout() bool {
	for name := range j.options {
		if name != "directory" && !slices.Contains(objectOptions, name) {
			return false
		}
	}
	return j.has(atOnceOption) && !j.on(atOnceOption) && j.has("filesize") && !strings.HasSuffix(j.name, " ")
}

// shares returns sections with some of the files each of a job that LayoutObjects makes: as many as can be made at
// once, or a multiple of that. Of another job it returns its own section.
func (j *job) shares(own Section) iter.Seq[Section] {
	return func(yield func(Section) bool) {
		if !j.isObjectLayout() {
			yield(own)
			return
		}
		files, name := j.namesInOrder()
		longest := int64(len(name(files-1)) + len(":"))
		sections := min(files, objectsAtOnce)
		if least := roundUp(files, max(maxNamesBytes/longest, 1)); least > objectsAtOnce {
			sections = min(roundUp(least, objectsAtOnce)*objectsAtOnce, files)
		}
		own.Options = slices.Clone(own.Options)
		own.drop("numjobs", "nrfiles", "filename", "filename_format")
		for i := range sections {
			var names []string
			for k := files * i / sections; k < files*(i+1)/sections; k++ {
				names = append(names, name(k))
			}
			share := append(slices.Clip(own.Options), with("filename", strings.Join(names, ":")))
			if !yield(Section{Name: own.Name, Options: share}) {
				return
			}
		}
	}
}

// namesInOrder returns how many files a job has with all its clones, at least one, and what gives the name of each, of
// which the last is the longest.
func (j *job) namesInOrder() (count int64, name func(int64) string) {
	if names := j.names(); names != nil {
		slices.SortStableFunc(names, func(a, b string) int { return len(a) - len(b) })
		return int64(len(names)), func(i int64) string { return names[i] }
	}
	set := j.fileNames()[0]
	return set.clones * set.files, func(i int64) string {
		return formatted(j.format(), j.name, strconv.FormatInt(i/set.files, 10), strconv.FormatInt(i%set.files, 10))
	}
}
