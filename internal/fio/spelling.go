package fio

import (
	"fmt"
	"strings"
)

// InOurWords returns what v1alpha1.FioParameters have for an option of fio that is none of their fields, such as
// runtimeSeconds: 60 for runtime and 60s; "" for a field, and for what is no option.
func InOurWords(name, value string) string {
	known := byName[name]
	if known == nil || known.field == name || name == optionsField {
		return ""
	}
	field := fieldOf(known.name)
	switch {
	case known.name == groupReporting:
		return "nothing: the jobs of numjobs are always reported together"
	case field == "":
		return fmt.Sprintf("options: {%s: %q}", name, value)
	case known.name == "rwmixwrite":
		return field + ": 100 less " + value
	case strings.HasSuffix(field, "Seconds"):
		const second = 1_000_000
		if us, ok := parseMicroseconds(value); ok && us%second == 0 {
			value = fmt.Sprint(us / second)
		}
	case known.value.flag, known.value.form == boolean.form:
		value = fmt.Sprint(value != "0" && value != "false")
	}
	return field + ": " + value
}
