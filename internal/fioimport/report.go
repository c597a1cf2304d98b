package fioimport

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// report collects what a user should know of an import.
type report struct {
	notes, problems []string
	// whys are reasons for which options are dropped, in their order; dropped has the options of each.
	whys    []string
	dropped map[string][]string
}

// note tells of something that is other than it was written.
func (r *report) note(format string, args ...any) {
	r.notes = appendNew(r.notes, fmt.Sprintf(format, args...))
}

// problem tells of something that cannot be imported, with the remedy.
func (r *report) problem(format string, args ...any) {
	r.problems = appendNew(r.problems, fmt.Sprintf(format, args...))
}

// drop notes that an option is left out; those that are for the same reason are told together.
func (r *report) drop(option, why string) {
	if r.dropped == nil {
		r.dropped = map[string][]string{}
	}
	if !slices.Contains(r.whys, why) {
		r.whys = append(r.whys, why)
	}
	r.dropped[why] = appendNew(r.dropped[why], show(option))
}

// allNotes returns the notes, first what was left out.
func (r *report) allNotes() []string {
	var all []string
	for _, why := range r.whys {
		all = append(all, fmt.Sprintf("%s left out: %s", strings.Join(r.dropped[why], ", "), why))
	}
	return append(all, r.notes...)
}

// err returns all problems, each in a line; nil if there are none.
func (r *report) err() error {
	errs := make([]error, len(r.problems))
	for i, problem := range r.problems {
		errs[i] = errors.New(problem)
	}
	return errors.Join(errs...)
}

func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// isPrintable says whether a text has neither control characters nor what is no UTF-8.
func isPrintable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
