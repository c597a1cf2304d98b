package fio

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// globalName is the section whose options apply to all sections after it.
	globalName = "global"
	// maxNameBytes bounds names of sections, of which fio reads 255 bytes.
	maxNameBytes = 255
)

// Sections are the sections of a job file in the order in which fio reads them. They can be changed until File makes a
// job file of them.
type Sections []Section //nolint:recvcheck // parsing appends to them

// Section is a section of a job file. The options of one named global apply to the sections after it,
// those of any other are a job.
type Section struct { //nolint:recvcheck // only drop changes one
	Name    string
	Options []Option
}

// Option is a line of a section, as name or name=value.
type Option struct {
	Name, Value string
	// HasValue reports whether there is a =, and so tells bs= from bs.
	HasValue bool
	// Line is the number of the option's line in the job file, from 1; 0 if there is none.
	Line int
	// Field is the field of v1alpha1.FioParameters that the option was made of, or matrix; "" in a job file.
	Field string
	// Key is the key of a matrix that the option was made of, if it is the name of a field and not of the option.
	Key string
}

func with(name, value string) Option { return Option{Name: name, Value: value, HasValue: true} }

// parseSections reads a text of any size as fio does. Errors name the line.
func parseSections(text string) (Sections, error) {
	var sections Sections
	for i, line := range strings.Split(text, "\n") {
		if err := sections.parseLine(i+1, strip(line)); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return sections, nil
}

func (s *Sections) parseLine(number int, line string) error {
	switch {
	case line == "":
		return nil
	case strings.ContainsFunc(line, isUnprintable):
		return fmt.Errorf("%q has a character that cannot be printed: remove it", humanize.Excerpt(line))
	case line[0] == '[':
		return s.parseHead(line)
	case len(*s) == 0:
		return fmt.Errorf("option %q stands before any section: put a line such as [%s] above it",
			humanize.Excerpt(line), globalName)
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

// parseHead reads the line that begins a section.
func (s *Sections) parseHead(line string) error {
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

// strip removes the comment and the blanks around a line.
func strip(line string) string {
	if comment := strings.IndexAny(line, ";#"); comment >= 0 {
		line = line[:comment]
	}
	return strings.TrimSpace(line)
}

// isUnprintable reports whether a character is a control character or no UTF-8.
func isUnprintable(r rune) bool {
	return unicode.IsControl(r) && r != '\t' || r == utf8.RuneError
}

// String returns the sections as text that fio reads as the same sections and options.
func (s Sections) String() string {
	var text strings.Builder
	for i, section := range s {
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

// clone returns a copy that can be changed.
func (s Sections) clone() Sections {
	copied := slices.Clone(s)
	for i := range copied {
		copied[i].Options = slices.Clone(copied[i].Options)
	}
	return copied
}

// give gives all jobs an option, whatever they had before.
func (s Sections) give(o Option) {
	for i := range s {
		section := &s[i]
		section.drop(o.Name)
		if section.isJob() {
			section.Options = append(section.Options, o)
		}
	}
}

// replace is give, and also puts the option into global sections that had it.
func (s Sections) replace(o Option) {
	for i := range s {
		if section := &s[i]; section.drop(o.Name) || section.isJob() {
			section.Options = append(section.Options, o)
		}
	}
}

// drop removes options of a section by any of their names, and reports whether there were some.
func (s *Section) drop(names ...string) bool {
	had := len(s.Options)
	s.Options = slices.DeleteFunc(s.Options, func(o Option) bool {
		return slices.ContainsFunc(names, func(name string) bool { return Canonical(o.Name) == Canonical(name) })
	})
	return len(s.Options) < had
}

// extent returns how many options the jobs have together, those of global sections in each of them, with so many more
// in each; a job itself counts as one.
func (s Sections) extent(more int) int {
	extent, shared := 0, 0
	for _, section := range s {
		if section.isJob() {
			extent += 1 + shared + len(section.Options) + more
		} else {
			shared += len(section.Options)
		}
	}
	return extent + shared
}

// isJob reports whether fio runs the section. fio takes every name that begins with global for global.
func (s Section) isJob() bool { return !strings.HasPrefix(s.Name, globalName) }

// IsGlobal reports whether the section only holds what the sections after it share.
func (s Section) IsGlobal() bool { return !s.isJob() }

// isTyped reports whether the section was made of FioParameters.
func (s Section) isTyped() bool {
	return slices.ContainsFunc(s.Options, func(o Option) bool { return o.Field != "" && o.Field != matrixField })
}
