package measure

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/search"
)

// nextRun returns the first run that has not ended, nil if all have. A step of a search has its load then: it is
// written down with the beginning of its first attempt, before its Jobs are made.
func nextRun(s *pass.Pass) *v1alpha1.Run {
	runs := search.Runs{Spec: &s.SB.Spec, Status: &s.SB.Status}
	s.SearchEnded = runs.End() || s.SearchEnded
	for i := range s.SB.Status.Runs {
		run := &s.SB.Status.Runs[i]
		if run.HasEnded() {
			continue
		}
		if run.Search != nil && run.Search.Value == 0 {
			setLoad(s, run, runs.Load(run))
		}
		return run
	}
	return nil
}

// setLoad gives a step of a search its load, if there is one.
func setLoad(s *pass.Pass, run *v1alpha1.Run, load int32) {
	planned, known := s.Planned(run)
	if !known || load == 0 { // which the caller finds out as well
		return
	}
	planned = planned.At(load)
	run.Search.Value, run.Parameters, run.Clients = load, planned.Parameters, 0
	if planned.Clients > 1 {
		run.Clients = planned.Clients
	}
}
