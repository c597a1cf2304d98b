package wording

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Searches are what searches have found, such as "randread on gp3: 2850 IOPS at read.p99 <= 5 ms (iodepth 9); at saturation 3000 IOPS and 21 ms".
func Searches(all []v1alpha1.SearchResult) []string {
	var lines []string
	for i := range all {
		if s := &all[i]; s.Message != "" {
			lines = append(lines, fmt.Sprintf("%s on %s: %s", humanize.Line(strings.TrimSpace(s.Workload+" "+Parameters(s.Parameters))), s.Target, Found(s)))
		}
	}
	return lines
}

// Found is what a search has found, and how much of what the storage can do that is.
func Found(s *v1alpha1.SearchResult) string {
	text := humanize.Line(s.Message)
	if a, most := s.Answer, s.Saturation; s.Outcome == v1alpha1.SearchFound && a != nil && most != nil && most.MilliIOPS.Median > 0 {
		used := min(100*a.MilliIOPS.Median/most.MilliIOPS.Median, 100)
		text += fmt.Sprintf(" (%d %% can be used within the budget)", used)
	}
	return text
}

// Upper has a text begin with a capital.
func Upper(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if first == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// SentenceOf has a text begin with a capital and end with a period.
func SentenceOf(text string) string {
	if text == "" {
		return ""
	}
	return Upper(text) + "."
}

// Met says how many expectations are met, such as "2 of 3 expectations met".
func Met(findings []expectation.Finding) string {
	met := 0
	for i := range findings {
		if findings[i].Verdict == expectation.Met {
			met++
		}
	}
	return fmt.Sprintf("%d of %s met", met, humanize.Plural(len(findings), "expectation"))
}

// Attempt describes an attempt that was ended without a result, such as "attempt 1 of randread.gp3 on node-1 after 42s
// (Disrupted): the pod was evicted".
func Attempt(a *v1alpha1.AbandonedAttempt) string {
	text := fmt.Sprintf("attempt %d of %s", a.Attempt, a.Run)
	if a.Node != "" {
		text += " on " + a.Node
	}
	if a.StartTime != nil && a.CompletionTime != nil {
		text += " after " + a.CompletionTime.Sub(a.StartTime.Time).String()
	}
	text += fmt.Sprintf(" (%s)", a.Reason)
	if a.Message != "" {
		text += ": " + humanize.Line(a.Message)
	}
	return text
}
