package fio

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// globalName is the section whose options apply to all sections after it.
	globalName = "global"
	// maxTextBytes bounds the job files that Parse reads; the API admits 16 KiB.
	maxTextBytes = 64 << 10
	// maxSections and maxOptions bound what a job file holds, and with it the work of reading it.
	maxSections = 256
	maxOptions  = 1024
	// MaxExtent bounds the Extent of a job file, and with it what its jobs take: a few KB can say that 250 jobs share 700
	// options. It is far above what people write, such as 20 jobs of 25 options in 60 cases of a matrix.
	MaxExtent = 1 << 15
	// maxNameBytes bounds names of sections, of which fio reads 255 bytes.
	maxNameBytes = 255
)

// JobFile is a fio job file. It never changes: methods that adapt one return another. Its jobs are resolved at their
// first use, once. Several goroutines can share a job file. The zero value has no sections.
type JobFile struct {
	sections Sections
	resolved func() *resolved
}

// Sections are the sections of a job file in the order in which fio reads them. They can be changed until File makes a
// job file of them.
type Sections []Section

// File returns the job file that has the sections. They must not be changed after that.
func (s Sections) File() *JobFile {
	return &JobFile{sections: s, resolved: sync.OnceValue(func() *resolved { return resolve(s) })}
}

// Sections returns a copy of the file's sections, of which another job file can be made.
func (f *JobFile) Sections() Sections {
	copied := slices.Clone(f.sections)
	for i := range copied {
		copied[i].Options = slices.Clone(copied[i].Options)
	}
	return copied
}

// Section is a section of a job file. The options of one named global apply to the sections after it,
// those of any other are a job.
type Section struct {
	Name    string
	Options []Option
}

// Option is a line of a section, as name or name=value.
type Option struct {
	Name, Value string
	// HasValue says whether there is a =, and so tells bs= from bs.
	HasValue bool
	// Line is the number of the option's line in the job file, from 1; 0 if there is none.
	Line int
	// Field is the field of v1alpha1.FioParameters that the option was made of, or matrix; "" in a job file.
	Field string
	// Key is the key of a matrix that the option was made of, if it is the name of a field and not of the option.
	Key string
}

// Volume is where a job file runs. Exactly one field is set.
type Volume struct {
	// Directory is the absolute path of the directory for test files.
	Directory string
	// Device is the absolute path of a raw block device.
	Device string
}

// Parse reads a job file as fio does: lines of [section], name or name=value; blank lines and all from #
// or ; on are left out. Blanks around names and values are dropped as well, where fio itself would read
// "bs = 4k" as 4 bytes. A name in [global] is left out, as fio makes nothing of it. Errors name the line and the remedy.
func Parse(text string) (*JobFile, error) {
	if len(text) > maxTextBytes {
		return nil, fmt.Errorf("job file of %d bytes: shorten it to %d", len(text), maxTextBytes)
	}
	file, err := parse(text)
	if err != nil {
		return nil, err
	}
	if err := file.checkExtent(); err != nil {
		return nil, err
	}
	return file, nil
}

// parse reads a job file of any size.
func parse(text string) (*JobFile, error) {
	var sections Sections
	for i, line := range strings.Split(text, "\n") {
		if err := parseLine(&sections, i+1, strip(line)); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return sections.File(), nil
}

// checkExtent returns an error if the file has no job, or more than can be.
func (f *JobFile) checkExtent() error {
	options := 0
	for _, section := range f.sections {
		options += len(section.Options)
	}
	switch {
	case len(f.sections) > maxSections:
		return fmt.Errorf("%d sections: a job file may have %d; split it into several workloads", len(f.sections), maxSections)
	case options > maxOptions:
		return fmt.Errorf("%d options: a job file may have %d; put what sections share into [%s]", options, maxOptions, globalName)
	case f.Extent(0) > MaxExtent:
		return fmt.Errorf("%d options of all jobs, those of [%s] in each: a job file may have %d: use fewer jobs or options", f.Extent(0), globalName, MaxExtent)
	case !slices.ContainsFunc(f.sections, Section.isJob):
		return fmt.Errorf("no job: add a section such as [job1]; [%s] only holds what sections share", globalName)
	}
	return nil
}

// On returns a copy of the job file in which every section works on the volume: fio gets the options in
// a global section before all others. Options that name a place are refused by Validate, so that nothing
// overrides it. Where data is verified, fio is also kept from writing its verify state to its own
// working directory.
func (f *JobFile) On(v Volume) *JobFile {
	place := []Option{{Name: "directory", Value: escapePath(v.Directory), HasValue: true}}
	if v.Device != "" {
		place = []Option{{Name: "filename", Value: escapePath(v.Device), HasValue: true}}
	}
	if f.verifies() {
		place = append(place, Option{Name: "verify_state_save", Value: "0", HasValue: true})
	}
	return f.withGlobal(place...)
}

// withGlobal returns a copy of the job file with options that all jobs have, unless they have a value of their own.
func (f *JobFile) withGlobal(options ...Option) *JobFile {
	changed := f.Sections()
	if len(changed) == 0 || changed[0].isJob() {
		changed = slices.Insert(changed, 0, Section{Name: globalName})
	}
	first := &changed[0]
	first.Options = slices.Insert(first.Options, 0, options...)
	return changed.File()
}

// verifies says whether a job reads back what it wrote.
func (f *JobFile) verifies() bool {
	return slices.ContainsFunc(f.jobs(), func(j job) bool { return j.has("verify") })
}

// String returns the job file as text that fio reads as the same sections and options.
func (f *JobFile) String() string {
	var text strings.Builder
	for i, section := range f.sections {
		if i > 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintf(&text, "[%s]\n", section.Name)
		for _, option := range section.Options {
			text.WriteString(option.String())
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// String returns the option as in a job file.
func (o Option) String() string {
	if o.HasValue {
		return o.Name + "=" + o.Value
	}
	return o.Name
}

func parseLine(s *Sections, number int, line string) error {
	switch {
	case line == "":
		return nil
	case strings.ContainsFunc(line, isUnprintable):
		return fmt.Errorf("%q has a character that cannot be printed: remove it", humanize.Excerpt(line))
	case line[0] == '[':
		return parseSection(s, line)
	case len(*s) == 0:
		return fmt.Errorf("option %q stands before any section: put a line such as [%s] above it", humanize.Excerpt(line), globalName)
	}
	section := &(*s)[len(*s)-1]
	name, value, hasValue := strings.Cut(line, "=")
	o := Option{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value), HasValue: hasValue, Line: number}
	if section.Name == globalName && o.Name == "name" {
		return nil // each job has the name of its section
	}
	section.Options = append(section.Options, o)
	return nil
}

func parseSection(s *Sections, line string) error {
	name, ok := strings.CutSuffix(line[1:], "]")
	switch {
	case !ok || strings.ContainsAny(name, "[]"):
		return fmt.Errorf("%q is no section: write its name between [ and ], and nothing after it", humanize.Excerpt(line))
	case name == "":
		return fmt.Errorf("%q has no name: write for example [job1]", line)
	case len(name) > maxNameBytes:
		return fmt.Errorf("the section's name has %d bytes: shorten it to %d", len(name), maxNameBytes)
	}
	*s = append(*s, Section{Name: name})
	return nil
}

// Bytes returns about how much memory the file takes with its jobs, without the text that it was read from.
func (f *JobFile) Bytes() int {
	const section, option = int(unsafe.Sizeof(Section{})), int(unsafe.Sizeof(Option{}))
	const resolved = 64 // of a map that is at least half full: a name and a pointer
	bytes := cap(f.sections)*section + f.Extent(0)*resolved
	for i := range f.sections {
		bytes += cap(f.sections[i].Options) * option
	}
	return bytes
}

// isJob says whether fio runs the section. fio takes every name that begins with global for global.
func (s Section) isJob() bool {
	return !strings.HasPrefix(s.Name, globalName)
}

// isTyped says whether the section was made of FioParameters.
func (s Section) isTyped() bool {
	return slices.ContainsFunc(s.Options, func(o Option) bool { return o.Field != "" && o.Field != matrixField })
}

// isTyped says whether the file was made of FioParameters.
func (f *JobFile) isTyped() bool { return slices.ContainsFunc(f.sections, Section.isTyped) }

// strip removes the comment and the blanks around a line.
func strip(line string) string {
	if comment := strings.IndexAny(line, ";#"); comment >= 0 {
		line = line[:comment]
	}
	return strings.TrimSpace(line)
}

// isUnprintable says whether a character is a control character or no UTF-8.
func isUnprintable(r rune) bool {
	return unicode.IsControl(r) && r != '\t' || r == utf8.RuneError
}

// escapePath writes a path as a fio value, in which an unescaped : separates paths.
func escapePath(path string) string {
	return strings.ReplaceAll(path, ":", `\:`)
}
