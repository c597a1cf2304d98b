package controllers

import (
	"fmt"

	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/report/summary"
	"github.com/storagebench/storagebench/internal/search"
)

// summarize derives the figures and lines that people read from the runs.
func summarize(s *pass.Pass) {
	status := &s.SB.Status
	if finished := int32(s.SB.Status.EndedRuns()); finished != status.FinishedRuns || s.SearchEnded {
		status.FinishedRuns = finished
		compare(s.SB, s.SB.Status.HasMeasured())
	}
	if s.SB.Status.HasMeasured() && len(status.Searches) > 0 {
		status.Searches = search.Results(&s.SB.Spec, status.Runs, true)
	}
	judge(s)
	status.Progress = ""
	if status.PlannedRuns > 0 {
		status.Progress = fmt.Sprintf("%d/%d", status.FinishedRuns, status.PlannedRuns)
	}
	status.WarningCount = int32(len(status.Warnings))
	status.Best, status.Summary = summary.Best(status), summary.Summary(status)
}
