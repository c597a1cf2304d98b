package documented

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Section is a group of names that a driver documents for one place, such as the parameters of a StorageClass.
type Section struct {
	// CaseSensitive says whether the real driver compares names as they are written.
	CaseSensitive bool `json:"caseSensitive"`
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
	// Prefix says that the name stands for all names that begin with it.
	Prefix bool `json:"prefix,omitempty"`
	// CaseSensitive says that the name is compared as it is though its section is not.
	CaseSensitive bool `json:"caseSensitive,omitempty"`
	Required      bool `json:"required,omitempty"`
	// TakesValue says whether a mount option has a value. All others have one.
	TakesValue bool `json:"takesValue,omitempty"`
	// Values are all values that may be given. Where there is none, Pattern is a regular expression for them. Where there
	// is no Pattern either, each value but the empty one is right.
	Values  []string `json:"values,omitempty"`
	Pattern string   `json:"pattern,omitempty"`
	// Requires is the name that must be given as well.
	Requires string `json:"requires,omitempty"`
	// Handling of a mount option that does not take effect as written: refused, dropped or replaced. Checks refuse it.
	Handling string `json:"handling,omitempty"`
	Notes    string `json:"notes,omitempty"`
	// Source is a key of Driver.Sources.
	Source string `json:"source"`

	expression *regexp.Regexp
	option     bool // a mount option
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
	case e.Handling != "":
		return fmt.Errorf("%s by the driver: %s", e.Handling, e.Notes)
	case e.option && !e.TakesValue:
		if value != "" {
			return fmt.Errorf("takes no value, and has %q", value)
		}
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
