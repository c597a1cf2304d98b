package fioimport

import (
	"errors"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/internal/fio"
)

var errSections = errors.New("it has sections, and what is included holds options alone: write its sections here")

// nameSections gives sections the names that their jobs have to fio by option name, and names that can be those of files.
func (w *rewriter) nameSections(sections fio.Sections) {
	names := map[string]int{}
	for _, section := range sections {
		names[jobName(section)]++
	}
	renamed := map[string]string{}
	for i := range sections {
		section := &sections[i]
		if section.IsGlobal() {
			continue
		}
		name := jobName(*section)
		w.takeName(section, names[name] > 1)
		if fit := fio.SectionName(section.Name); fit != section.Name {
			w.note("section [%s] is called [%s], because files are named after it", show(section.Name), fit)
			renamed[section.Name] = fit
			section.Name = fit
		}
		for j := range section.Options {
			if o := &section.Options[j]; o.Name == "wait_for" && renamed[o.Value] != "" {
				o.Value = renamed[o.Value]
			}
		}
	}
}

// jobName returns the name that a section's job has to fio.
func jobName(section fio.Section) string {
	name := section.Name
	for _, o := range section.Options {
		if isName(o) {
			name = o.Value
		}
	}
	return name
}

// isName says whether an option names a job, and not all of them.
func isName(o fio.Option) bool {
	return o.Name == "name" && o.Value != "" && !strings.HasPrefix(o.Value, globalName)
}

// takeName takes option name out of a section, and calls the section so unless others are as well.
func (w *rewriter) takeName(section *fio.Section, shared bool) {
	name := jobName(*section)
	section.Options = slices.DeleteFunc(section.Options, isName)
	switch {
	case name == section.Name:
	case shared:
		w.drop("name="+name, "several sections have it, and results are known by it, so they keep their own")
	default:
		w.note("section [%s] is called [%s], as its name says", show(section.Name), show(name))
		section.Name = name
	}
}
