package digest

import (
	"fmt"
	"slices"
)

// submissionsOf returns the submission times of a report's directions, nil if all are 0.
func submissionsOf(r *Report) []int64 {
	var all []int64
	for _, d := range r.directions() {
		all = append(all, d.Submission)
	}
	if !slices.ContainsFunc(all, func(nanoseconds int64) bool { return nanoseconds != 0 }) {
		return nil
	}
	return all
}

// restoreSubmissions gives the directions theirs back.
func (w *wire) restoreSubmissions() error {
	all, directions := w.Beside.Submissions, w.Report.directions()
	if len(all) > 0 && len(all) != len(directions) {
		return fmt.Errorf("parse report: submissions of %d directions of %d", len(all), len(directions))
	}
	for i, nanoseconds := range all {
		if nanoseconds < 0 {
			return fmt.Errorf("parse report: impossible time of a submission: %d", nanoseconds)
		}
		directions[i].Submission = nanoseconds
	}
	return nil
}
