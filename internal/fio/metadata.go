package fio

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The engines of metadata move no data: they do one thing to each file or directory, once, and note how long it took. fio has them pretend
// an I/O of a block for each, by which it counts how far they are.
// https://github.com/axboe/fio/blob/fio-3.39/engines/fileoperations.c
var (
	metadataEngines = []string{"filecreate", "filestat", "filedelete", "dircreate", "dirstat", "dirdelete"}
	creators        = []string{"filecreate", "dircreate"}
	lookups         = []string{"filestat", "dirstat"}
	removers        = []string{"filedelete", "dirdelete"}
)

func (j job) engine() string { return j.text("ioengine", "psync") }

// isMetadata says whether the job creates, looks up or deletes files or directories, and moves no data.
func (j job) isMetadata() bool { return slices.Contains(metadataEngines, j.engine()) }

// creates says whether the job makes files or directories while it is measured, which must not be there before.
func (j job) creates() bool { return slices.Contains(creators, j.engine()) }

// looksUp says whether the job looks up files or directories, which it can do again and again.
func (j job) looksUp() bool { return slices.Contains(lookups, j.engine()) }

// removes says whether the job deletes what was made before, so that it has to be made for each run.
func (j job) removes() bool { return slices.Contains(removers, j.engine()) }

// ofDirectories says whether the job is about directories. fio makes those that it needs itself, before it measures.
func (j job) ofDirectories() bool { return j.isMetadata() && strings.HasPrefix(j.engine(), "dir") }

// needsFiles says whether files have to be there before the job is measured, which fio --create_only makes.
func (j job) needsFiles() bool {
	if j.isMetadata() {
		return !j.creates() && !j.ofDirectories()
	}
	return !j.on("create_on_open")
}

// nameFormat is option filename_format. Jobs of metadata have files to themselves: of a matrix of engines some would find what others have
// made, or a file in the place of a directory.
func (j job) nameFormat() string {
	format := j.text("filename_format", defaultFormat)
	if j.isMetadata() {
		return j.engine() + "." + format
	}
	return format
}

// blockOfMetadata is the size of blocks with which fio pretends one I/O for each file, so that it has nothing to do between two operations.
// Of files that are larger than what fio is to have memory for it is the most that it is to have.
func (j job) blockOfMetadata() int64 {
	bytes, ok := j.fileBytes(j.fileNames())
	if !ok {
		return pageBytes
	}
	// A part of size that is no whole number of bytes is rounded up by fileBytes, and down by fio.
	if size, known := j.size("size"); known && size > 0 && j.text("filesize", "0") == "0" {
		bytes = size / j.files()
	}
	return max(min(bytes, layoutBlockBytes), 1)
}

// WithMetadata returns the job file, or a copy of it in which jobs of metadata have what fio needs to measure them, unless they say so themselves:
//   - bs, so that fio pretends one I/O for each file;
//   - file_service_type=sequential, which has one file open at a time. By turns, which is fio's default, all would be, or fio would look
//     through all of them for each;
//   - of those that create, create_on_open=1, so that fio does nothing before, and unlink=1, so that nothing stays.
func (f *JobFile) WithMetadata() *JobFile {
	if !f.hasMetadata() {
		return f
	}
	adapted := f.Sections()
	for _, j := range f.jobs() {
		if !j.isMetadata() {
			continue
		}
		section := &adapted[j.section]
		for _, o := range j.metadataOptions() {
			if !j.has(o.Name) {
				section.Options = append(section.Options, o)
			}
		}
	}
	return adapted.File()
}

func (j job) metadataOptions() []Option {
	options := []Option{
		{Name: "bs", Value: strconv.FormatInt(j.blockOfMetadata(), 10), HasValue: true},
		{Name: "file_service_type", Value: "sequential", HasValue: true},
	}
	if j.creates() {
		options = append(options, Option{Name: "create_on_open", Value: "1", HasValue: true}, Option{Name: "unlink", Value: "1", HasValue: true})
	}
	return options
}

// WithMetadataNames returns the job file, or a copy of it whose jobs of metadata have names of files to themselves. A job that creates has those of
// the attempt: what an attempt has left that was ended would not be created again.
func (f *JobFile) WithMetadataNames(attempt string) *JobFile {
	if !f.hasMetadata() {
		return f
	}
	named := f.Sections()
	for _, j := range f.jobs() {
		if !j.isMetadata() {
			continue
		}
		format := j.nameFormat()
		if j.creates() {
			format = fmt.Sprintf("%.6x.%s", sha256.Sum256([]byte(attempt)), format)
		}
		section := &named[j.section]
		section.Options = slices.DeleteFunc(section.Options, func(o Option) bool { return o.Name == "filename_format" })
		section.Options = append(section.Options, Option{Name: "filename_format", Value: format, HasValue: true})
	}
	return named.File()
}

// RemovesFiles says whether a job deletes files that were laid out, so that the next run does not find them.
func (f *JobFile) RemovesFiles() bool {
	return slices.ContainsFunc(f.jobs(), job.removes)
}

// hasMetadata reports whether a job has an engine of metadata.
func (f *JobFile) hasMetadata() bool { return slices.ContainsFunc(f.jobs(), job.isMetadata) }

// OnlyMetadata says whether all jobs create, look up or delete files or directories, and none moves data.
func (f *JobFile) OnlyMetadata() bool {
	return f.hasMetadata() && !slices.ContainsFunc(f.jobs(), func(j job) bool { return !j.isMetadata() })
}

// EndsByFiles says whether a job creates, looks up or deletes each of its files once, and ends when it is through with them: before its
// runtime, if that comes first.
func (f *JobFile) EndsByFiles() bool {
	return slices.ContainsFunc(f.jobs(), func(j job) bool { return j.isMetadata() && !j.on("time_based") })
}

// IsMetadata says whether an ioengine moves no data, but creates, looks up or deletes files or directories.
func IsMetadata(ioengine string) bool { return slices.Contains(metadataEngines, ioengine) }
