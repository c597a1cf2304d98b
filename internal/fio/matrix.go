package fio

import "slices"

// matrixField is Option.Field of what a matrix sets.
const matrixField = "matrix"

// Setting is a value that a matrix gives to an option.
type Setting struct{ Name, Value string }

// With returns a copy of the job file in which every job has the settings, whatever it had before.
func (f *JobFile) With(settings []Setting) *JobFile {
	set := f.clone()
	for _, s := range settings {
		set.set(s)
	}
	return set
}

func (f *JobFile) set(s Setting) {
	for i := range f.Sections {
		section := &f.Sections[i]
		section.Options = slices.DeleteFunc(section.Options, func(o Option) bool { return Canonical(o.Name) == Canonical(s.Name) })
		if !section.isJob() {
			continue
		}
		section.Options = append(section.Options, Option{Name: s.Name, Value: s.Value, HasValue: true, Field: matrixField})
	}
}
