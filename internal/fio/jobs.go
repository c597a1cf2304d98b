package fio

import (
	"maps"
	"strings"
)

// job is a section that fio runs, with all options that apply to it.
type job struct {
	name string
	// section is the job's index among the sections.
	section int
	// options are the effective ones by their names, aliases resolved.
	options map[string]Option
	// typed says whether the job was made of FioParameters.
	typed bool
}

// jobs returns the jobs of the file, each with the options of the global sections before it and its own.
func (f *JobFile) jobs() []job {
	var jobs []job
	shared := map[string]Option{}
	for i, section := range f.Sections {
		options := shared
		if section.isJob() {
			options = make(map[string]Option, len(shared)+len(section.Options))
			maps.Copy(options, shared)
			jobs = append(jobs, job{name: section.Name, section: i, options: options, typed: section.isTyped()})
		}
		for _, o := range section.Options {
			options[Canonical(o.Name)] = o
		}
	}
	return jobs
}

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

// clones is the number of processes that fio makes of the job.
func (j job) clones() int64 {
	return max(j.number("numjobs", 1), 1)
}

// direction returns the job's kind of I/O without its postfix, such as randread of randread:8.
func (j job) direction() string {
	direction, _, _ := strings.Cut(j.text("rw", "read"), ":")
	return direction
}

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
