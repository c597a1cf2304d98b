package controllers

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// layout returns what a client has to lay out before a run, nil if nothing. In its first run on a target it lays out
// the files of all, so that the others need not be started twice, for the layout and for themselves.
func (s *scope) layout(planned *plan.Run, client int32) *fio.JobFile {
	if storage.IsObjectStore(planned.Target) {
		return s.layoutObjects(planned, client)
	}
	needed := planned.Job.Layout()
	if needed == "" || !planned.Job.NeedsLayout() {
		return fio.LayoutFile(planned.Job)
	}
	all := s.knownLayouts(planned.Target, client)
	for i := range s.sb.Status.Runs {
		run := &s.sb.Status.Runs[i]
		if i < runsBefore(s.targetStatus(planned.Target.Name)) || !hasMeasured(run, planned.Target, client) {
			continue
		}
		before, known := s.planned(run)
		if !known {
			continue
		}
		earlier := before.Job
		if earlier.Layout() == needed || (all != nil && earlier.NeedsLayout() && earlier.Layout() != "") {
			return nil
		}
	}
	if all != nil {
		return all
	}
	return fio.LayoutFile(planned.Job)
}

// hasMeasured says whether a client has made a run on a target before.
func hasMeasured(run *v1alpha1.Run, target *v1alpha1.Target, client int32) bool {
	return run.Target == target.Name && run.State == v1alpha1.RunSucceeded && clientsOf(run) > client
}

// knownLayouts returns what lays out the files of all runs of a client on a target, but those whose files cannot be
// known.
func (s *scope) knownLayouts(target *v1alpha1.Target, client int32) *fio.JobFile {
	var files []*fio.JobFile
	seen := map[string]bool{"": true}
	for i := range s.runs {
		if s.runs[i].Target != target || s.runs[i].Clients <= client {
			continue
		}
		if layout := s.runs[i].Job.Layout(); !seen[layout] {
			seen[layout] = true
			files = append(files, s.runs[i].Job)
		}
	}
	return fio.LayoutFile(files...)
}

// layoutObjects returns what a client has to lay out before a run on an object store. Objects cannot be changed, so those
// of runs that differ in their sizes are others, and the first run that reads lays out all.
func (s *scope) layoutObjects(planned *plan.Run, client int32) *fio.JobFile {
	mine := fio.LayoutObjects(planned.Job)
	if mine == nil {
		return nil
	}
	var jobs []*fio.JobFile
	for i := range s.runs {
		if s.runs[i].Target == planned.Target && s.runs[i].Clients > client {
			jobs = append(jobs, s.runs[i].Job)
		}
	}
	all := fio.LayoutObjects(jobs...)
	if all == nil {
		return mine // too much for one file; what is there is only looked at
	}
	for i := range s.sb.Status.Runs {
		run := &s.sb.Status.Runs[i]
		before, known := s.planned(run)
		if known && hasMeasured(run, planned.Target, client) && fio.LayoutObjects(before.Job) != nil {
			return nil
		}
	}
	return all
}
