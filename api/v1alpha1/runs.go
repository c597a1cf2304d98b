package v1alpha1

// HasEnded says whether the run has its last word: a result, or why there is none.
func (r *Run) HasEnded() bool { return r.State == RunSucceeded || r.State == RunFailed }
