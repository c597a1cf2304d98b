package v1alpha1

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

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

// Target returns the status of the target of a name. Of one that is not there yet it returns one with the name alone, which is not in the status.
func (s *StorageBenchmarkStatus) Target(name string) *TargetStatus {
	if i := slices.IndexFunc(s.Targets, func(t TargetStatus) bool { return t.Name == name }); i >= 0 {
		return &s.Targets[i]
	}
	return &TargetStatus{Name: name}
}

// NodeOf returns the node that a client's anchor holds, "" without an anchor.
func (s *StorageBenchmarkStatus) NodeOf(client int32) string {
	if int(client) >= len(s.Anchors) {
		return ""
	}
	return s.Anchors[client].Node
}

// IsForOnePod says whether only one pod at a time may have a volume of the target, so that no anchor mounts it beside runs.
func (t *TargetStatus) IsForOnePod() bool {
	return slices.Contains(t.AccessModes, corev1.ReadWriteOncePod)
}
