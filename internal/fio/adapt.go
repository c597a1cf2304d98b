package fio

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Volume is where a job file runs. Exactly one field is set.
type Volume struct {
	// Directory is the absolute path of the directory for test files.
	Directory string
	// Device is the absolute path of a raw block device.
	Device string
}

// On returns a copy of the job file in which every section works on the volume: fio gets the options in
// a global section before all others. Options that name a place are refused by Validate, so that nothing
// overrides it. Where data is verified, fio is also kept from writing its verify state to its own
// working directory.
func (f *JobFile) On(v Volume) *JobFile {
	place := []Option{with("directory", escapePath(v.Directory))}
	if v.Device != "" {
		place = []Option{with("filename", escapePath(v.Device))}
	}
	if f.anyJob(func(j *job) bool { return j.has("verify") }) {
		place = append(place, with("verify_state_save", "0"))
	}
	return f.withGlobal(place...)
}

// escapePath writes a path as a fio value, in which an unescaped : separates paths.
func escapePath(path string) string { return strings.ReplaceAll(path, ":", `\:`) }

// WithSeed returns a copy of the job file in which random offsets follow from a number: the same ones for the same
// number. By itself fio has the same offsets each time, so that a repetition finds in caches what the one before it has
// left there. What a job says of its own random numbers stays: fio takes the last value of randseed, and where
// randrepeat or allrandrepeat is given, none is added. Earlier versions of fio, such as 3.33, take randseed only with
// randrepeat=0.
func (f *JobFile) WithSeed(seed int32) *JobFile {
	if f.anyJob(func(j *job) bool { return j.has("randrepeat") || j.has("allrandrepeat") }) {
		return f
	}
	return f.withGlobal(with("randrepeat", "0"), with("randseed", strconv.Itoa(int(seed))))
}

// withGlobal returns a copy of the job file with options that all jobs have, unless they have a value of their own.
func (f *JobFile) withGlobal(options ...Option) *JobFile {
	changed := f.Sections()
	if len(changed) == 0 || changed[0].isJob() {
		changed = slices.Insert(changed, 0, Section{Name: globalName})
	}
	changed[0].Options = slices.Insert(changed[0].Options, 0, options...)
	return changed.File()
}

// Setting is a value that a matrix gives to an option, by a name of the option or of its field.
type Setting struct{ Name, Value string }

// With returns a copy of the job file in which every job has the settings, whatever it had before.
func (f *JobFile) With(settings []Setting) *JobFile {
	changed := f.Sections()
	for _, s := range settings {
		o := Option{Name: OptionName(s.Name), Value: s.Value, HasValue: true, Field: matrixField}
		if o.Name != s.Name {
			o.Key = s.Name
		}
		changed.give(o)
	}
	return changed.File()
}

// objectWrites are the options that fio needs to write through Mountpoint for Amazon S3, which takes a new file
// from its first byte to its last, once: the file is made as it is opened, not before; nothing is reserved; what is
// measured includes that the object is complete; and no object stays.
//
// Without create_on_open=1 the first write fails with EBADF. Measured with fio 3.33 and Mountpoint's engine 0.11.0.
var objectWrites = []Option{
	with("create_on_open", "1"), with("fallocate", "none"), with("end_fsync", "1"), with("unlink", "1"),
}

// OnObjectStore returns a copy of the job file in which jobs that write can do so through Mountpoint. What a job
// says itself stays: ValidateOnObjectStore refuses what cannot work. Jobs that read are not changed.
func (f *JobFile) OnObjectStore() *JobFile {
	return f.eachSection(func(j *job, section *Section) {
		if !j.reads && !j.engine.isMetadata() {
			j.addUnset(section, objectWrites)
		}
	})
}

// WithMetadata returns the job file, or a copy of it in which jobs of metadata have what fio needs to measure them,
// unless they say so themselves:
//   - bs, so that fio pretends one I/O for each file;
//   - file_service_type=sequential, which has one file open at a time. By turns, which is fio's default, all would be,
//     or fio would look through all of them for each;
//   - of those that create, create_on_open=1, so that fio does nothing before, and unlink=1, so that nothing stays.
func (f *JobFile) WithMetadata() *JobFile {
	if !f.hasMetadata() {
		return f
	}
	return f.eachSection(func(j *job, section *Section) {
		if !j.engine.isMetadata() {
			return
		}
		block := strconv.FormatInt(j.blockOfMetadata(), 10)
		j.addUnset(section, []Option{with("bs", block), with("file_service_type", "sequential")})
		if j.engine.creates() {
			j.addUnset(section, []Option{with("create_on_open", "1"), with("unlink", "1")})
		}
	})
}

// WithMetadataNames returns the job file, or a copy of it whose jobs of metadata have names of files to themselves. A
// job that creates has those of the attempt: what an attempt has left that was ended would not be created again.
func (f *JobFile) WithMetadataNames(attempt string) *JobFile {
	if !f.hasMetadata() {
		return f
	}
	return f.eachSection(func(j *job, section *Section) {
		if !j.engine.isMetadata() {
			return
		}
		format := j.ownFormat()
		if j.engine.creates() {
			format = fmt.Sprintf("%.6x.%s", sha256.Sum256([]byte(attempt)), format)
		}
		section.drop("filename_format")
		section.Options = append(section.Options, with("filename_format", format))
	})
}

// WithObjectNames returns a copy of the job file whose jobs have names of files to themselves, since no file can be
// changed or written twice. A job that writes has those of the attempt, which has to be another for each pod that
// runs the job file. Jobs that read share what LayoutObjects makes, with all jobs that read files of the same name
// and size. No name has a directory in it: in an object store one is gone with the last object in it.
func (f *JobFile) WithObjectNames(attempt string) *JobFile {
	written := fmt.Sprintf("write-%.6x.", sha256.Sum256([]byte(attempt)))
	named := f.Sections()
	for i := range named {
		named[i].drop("filename", "filename_format")
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

// eachSection returns a copy of the job file in which the section of each job was changed.
func (f *JobFile) eachSection(change func(*job, *Section)) *JobFile {
	changed := f.Sections()
	for _, j := range f.jobs() {
		change(j, &changed[j.section])
	}
	return changed.File()
}

// addUnset adds the options to the job's section that the job does not have.
func (j *job) addUnset(section *Section, options []Option) {
	for _, o := range options {
		if !j.has(o.Name) {
			section.Options = append(section.Options, o)
		}
	}
}

// WithNamePrefix returns a copy of a job file of WithObjectNames or LayoutObjects in which the names of all files begin
// with the prefix, so that clients who share a store have files of their own.
func (f *JobFile) WithNamePrefix(prefix string) *JobFile {
	named := f.Sections()
	for i := range named {
		for k := range named[i].Options {
			switch o := &named[i].Options[k]; o.Name {
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
func prefixed(prefix, list string) string { return prefix + strings.ReplaceAll(list, ":", ":"+prefix) }

// objectNames returns the option that names the job's files, each name with a prefix.
func (j *job) objectNames(prefix string) Option {
	if list := j.text("filename", ""); list != "" {
		return with("filename", prefixed(prefix, list))
	}
	return with("filename_format", prefix+j.ownFormat())
}

// findsObjects reports whether the job's files in an object store are laid out before: it reads them, looks them up or
// deletes them.
func (j *job) findsObjects() bool {
	if j.engine.isMetadata() {
		return j.needsFiles()
	}
	return j.reads
}

// readPrefix is what the names of the files begin with that a job reads.
func (j *job) readPrefix() string { return "read-" + j.objectSize() + "." }

// objectSize returns the size of each of the files that a job reads, in bytes: a number, or a range such as
// 1048576-8388608 where option filesize gives one. All are as large as the largest. It is "" if the job has
// not passed ValidateOnObjectStore.
func (j *job) objectSize() string {
	sets, ok := j.fileSets()
	if !ok || len(sets) == 0 {
		return ""
	}
	if j.isRange && j.leastFile > 0 {
		return fmt.Sprintf("%d-%d", j.leastFile, sets[0].bytes)
	}
	return fmt.Sprint(sets[0].bytes)
}
