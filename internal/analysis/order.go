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
	return slices.ContainsFunc(t.Figures, func(c v1alpha1.FiguresComparison) bool {
		return c.Verdict() != "" && c.Verdict() != v1alpha1.VerdictTooFewRuns
	})
}
