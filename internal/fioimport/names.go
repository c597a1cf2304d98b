package fioimport

import (
	"errors"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/internal/fio"
)

var errSections = errors.New("it has sections, and what is included holds options alone: write its sections here")

// nameSections gives sections the names that their jobs have to fio by option name, and names that can be those of files.
func (w *rewriter) nameSections(f *fio.JobFile) {
	renamed := map[string]string{}
	for i := range f.Sections {
		section := &f.Sections[i]
		if section.IsGlobal() {
			continue
		}
		name := w.takeName(section)
		if fit := fio.SectionName(name); fit != name {
			w.note("section [%s] is called [%s], because files are named after it", show(name), fit)
			renamed[name] = fit
			name = fit
		}
		section.Name = name
		for j := range section.Options {
			if o := &section.Options[j]; o.Name == "wait_for" && renamed[o.Value] != "" {
				o.Value = renamed[o.Value]
			}
		}
	}
}

// takeName takes option name out of a section and returns it, or the section's own name if there is none.
func (w *rewriter) takeName(section *fio.Section) string {
	name := section.Name
	section.Options = slices.DeleteFunc(section.Options, func(o fio.Option) bool {
		if o.Name != "name" || strings.HasPrefix(o.Value, globalName) || o.Value == "" {
			return false
		}
		name = o.Value
		return true
	})
	if name != section.Name {
		w.note("section [%s] is called [%s], as its name says", show(section.Name), show(name))
	}
	return name
}
