package expectation

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// boundOnNode returns what held a result back. Where the figures do not show it, and the node was busy, that may be the
// node.
func boundOnNode(run *v1alpha1.Run, bound *v1alpha1.LimitedBy) *v1alpha1.LimitedBy {
	busy := slices.ContainsFunc(run.Warnings, func(w v1alpha1.Warning) bool {
		return w.Reason == v1alpha1.WarningNodeBusy
	})
	if bound == nil || bound.Reason != v1alpha1.BoundUnknown || !busy {
		return bound
	}
	return &v1alpha1.LimitedBy{Reason: v1alpha1.BoundNodeCPU}
}
