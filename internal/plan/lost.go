package plan

import "github.com/storagebench/storagebench/api/v1alpha1"

// Lost returns the name of the first run of the plan that the status should have a result of and has not, "" if there is
// none. Steps of a search are left out: a search ends before it has made all of them.
func Lost(runs []Run, recorded []v1alpha1.Run) string {
	states := make(map[string]*v1alpha1.Run, len(recorded))
	for i := range recorded {
		states[recorded[i].Name] = &recorded[i]
	}
	for i := range runs {
		run := states[runs[i].Name]
		isLost := run == nil || !run.HasEnded() || run.State == v1alpha1.RunSucceeded && run.Result == nil && len(run.Sections) == 0
		if runs[i].Step == 0 && isLost {
			return runs[i].Name
		}
	}
	return ""
}
