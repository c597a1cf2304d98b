package measure

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/evaluation"
)

// nextRun returns the first run that has not ended, nil if all have. The load of a step of a search is written down
// with the beginning of its first attempt, before its Jobs are made.
func nextRun(s *pass.Pass) *v1alpha1.Run {
	next, searchEnded := evaluation.Next(s.SB, s.PlannedRuns())
	s.SearchEnded = searchEnded || s.SearchEnded
	return next
}
