package v1alpha1

import (
	"cmp"

	"k8s.io/utils/ptr"
)

const (
	// DefaultRunSeconds is for how long a run may take where nothing says more.
	DefaultRunSeconds = 86_400
	// MaxRunSeconds is the longest deadline that a run can have.
	MaxRunSeconds = 2_592_000
)

// RunSeconds returns how long each run may take: what the spec sets, or else what the planned runs need (0 if a day is
// enough), or else a day.
func (sb *StorageBenchmark) RunSeconds(needed int32) int32 {
	return cmp.Or(ptr.Deref(sb.Spec.Deadlines.RunCompletionSeconds, 0), needed, DefaultRunSeconds)
}
