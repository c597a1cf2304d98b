package fio

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// objectWrites are the options that fio needs to write through Mountpoint for Amazon S3, which takes a new file
// from its first byte to its last, once: the file is made as it is opened, not before; nothing is reserved; what is
// measured includes that the object is complete; and no object stays.
//
// Without create_on_open=1 the first write fails with EBADF. Measured with fio 3.33 and Mountpoint's engine 0.11.0.
var objectWrites = []Option{
	{Name: "create_on_open", Value: "1", HasValue: true},
	{Name: "fallocate", Value: "none", HasValue: true},
	{Name: "end_fsync", Value: "1", HasValue: true},
	{Name: "unlink", Value: "1", HasValue: true},
}

// OnObjectStore returns a copy of the job file in which jobs that write can do so through Mountpoint. What a job
// says itself stays: ValidateOnObjectStore refuses what cannot work. Jobs that read are not changed.
func (f *JobFile) OnObjectStore() *JobFile {
	adapted := f.Sections()
	for _, j := range f.jobs() {
		if j.reads() || j.isMetadata() {
			continue
		}
		section := &adapted[j.section]
		for _, o := range objectWrites {
			if !j.has(o.Name) {
				section.Options = append(section.Options, o)
			}
		}
	}
	return adapted.File()
}

// WithObjectNames returns a copy of the job file whose jobs have names of files to themselves, since no file can be
// changed or written twice. A job that writes has those of the attempt, which has to be another for each pod that
// runs the job file. Jobs that read share what LayoutObjects makes, with all jobs that read files of the same name
// and size. No name has a directory in it: in an object store one is gone with the last object in it.
func (f *JobFile) WithObjectNames(attempt string) *JobFile {
	written := fmt.Sprintf("write-%.6x.", sha256.Sum256([]byte(attempt)))
	named := f.Sections()
	for i := range named {
		named[i].Options = slices.DeleteFunc(named[i].Options, func(o Option) bool {
			return o.Name == "filename" || o.Name == "filename_format"
		})
	}
	for _, j := range f.jobs() {
		prefix := written
		if j.findsObjects() {
			prefix = j.readPrefix()
		}
		section := &named[j.section]
		section.Options = append(section.Options, j.objectNames(prefix))
	}
	return named.File()
}

// WithNamePrefix returns a copy of a job file of WithObjectNames or LayoutObjects in which the names of all files begin
// with the prefix, so that clients who share a store have files of their own.
func (f *JobFile) WithNamePrefix(prefix string) *JobFile {
	named := f.Sections()
	for i := range named {
		for j := range named[i].Options {
			switch o := &named[i].Options[j]; o.Name {
			case "filename":
				o.Value = prefixed(prefix, o.Value)
			case "filename_format":
				o.Value = prefix + o.Value
			}
		}
	}
	return named.File()
}

// prefixed returns fio's list of file names, each with a prefix.
func prefixed(prefix, list string) string {
	return prefix + strings.ReplaceAll(list, ":", ":"+prefix)
}

// objectNames returns the option that names the job's files, each name with a prefix.
func (j job) objectNames(prefix string) Option {
	if list := j.text("filename", ""); list != "" {
		return Option{Name: "filename", Value: prefixed(prefix, list), HasValue: true}
	}
	return Option{Name: "filename_format", Value: prefix + j.nameFormat(), HasValue: true}
}

// findsObjects says whether the job's files in an object store are laid out before: it reads them, looks them up or deletes them.
func (j job) findsObjects() bool {
	if j.isMetadata() {
		return j.needsFiles()
	}
	return j.reads()
}

// readPrefix is what the names of the files begin with that a job reads.
func (j job) readPrefix() string {
	return "read-" + j.objectSize() + "."
}

// objectSize returns the size of each of the files that a job reads, in bytes: a number, or a range such as
// 1048576-8388608 where option filesize gives one. All are as large as the largest. It is "" if the job has
// not passed ValidateOnObjectStore.
func (j job) objectSize() string {
	sets, ok := j.fileSets()
	if !ok || len(sets) == 0 {
		return ""
	}
	if least, _, isRange := strings.Cut(j.text("filesize", "0"), "-"); isRange {
		if bytes, ok := parseBytes(least, j.kiloBase()); ok && bytes > 0 {
			return fmt.Sprintf("%d-%d", bytes, sets[0].bytes)
		}
	}
	return fmt.Sprint(sets[0].bytes)
}
