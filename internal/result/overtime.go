package result

import "github.com/storagebench/storagebench/api/v1alpha1"

// maxOverTime is how many results of a benchmark can have overTime and a full steadyState: the status has no room for more. The series and the warnings
// cover all results.
const maxOverTime = 48

// BoundOverTime leaves out how the results of a run went, if the status has that of enough others.
func BoundOverTime(runs []v1alpha1.Run, run *v1alpha1.Run) {
	told := 0
	for i := range runs {
		if other := &runs[i]; other.Name != run.Name {
			told += len(overTimes(other))
		}
	}
	for _, result := range overTimes(run) {
		if told++; told > maxOverTime {
			result.OverTime, result.SteadyState = nil, briefly(result.SteadyState)
		}
	}
}

// briefly returns what has to be known of each result that waited until it was steady: whether it was, and after how long. Burst credits follow from that.
func briefly(s *v1alpha1.SteadyState) *v1alpha1.SteadyState {
	if s == nil || s.AfterSeconds == 0 {
		return nil
	}
	return &v1alpha1.SteadyState{Attained: s.Attained, AfterSeconds: s.AfterSeconds}
}

// saysHow says whether a result says how it went.
func saysHow(r *v1alpha1.Result) bool {
	return r.OverTime != nil || r.SteadyState != nil && *r.SteadyState != v1alpha1.SteadyState{Attained: r.SteadyState.Attained, AfterSeconds: r.SteadyState.AfterSeconds}
}

// overTimes returns those results of a run that say how they went.
func overTimes(run *v1alpha1.Run) []*v1alpha1.Result {
	var told []*v1alpha1.Result
	if run.Result != nil && saysHow(run.Result) {
		told = append(told, run.Result)
	}
	for i := range run.Sections {
		if saysHow(&run.Sections[i].Result) {
			told = append(told, &run.Sections[i].Result)
		}
	}
	return told
}
