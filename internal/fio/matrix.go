package fio

import "slices"

// matrixField is Option.Field of what a matrix sets.
const matrixField = "matrix"

// Setting is a value that a matrix gives to an option, by a name of the option or of its field.
type Setting struct{ Name, Value string }

// OptionName returns fio's name of an option that is called by a name of its own or by its field, such as runtime of
// runtimeSeconds, and any other name as it is.
func OptionName(name string) string {
	if known, ok := byField[name]; ok && byName[name] == nil {
		return known.name
	}
	return name
}

// FieldName returns the field of v1alpha1.FioParameters of an option that has one, by any of its names, and any other name as
// it is.
func FieldName(name string) string {
	if known := byName[name]; known != nil && known.field != "" {
		return known.field
	}
	return name
}

// fieldOf returns the field of v1alpha1.FioParameters in which an option, or another one that means the same, is set;
// "" if there is none.
func fieldOf(option string) string {
	switch option {
	case groupReporting:
		return ""
	case "rwmixwrite":
		option = "rwmixread"
	}
	return byName[option].field
}

// With returns a copy of the job file in which every job has the settings, whatever it had before.
func (f *JobFile) With(settings []Setting) *JobFile {
	changed := f.Sections()
	for _, s := range settings {
		changed.set(s)
	}
	return changed.File()
}

func (sections Sections) set(s Setting) {
	o := Option{Name: OptionName(s.Name), Value: s.Value, HasValue: true, Field: matrixField}
	if o.Name != s.Name {
		o.Key = s.Name
	}
	for i := range sections {
		section := &sections[i]
		section.Options = slices.DeleteFunc(section.Options, func(had Option) bool { return Canonical(had.Name) == Canonical(o.Name) })
		if !section.isJob() {
			continue
		}
		section.Options = append(section.Options, o)
	}
}
