package analysis

import (
	"maps"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Summarize tells each kind of warning of the targets, runs and comparisons once, with what to do about it, in the order
// of the API.
func Summarize(targets []v1alpha1.TargetStatus, runs []v1alpha1.Run, comparisons []v1alpha1.Comparison) []v1alpha1.WarningSummary {
	all := found{}
	for i := range targets {
		if warning, results := movedOn(&targets[i], runs); warning != nil {
			all.add("target "+targets[i].Name, *warning, results)
		}
	}
	for i := range comparisons {
		all.addMixedAccess(&comparisons[i])
	}
	for i := range runs {
		run := &runs[i]
		for _, w := range run.Warnings {
			all.add(run.Name, w, 1)
		}
	}
	for i := range comparisons {
		all.addComparison(&comparisons[i])
	}
	var summaries []v1alpha1.WarningSummary
	for _, kind := range warningKinds {
		if s := all[kind.reason]; s != nil {
			s.Remedy = kind.remedy
			summaries = append(summaries, s.WarningSummary)
		}
	}
	return summaries
}

// found are summaries by their reasons.
type found map[string]*summary

// summary is one that is being made. told says whether it has a message: some warnings have none.
type summary struct {
	v1alpha1.WarningSummary

	// told is the message without where it is from.
	told string
}

// add counts a warning that so many results have. The first of its kind is told that has a message, unless a later one is worse.
func (f found) add(where string, w v1alpha1.Warning, results int) {
	s := f[w.Reason]
	if s == nil {
		s = &summary{WarningSummary: v1alpha1.WarningSummary{Reason: w.Reason, Message: where}}
		f[w.Reason] = s
	}
	if w.Message != "" && (s.told == "" || isWorse(w.Reason, w.Message, s.told)) {
		s.Message, s.told = where+": "+w.Message, w.Message
	}
	s.Results += int32(results)
}

// addComparison counts the warnings of a comparison, except those whose results are counted for the runs.
func (f found) addComparison(c *v1alpha1.Comparison) {
	for _, target := range c.Targets {
		for _, w := range target.Warnings {
			if w.Reason != v1alpha1.WarningFirstAccess {
				f.add(describe(c)+" on "+target.Name, w, 1)
			}
		}
	}
}

// addMixedAccess has what a comparison says of first access told, which has figures, before what single runs say.
func (f found) addMixedAccess(c *v1alpha1.Comparison) {
	for _, target := range c.Targets {
		for _, w := range target.Warnings {
			if w.Reason == v1alpha1.WarningFirstAccess {
				f.add(describe(c)+" on "+target.Name, w, 0)
			}
		}
	}
}

// describe names what is compared, such as "randwrite bs=16k".
func describe(c *v1alpha1.Comparison) string {
	parts := []string{c.Workload}
	if c.Section != "" {
		parts[0] += "/" + c.Section
	}
	for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
		parts = append(parts, name+"="+c.Parameters[name])
	}
	return strings.Join(parts, " ")
}
