package storage

import "github.com/storagebench/storagebench/api/v1alpha1"

// limitsOfSpec is the source of limits that the user has given.
const limitsOfSpec = "spec.targets[].limits"

// Limits returns what is known of what the target's storage can do at most, nil if nothing is.
func Limits(t *v1alpha1.Target) *v1alpha1.KnownLimits {
	if t.Limits == nil {
		return nil
	}
	known := &v1alpha1.KnownLimits{Limits: *t.Limits.DeepCopy(), Source: limitsOfSpec}
	if known.Scope == "" {
		known.Scope = v1alpha1.ScopeVolume
	}
	return known
}
