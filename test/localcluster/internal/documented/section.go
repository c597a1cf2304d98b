package documented

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Section is a group of names that a driver documents for one place, such as the parameters of a StorageClass.
type Section struct {
	// Form of mount options: "argument" of a program, "option" of a mount helper, or of the "file-system". Empty elsewhere.
	Form string `json:"form,omitempty"`
	// CaseSensitive says whether the real driver compares names as they are written.
	CaseSensitive bool `json:"caseSensitive"`
	// Unknown is what the real driver does with a name it does not know: refused, ignored or passed on. Checks refuse it.
	Unknown string `json:"unknown"`
	// Open sections have no table: each name is right.
	Open bool `json:"open,omitempty"`
	// ExactlyOneOf are groups of which one name must be given, NotBoth those of which at most one may be, Together those of
	// which all or none must be.
	ExactlyOneOf [][]string `json:"exactlyOneOf,omitempty"`
	NotBoth      [][]string `json:"notBoth,omitempty"`
	Together     [][]string `json:"together,omitempty"`
	Entries      []Entry    `json:"entries,omitempty"`
	// Undocumented are names that the code takes and no document mentions. Checks refuse them.
	Undocumented []string `json:"undocumented,omitempty"`
}

// Entry is one documented name, or all names that begin with it.
type Entry struct {
	Name string `json:"name"`
	// Short is the one-letter name of an argument.
	Short string `json:"short,omitempty"`
	// Prefix says that the name stands for all names that begin with it.
	Prefix bool `json:"prefix,omitempty"`
	// CaseSensitive says that the name is compared as it is though its section is not.
	CaseSensitive bool `json:"caseSensitive,omitempty"`
	Required      bool `json:"required,omitempty"`
	// TakesValue says whether a mount option has a value.
	TakesValue bool `json:"takesValue,omitempty"`
	// Repeatable says that a mount option may be given more than once.
	Repeatable bool `json:"repeatable,omitempty"`
	// Values are all values that may be given. Where there is none, Pattern is a regular expression for them. Where there
	// is no Pattern either, each value but the empty one is right.
	Values  []string `json:"values,omitempty"`
	Pattern string   `json:"pattern,omitempty"`
	Default string   `json:"default,omitempty"`
	// Requires is the name that must be given as well.
	Requires string `json:"requires,omitempty"`
	// Handling of a mount option that does not take effect as written: refused, dropped or replaced. Checks refuse it.
	Handling string `json:"handling,omitempty"`
	// Since is the first version with it, where that is stated.
	Since string `json:"since,omitempty"`
	// Source is a key of Driver.Sources.
	Source string `json:"source"`
	Notes  string `json:"notes,omitempty"`

	expression *regexp.Regexp
}

// compile the patterns of entries, in place.
func compile(entries []Entry) error {
	for i := range entries {
		if entries[i].Pattern == "" {
			continue
		}
		expression, err := regexp.Compile(entries[i].Pattern)
		if err != nil {
			return fmt.Errorf("%q: %w", entries[i].Name, err)
		}
		entries[i].expression = expression
	}
	return nil
}

// find returns the entry for a name, compared as the real driver does.
func (s Section) find(name string) (Entry, bool) {
	for _, entry := range s.Entries {
		have, want := name, entry.Name
		if !s.CaseSensitive && !entry.CaseSensitive {
			have, want = strings.ToLower(have), strings.ToLower(want)
		}
		if have == want || entry.Prefix && strings.HasPrefix(have, want) {
			return entry, true
		}
	}
	return Entry{}, false
}

// names of the section, in its order.
func (s Section) names() string {
	var names []string
	for _, entry := range s.Entries {
		switch {
		case entry.Handling != "":
		case entry.Prefix:
			names = append(names, entry.Name+"*")
		default:
			names = append(names, entry.Name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// checkValue says whether a value is of the documented form.
func (e Entry) checkValue(value string) error {
	switch {
	case len(e.Values) > 0:
		if !slices.Contains(e.Values, value) {
			return fmt.Errorf("value %q is not documented; documented are %q", value, e.Values)
		}
	case e.expression != nil:
		if !e.expression.MatchString(value) {
			return fmt.Errorf("value %q does not have the documented form %s", value, e.Pattern)
		}
	case value == "":
		return fmt.Errorf("the value is empty")
	}
	return nil
}
