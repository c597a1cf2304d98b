package analysis

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// WarnOfOrder adds a warning to each target that has a verdict, where all runs of a target were made before those of the next one: what
// changes with time is then part of what they differ by, and no repetition shows it.
func WarnOfOrder(comparisons []v1alpha1.Comparison, order v1alpha1.Order) {
	if order != v1alpha1.OrderByTarget {
		return
	}
	for i := range comparisons {
		targets := comparisons[i].Targets
		for j := range targets {
			if t := &targets[j]; isJudged(t) {
				t.Warnings = append(t.Warnings, v1alpha1.Warning{
					Reason: v1alpha1.WarningOrderByTarget, Message: "targets were measured one after the other: the verdict counts drift over time as a difference between them",
				})
			}
		}
	}
}

// isJudged says whether a target has a verdict beside the baseline.
func isJudged(t *v1alpha1.TargetComparison) bool {
	var verdicts []v1alpha1.Verdict
	for _, io := range t.Directions() {
		verdicts = append(verdicts, io.Verdict)
	}
	if t.Sync != nil {
		verdicts = append(verdicts, t.Sync.Verdict)
	}
	if t.Metadata != nil {
		verdicts = append(verdicts, t.Metadata.Verdict)
	}
	return slices.ContainsFunc(verdicts, func(v v1alpha1.Verdict) bool { return v != "" && v != v1alpha1.VerdictTooFewRuns })
}
