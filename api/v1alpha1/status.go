package v1alpha1

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

// StepSince returns when the benchmark began the given step, nil if it is at another one or has ended.
func (s *StorageBenchmarkStatus) StepSince(step string) *metav1.Time {
	if succeeded := s.Condition(ConditionSucceeded); succeeded.Status != metav1.ConditionUnknown || succeeded.Reason != step {
		return nil
	}
	return s.StepStartTime
}

// ClaimUID returns the UID of the target's claim with the given name, "" if none is known.
func (t *TargetStatus) ClaimUID(name string) types.UID {
	i := slices.IndexFunc(t.Claims, func(c ClaimStatus) bool { return c.Name == name })
	if i < 0 {
		return ""
	}
	return t.Claims[i].UID
}

// SetClaimUID sets the UID of the target's claim with the given name.
func (t *TargetStatus) SetClaimUID(name string, uid types.UID) {
	i := slices.IndexFunc(t.Claims, func(c ClaimStatus) bool { return c.Name == name })
	if i < 0 {
		i = len(t.Claims)
		t.Claims = append(t.Claims, ClaimStatus{Name: name})
	}
	t.Claims[i].UID = uid
}
