package controllers

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/plan"
)

// layoutBefore returns what the clients of a run have to lay out before it, by what was measured on the volumes that are there now.
func (s *scope) layoutBefore(planned *plan.Run) plan.Shares {
	layout := plan.NewLayout(s.runs, s.volumeModes())
	runs := s.sb.Status.Runs[runsBefore(s.targetStatus(planned.Target.Name)):]
	for i := range runs {
		if before, known := s.planned(&runs[i]); known && runs[i].State == v1alpha1.RunSucceeded {
			layout.Measured(before)
		}
	}
	return layout.Before(planned)
}

// layoutFile returns the text of the job file whose files a client lays out, "" if there are none to lay out.
func (s *scope) layoutFile(planned *plan.Run, described job.Run, shares plan.Shares) string {
	file := shares.Of(described.Client)
	if file == nil {
		return ""
	}
	return s.ownNames(planned.Target, described.Client, file).On(placeOf(s.sb, described.Volume)).String()
}
