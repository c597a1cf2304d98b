package fio

import (
	"maps"
	"strconv"
	"strings"
)

// job is a section that fio runs, with all options that apply to it.
type job struct {
	name string
	// section is the job's index among the sections.
	section int
	// options are the effective ones by their names, aliases resolved.
	options map[string]*Option
	// typed says whether the job was made of FioParameters.
	typed bool
}

// resolved is what a job file says of its jobs: the form in which everything else reads it. It never changes.
type resolved struct {
	jobs []job
	// groups are the jobs by what fio calls groupid, reported those that make each result, in the order of Groups.
	groups, reported [][]job
	// stages are the jobs in the order in which they run: those of a stage at the same time. Jobs that wait for one by its
	// name (wait_for) are a stage after all that began with that one. So the time of all stages is never too short. It is
	// too long where another of those goes on for longer than the one that is waited for.
	stages [][]job
}

// resolve returns what sections say of their jobs.
func resolve(sections Sections) *resolved {
	r := &resolved{jobs: jobsOf(sections)}
	r.groups = partition(r.jobs, job.parts)
	for _, group := range r.groups {
		if group[0].on(groupReporting) {
			r.reported = append(r.reported, group)
			continue
		}
		for i := range group {
			r.reported = append(r.reported, group[i:i+1])
		}
	}
	for _, together := range partition(r.jobs, job.waits) {
		r.stages = append(r.stages, byDepth(together)...)
	}
	return r
}

// jobsOf returns the jobs of sections, each with the options of the global sections before it and its own.
func jobsOf(sections Sections) []job {
	var jobs []job
	shared := map[string]*Option{}
	for i, section := range sections {
		options := shared
		if section.isJob() {
			options = make(map[string]*Option, len(shared)+len(section.Options))
			maps.Copy(options, shared)
			jobs = append(jobs, job{name: section.Name, section: i, options: options, typed: section.isTyped()})
		}
		for j := range section.Options {
			o := &section.Options[j]
			options[Canonical(o.Name)] = o
		}
	}
	return jobs
}

// resolve returns what the file says of its jobs.
func (f *JobFile) resolve() *resolved {
	if f.resolved == nil {
		return &resolved{}
	}
	return f.resolved()
}

// jobs returns the jobs of the file.
func (f *JobFile) jobs() []job { return f.resolve().jobs }

// Canonical returns the name of which another is an alias in fio, such as bs of blocksize, or the name itself.
func Canonical(name string) string {
	if known, ok := byName[name]; ok {
		return known.name
	}
	return name
}

// text returns the value of an option, or what fio takes when it is not given.
func (j job) text(name, unset string) string {
	if o, ok := j.options[name]; ok {
		return o.Value
	}
	return unset
}

// has says whether an option is given.
func (j job) has(name string) bool {
	_, ok := j.options[name]
	return ok
}

// on says whether an option is switched on: without a value, or with another than 0.
func (j job) on(name string) bool {
	o, ok := j.options[name]
	return ok && (!o.HasValue || o.Value != "0")
}

// number returns the value of an option that is a whole number, or unset.
func (j job) number(name string, unset int64) int64 {
	if n, err := parseInteger(j.text(name, "")); err == nil {
		return n
	}
	return unset
}

// size returns the bytes that an option says, 0 if it is not given; false if they cannot be known.
func (j job) size(name string) (int64, bool) {
	text := j.text(name, "0")
	return parseBytes(text, j.kiloBase())
}

// kiloBase is the option kb_base: what fio takes for k.
func (j job) kiloBase() int64 {
	return j.number("kb_base", 1024)
}

// steadyState is what a job says about when it is steady enough to end.
func (j job) steadyState() [4]string {
	var said [4]string
	if duration, _ := parseMicroseconds(j.text("steadystate_duration", "0")); duration == 0 {
		return said // without one fio looks at nothing
	}
	said[0] = j.text("steadystate", "")
	for i, name := range []string{"steadystate_duration", "steadystate_ramp_time", "steadystate_check_interval"} {
		us, _ := parseMicroseconds(j.text(name, "0"))
		said[i+1] = strconv.FormatInt(us, 10)
	}
	return said
}

// clones is the number of processes that fio makes of the job.
func (j job) clones() int64 {
	return max(j.number("numjobs", 1), 1)
}

// direction returns the job's kind of I/O without its postfix, such as randread of randread:8.
func (j job) direction() string {
	direction, _, _ := strings.Cut(j.text("rw", "read"), ":")
	return direction
}

// skips says whether the job leaves out parts of its files, or goes through them from the end, as with read:8k and read:-8k.
func (j job) skips() bool {
	_, gap, _ := strings.Cut(j.text("rw", "read"), ":")
	bytes, ok := parseBytes(strings.TrimPrefix(gap, "-"), j.kiloBase())
	return ok && bytes > 0
}

// waitFor is the option that names a job that has to end before this one begins.
const waitFor = "wait_for"

// waits says whether the job begins when all jobs before it have ended.
func (j job) waits() bool {
	return j.on("stonewall")
}

// reads says whether the job reads data that must have been written before.
func (j job) reads() bool {
	switch j.direction() {
	case "read", "randread", "rw", "readwrite", "randrw":
		return true
	default:
		return false
	}
}

// parts says whether the job begins another group of results.
func (j job) parts() bool {
	return j.waits() || j.on("new_group")
}
