package fio

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

const (
	// maxTextBytes bounds the job files that Parse reads; the API admits 16 KiB.
	maxTextBytes = 64 << 10
	// maxSections and maxOptions bound what a job file holds, and with it the work of reading it.
	maxSections = 256
	maxOptions  = 1024
	// MaxExtent bounds the Extent of a job file, and with it what its jobs take: a few KB can say that 250 jobs share 700
	// options. It is far above what people write, such as 20 jobs of 25 options in 60 cases of a matrix.
	MaxExtent = 1 << 15
)

// JobFile is a fio job file. It never changes: methods that adapt one return another. Its jobs are read at their first
// use, once. Several goroutines can share a job file. The zero value has no sections.
type JobFile struct {
	sections Sections
	resolved func() *resolved
}

// resolved is what a job file says of its jobs: the form in which everything else reads it. It never changes.
type resolved struct {
	jobs []*job
	// groups are the jobs by what fio calls groupid, reported those that make each result, in the order of Groups.
	groups, reported [][]*job
	// stages are the jobs in the order in which they run: those of a stage at the same time. Jobs that wait for one by its
	// name (wait_for) are a stage after all that began with that one. So the time of all stages is never too short. It is
	// too long where another of those goes on for longer than the one that is waited for.
	stages [][]*job
}

// Parse reads a job file as fio does: lines of [section], name or name=value; blank lines and all from # or ; on are
// left out. Blanks around names and values are dropped as well, where fio itself would read "bs = 4k" as 4 bytes. A
// name in [global] is left out, as fio makes nothing of it. Errors name the line and the remedy.
func Parse(text string) (*JobFile, error) {
	if len(text) > maxTextBytes {
		return nil, fmt.Errorf("job file of %d bytes: shorten it to %d", len(text), maxTextBytes)
	}
	sections, err := parseSections(text)
	if err != nil {
		return nil, err
	}
	if err := sections.check(); err != nil {
		return nil, err
	}
	return sections.File(), nil
}

// File returns the job file that has the sections. They must not be changed after that.
func (s Sections) File() *JobFile {
	return &JobFile{sections: s, resolved: sync.OnceValue(func() *resolved { return resolve(s) })}
}

// check returns an error if there is no job, or more than can be.
func (s Sections) check() error {
	options := 0
	for _, section := range s {
		options += len(section.Options)
	}
	switch extent := s.extent(0); {
	case len(s) > maxSections:
		return fmt.Errorf("%d sections: a job file may have %d; split it into several workloads", len(s), maxSections)
	case options > maxOptions:
		return fmt.Errorf("%d options: a job file may have %d; put what sections share into [%s]",
			options, maxOptions, globalName)
	case extent > MaxExtent:
		return fmt.Errorf("%d options of all jobs, those of [%s] in each: a job file may have %d: use fewer jobs or options",
			extent, globalName, MaxExtent)
	case !slices.ContainsFunc(s, Section.isJob):
		return fmt.Errorf("no job: add a section such as [job1]; [%s] only holds what sections share", globalName)
	}
	return nil
}

// resolve returns what sections say of their jobs.
func resolve(sections Sections) *resolved {
	r := &resolved{jobs: jobsOf(sections)}
	waits := func(j *job) bool { return j.on("stonewall") }
	r.groups = partition(r.jobs, func(j *job) bool { return waits(j) || j.on("new_group") })
	for _, group := range r.groups {
		if group[0].on(groupReporting) {
			r.reported = append(r.reported, group)
			continue
		}
		for i := range group {
			r.reported = append(r.reported, group[i:i+1])
		}
	}
	for _, together := range partition(r.jobs, waits) {
		r.stages = append(r.stages, byDepth(together)...)
	}
	return r
}

// partition splits jobs before each that begins another part.
func partition(jobs []*job, begins func(*job) bool) [][]*job {
	var parts [][]*job
	for i, j := range jobs {
		if i == 0 || begins(j) {
			parts = append(parts, nil)
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], j)
	}
	return parts
}

// byDepth splits jobs that begin together by how many of the others come before them.
func byDepth(jobs []*job) [][]*job {
	depths := map[string]int{}
	var parts [][]*job
	for _, j := range jobs {
		depth := 0
		if before, here := depths[j.text(waitFor, "")]; here {
			depth = before + 1
		}
		depths[j.name] = depth
		if depth == len(parts) {
			parts = append(parts, nil)
		}
		parts[depth] = append(parts[depth], j)
	}
	return parts
}

// resolve returns what the file says of its jobs.
func (f *JobFile) resolve() *resolved {
	if f.resolved == nil {
		return &resolved{}
	}
	return f.resolved()
}

// jobs returns the jobs of the file.
func (f *JobFile) jobs() []*job { return f.resolve().jobs }

// anyJob reports whether something holds for a job of the file.
func (f *JobFile) anyJob(holds func(*job) bool) bool { return slices.ContainsFunc(f.jobs(), holds) }

// String returns the job file as text that fio reads as the same sections and options.
func (f *JobFile) String() string { return f.sections.String() }

// Sections returns a copy of the file's sections, of which another job file can be made.
func (f *JobFile) Sections() Sections { return f.sections.clone() }

// Extent returns how many options the jobs of the file have together, those of global sections in each of them, with so
// many more in each; a job itself counts as one. It is what the file takes to be looked at, and is counted without
// that.
func (f *JobFile) Extent(more int) int { return f.sections.extent(more) }

// Bytes returns about how much memory the file takes with its jobs, without the text that it was read from.
func (f *JobFile) Bytes() int {
	const section, option = int(unsafe.Sizeof(Section{})), int(unsafe.Sizeof(Option{}))
	const each, mapped = int(unsafe.Sizeof(job{})), 64 // of a map that is at least half full: a name and a pointer
	bytes := cap(f.sections)*section + f.Extent(0)*mapped
	for i := range f.sections {
		bytes += cap(f.sections[i].Options)*option + each
	}
	return bytes
}

// isTyped reports whether the file was made of FioParameters.
func (f *JobFile) isTyped() bool { return slices.ContainsFunc(f.sections, Section.isTyped) }

// Groups returns the names of the groups of results in the order in which fio reports them. Jobs that run
// together and have group_reporting make one, named after the first of them; stonewall and new_group
// begin another. Without group_reporting each section makes one, the clones of numjobs together.
func (f *JobFile) Groups() []string {
	return eachResult(f, func(jobs []*job) string { return jobs[0].name })
}

// eachResult returns something of the jobs that make each result, in the order of Groups.
func eachResult[T any](f *JobFile, of func([]*job) T) []T {
	var all []T
	for _, jobs := range f.resolve().reported {
		all = append(all, of(jobs))
	}
	return all
}

// Clones returns how many jobs do the same at the same time: those of the only section. It is 0 if there are several
// sections, and of a section that moves no data.
func (f *JobFile) Clones() int64 {
	jobs := f.jobs()
	if len(jobs) != 1 || jobs[0].engine.isMetadata() {
		return 0
	}
	return jobs[0].clones
}

// Overwrites reports whether a job of the file writes or trims. On a device that is what was there before.
func (f *JobFile) Overwrites() bool { return f.anyJob((*job).overwrites) }

// overwrites reports whether the job does anything but read.
func (j *job) overwrites() bool { return j.rw != "read" && j.rw != "randread" }

// ReadsBefore reports whether fio reads files before it measures (pre_read).
func (f *JobFile) ReadsBefore() bool { return f.anyJob(func(j *job) bool { return j.on("pre_read") }) }

// RemovesFiles reports whether a job deletes files that were laid out, so that the next run does not find them.
func (f *JobFile) RemovesFiles() bool {
	return f.anyJob(func(j *job) bool { return j.engine.removes() })
}

// hasMetadata reports whether a job has an engine of metadata.
func (f *JobFile) hasMetadata() bool {
	return f.anyJob(func(j *job) bool { return j.engine.isMetadata() })
}

// OnlyMetadata reports whether all jobs create, look up or delete files or directories, and none moves data.
func (f *JobFile) OnlyMetadata() bool {
	return f.hasMetadata() && !f.anyJob(func(j *job) bool { return !j.engine.isMetadata() })
}

// EndsByFiles reports whether a job creates, looks up or deletes each of its files once, and ends when it is through
// with them: before its runtime, if that comes first.
func (f *JobFile) EndsByFiles() bool {
	return f.anyJob(func(j *job) bool { return j.engine.isMetadata() && !j.timeBased })
}

// RampMilliseconds returns for how long the first job is not measured at first.
func (f *JobFile) RampMilliseconds() int64 {
	for _, j := range f.jobs() {
		return j.ramp / 1000
	}
	return 0
}

// ShapesData returns an option by which a job asks for data of a certain kind, "" if none does.
func (f *JobFile) ShapesData() string {
	for _, j := range f.jobs() {
		for _, option := range append([]string{"buffer_compress_chunk"}, alikeOptions...) {
			if j.has(option) {
				return option
			}
		}
	}
	return ""
}

// Device returns the raw block volume that all jobs work on, as On has told them, "" if there is none.
func (f *JobFile) Device() string {
	for _, j := range f.jobs() {
		if !j.has("directory") {
			return strings.ReplaceAll(j.text("filename", ""), `\:`, ":")
		}
	}
	return ""
}

// alikeOptions are the options by which data is easy to compress, or often the same.
var alikeOptions = []string{"zero_buffers", "dedupe_percentage", "buffer_compress_percentage", "buffer_pattern"}
