package controllers

import (
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/search"
)

// compare compares the targets by the results so far. over reports whether all runs have ended.
func compare(sb *v1alpha1.StorageBenchmark, over bool) {
	status := &sb.Status
	if len(status.Targets) == 0 {
		return
	}
	targets := world.Each(status.Targets, func(t v1alpha1.TargetStatus) string { return t.Name })
	// The first target is the status's: the spec's order may change, and not what is compared with what.
	status.Comparisons = analysis.Compare(status.Runs, targets, ptr.Deref(sb.Spec.Baseline, targets[0]))
	analysis.WarnOfOrder(status.Comparisons, sb.Spec.Order)
	status.Searches = search.Results(&sb.Spec, status.Runs, over)
	status.Warnings = analysis.Summarize(status.Runs, status.Comparisons)
}
