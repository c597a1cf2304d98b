package controllers

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/search"
)

// nextRun returns the first run that has not ended, nil if all have. A step of a search has its load then: it is written down with the beginning of
// its first attempt, before its Jobs are made. The same steps before it always give it the same one.
func (s *scope) nextRun() *v1alpha1.Run {
	s.endSearches()
	for i := range s.sb.Status.Runs {
		if run := &s.sb.Status.Runs[i]; !run.HasEnded() {
			s.chooseLoad(run)
			return run
		}
	}
	return nil
}

// endSearches takes away the steps that no search needs any more.
func (s *scope) endSearches() {
	status := &s.sb.Status
	for _, steps := range search.Of(status.Runs) {
		if answer, ended := s.endOf(steps); ended {
			steps.End(answer)
			s.dropPending(steps)
			s.searchEnded = true
			s.endSearches() // the runs after these are at other places now
			return
		}
	}
}

// endOf returns the answer of a search that has one, or none of one that has failed; false if it goes on, or that was taken note of.
func (s *scope) endOf(steps search.Steps) (search.Answer, bool) {
	if !steps.Waits() {
		return search.Answer{}, false
	}
	if steps.HasFailed() {
		return search.Answer{}, !steps.IsTaken(search.Answer{})
	}
	decision, known := s.decideStep(steps)
	return decision.Answer, known && decision.Value == 0 && !steps.IsTaken(decision.Answer)
}

// decideStep says what comes next in a search, false if the spec knows of none.
func (s *scope) decideStep(steps search.Steps) (search.Decision, bool) {
	planned, known := s.planned(steps[0])
	if !known || planned.Workload.Search == nil {
		return search.Decision{}, false
	}
	return steps.Next(planned.Workload.Search), true
}

// dropPending drops the steps of a search that have not begun.
func (s *scope) dropPending(steps search.Steps) {
	status := &s.sb.Status
	left := map[string]bool{}
	for _, run := range steps {
		left[run.Name] = run.State == v1alpha1.RunPending
	}
	status.Runs = slices.DeleteFunc(status.Runs, func(run v1alpha1.Run) bool { return left[run.Name] })
	status.PlannedRuns = int32(len(status.Runs))
}

// chooseLoad gives a step of a search that has none its load.
func (s *scope) chooseLoad(run *v1alpha1.Run) {
	if run.Search == nil || run.Search.Value > 0 {
		return
	}
	planned, known := s.planned(run)
	if !known {
		return // which the caller finds out as well
	}
	for _, steps := range search.Of(s.sb.Status.Runs) {
		if !slices.Contains(steps, run) {
			continue
		}
		if decision, known := s.decideStep(steps); known && decision.Value > 0 {
			setLoad(run, planned.At(decision.Value), decision)
		}
	}
}

func setLoad(run *v1alpha1.Run, planned *plan.Run, decision search.Decision) {
	run.Search.Value, run.Parameters = decision.Value, planned.Parameters
	run.Clients = 0
	if planned.Clients > 1 {
		run.Clients = planned.Clients
	}
}

// judgeStep says whether a step of a search keeps the budget. It fails a run of which that cannot be known.
func (s *scope) judgeStep(run *v1alpha1.Run, planned *plan.Run) {
	if run.Search == nil || planned == nil || planned.Workload.Search == nil {
		return
	}
	verdict, err := search.Judge(planned.Workload.Search, run.Result, planned.Rate())
	if err != nil {
		s.failRun(run, err.Error())
		return
	}
	run.Search.Verdict = verdict
}
