package controllers

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/search"
)

// nextRun returns the first run that has not ended, nil if all have. A step of a search has its load then: it is written down with the beginning of
// its first attempt, before its Jobs are made.
func (s *writer) nextRun() *v1alpha1.Run {
	runs := search.Runs{Spec: &s.sb.Spec, Status: &s.sb.Status}
	s.searchEnded = runs.End() || s.searchEnded
	for i := range s.sb.Status.Runs {
		run := &s.sb.Status.Runs[i]
		if run.HasEnded() {
			continue
		}
		if run.Search != nil && run.Search.Value == 0 {
			s.setLoad(run, runs.Load(run))
		}
		return run
	}
	return nil
}

// setLoad gives a step of a search its load, if there is one.
func (s *writer) setLoad(run *v1alpha1.Run, load int32) {
	planned, known := s.planned(run)
	if !known || load == 0 { // which the caller finds out as well
		return
	}
	planned = planned.At(load)
	run.Search.Value, run.Parameters, run.Clients = load, planned.Parameters, 0
	if planned.Clients > 1 {
		run.Clients = planned.Clients
	}
}

// judgeStep says whether a step of a search keeps the budget. It fails a run of which that cannot be known.
func (s *writer) judgeStep(run *v1alpha1.Run, planned *plan.Run) {
	if run.Search == nil || planned.Workload.Search == nil {
		return
	}
	verdict, err := search.Judge(planned.Workload.Search, run.Result, planned.Rate())
	if err != nil {
		s.failRun(run, err.Error())
		return
	}
	run.Search.Verdict = verdict
}
