package v1alpha1

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

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

// RunsOn returns the runs that were made since a claim of a target was last replaced: on the volumes that are there now. Those of other targets are among them.
func (s *StorageBenchmarkStatus) RunsOn(target *TargetStatus) []Run {
	return s.Runs[ptr.Deref(target.RunsBeforeReplacement, 0):]
}
