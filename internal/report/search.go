package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// searchLines are what searches have found, such as "randread on gp3: 2850 IOPS at read.p99 <= 5 ms (iodepth 9); at saturation 3000 IOPS and 21 ms".
func searchLines(all []v1alpha1.SearchResult) []string {
	var lines []string
	for i := range all {
		if s := &all[i]; s.Message != "" {
			lines = append(lines, fmt.Sprintf("%s on %s: %s", humanize.Line(strings.TrimSpace(s.Workload+" "+parameters(s.Parameters))), s.Target, foundBy(s)))
		}
	}
	return lines
}

// foundBy is what a search has found, and how much of what the storage can do that is.
func foundBy(s *v1alpha1.SearchResult) string {
	text := humanize.Line(s.Message)
	if a, most := s.Answer, s.Saturation; s.Outcome == v1alpha1.SearchFound && a != nil && most != nil && most.MilliIOPS.Median > 0 {
		used := min(100*a.MilliIOPS.Median/most.MilliIOPS.Median, 100)
		text += fmt.Sprintf(" (%d %% can be used within the budget)", used)
	}
	return text
}

// searchOf returns what was searched of a workload with a choice of its matrix on a target, nil if nothing was.
func searchOf(status *v1alpha1.StorageBenchmarkStatus, target, workload string, choice map[string]string) *v1alpha1.SearchResult {
	i := slices.IndexFunc(status.Searches, func(s v1alpha1.SearchResult) bool {
		return s.Target == target && s.Workload == workload && maps.Equal(s.Parameters, choice)
	})
	if i < 0 {
		return nil
	}
	return &status.Searches[i]
}

// summarizeSearch is what a search has found in few words, such as "at read.p99 <= 5ms (iodepth 9)".
func summarizeSearch(s *v1alpha1.SearchResult) string {
	if s.Answer == nil {
		return ""
	}
	return fmt.Sprintf(" at %s<=%s (%s %d)", s.Objective, percentile(s.BudgetNanoseconds), s.Vary, s.Answer.Value.Median)
}

// searchStep says what a run is to its search.
func searchStep(run *v1alpha1.Run) string {
	at := fmt.Sprintf("This is step %d of a search for the highest load within a latency budget, with %s %d", run.Search.Step, run.Search.Vary, run.Search.Value)
	switch run.Search.Verdict {
	case v1alpha1.SearchAnswer:
		return at + ", which is the answer: this run stands for the search."
	case v1alpha1.SearchWithin:
		return at + ", which kept the budget."
	case v1alpha1.SearchBeyond:
		return at + ", which did not keep the budget."
	default:
		return at + "."
	}
}

// sentenceOf has a text begin with a capital and end with a period.
func sentenceOf(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
