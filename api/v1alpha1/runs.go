package v1alpha1

// HasEnded says whether the run has its last word: a result, or why there is none.
func (r *Run) HasEnded() bool { return r.State == RunSucceeded || r.State == RunFailed }

// ClientCount returns the number of clients of the run, at least 1.
func (r *Run) ClientCount() int32 { return max(r.Clients, 1) }

// RunningRun returns the run whose attempt is under way, nil if there is none.
func (s *StorageBenchmarkStatus) RunningRun() *Run {
	for i := range s.Runs {
		if s.Runs[i].State == RunRunning {
			return &s.Runs[i]
		}
	}
	return nil
}

// EndedRuns returns the number of runs that have ended, well or not.
func (s *StorageBenchmarkStatus) EndedRuns() int {
	n := 0
	for i := range s.Runs {
		if s.Runs[i].HasEnded() {
			n++
		}
	}
	return n
}
