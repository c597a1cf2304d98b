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

// RunSeconds returns for how long each run may take: as the spec says, or else as its runs need, or else for a day.
func (sb *StorageBenchmark) RunSeconds() int32 {
	return cmp.Or(ptr.Deref(sb.Spec.Deadlines.RunSeconds, 0), sb.Status.RunDeadlineSeconds, DefaultRunSeconds)
}
