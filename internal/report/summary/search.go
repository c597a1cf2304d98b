package summary

import (
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// summarizeSearch is what a search has found in few words, such as "at read.p99 <= 5ms (iodepth 9)".
func summarizeSearch(s *v1alpha1.SearchResult) string {
	if s.Answer == nil {
		return ""
	}
	return fmt.Sprintf(" at %s<=%s (%s %d)", s.Objective, wording.Percentile(s.BudgetNanoseconds), s.Vary, s.Answer.Value.Median)
}
