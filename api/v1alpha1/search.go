package v1alpha1

import "maps"

// What a search can vary.
const (
	VaryIODepth  = "iodepth"
	VaryNumJobs  = "numjobs"
	VaryRateIOPS = "rateIOPS"
	VaryClients  = "clients"
)

// Case returns the choice of the matrix that the run is of: its parameters, but for the load that a search has chosen.
func (r *Run) Case() map[string]string {
	if r.Search == nil {
		return r.Parameters
	}
	choice := maps.Clone(r.Parameters)
	delete(choice, r.Search.Vary)
	if len(choice) == 0 {
		return nil
	}
	return choice
}

// Stands says whether the run's result is one by which its workload is judged and compared. Of a search that is the answer alone: the other
// runs are at other loads.
func (r *Run) Stands() bool { return r.Search == nil || r.Search.Verdict == SearchAnswer }

// IsOf says whether the run's result is one of those by which a workload, with a choice of its matrix, is judged on a target.
func (r *Run) IsOf(target, workload string, choice map[string]string) bool {
	return r.Stands() && r.IsCase(target, workload, choice)
}

// IsCase says whether the run is of a workload on a target, with a choice of its matrix.
func (r *Run) IsCase(target, workload string, choice map[string]string) bool {
	return r.Target == target && r.Workload == workload && maps.Equal(r.Case(), choice)
}
