// Package cases finds what belongs to the cases of a benchmark. A case is a workload with one choice of its matrix, on a
// target: its runs, what held them back, and what was searched or kept of it.
package cases

import (
	"maps"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Median returns the median of at least one value; of an even number the mean of the two in the middle.
func Median(values []int64) int64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	low, high := sorted[middle-1], sorted[middle]
	return low + (high-low)/2
}

// MedianPercentile returns the median of a percentile over runs, which may be beyond fio's histogram.
func MedianPercentile(values []int64) int64 {
	if v1alpha1.IsMedianBeyondHistogram(values) {
		return v1alpha1.BeyondHistogramNanoseconds
	}
	return Median(values)
}

// Name names a workload, and the section that is compared.
func Name(c *v1alpha1.Comparison) string {
	if c.Section == "" {
		return c.Workload
	}
	return c.Workload + "/" + c.Section
}

// Occurrences returns of each comparison how many before it are of the same on the same targets: sections of a job file may
// share a name.
func Occurrences(comparisons []v1alpha1.Comparison) []int {
	all := make([]int, len(comparisons))
	for i := range comparisons {
		for j := range i {
			if isAlike(&comparisons[i], &comparisons[j]) {
				all[i]++
			}
		}
	}
	return all
}

// isAlike says whether two comparisons are of the same on the same targets.
func isAlike(a, b *v1alpha1.Comparison) bool {
	return a.Workload == b.Workload && a.Section == b.Section && maps.Equal(a.Parameters, b.Parameters) &&
		slices.EqualFunc(a.Targets, b.Targets, func(a, b v1alpha1.TargetComparison) bool { return a.Name == b.Name })
}

// Outcome is a result that a comparison is made of, and the run that it is of.
type Outcome struct {
	Run       *v1alpha1.Run
	Result    *v1alpha1.Result
	LimitedBy *v1alpha1.LimitedBy
}

// Outcomes returns the target's results that are in a comparison; of sections that share a name, those that come so many
// behind the first.
func Outcomes(runs []v1alpha1.Run, c *v1alpha1.Comparison, target string, occurrence int) []Outcome {
	var all []Outcome
	for i := range runs {
		run := &runs[i]
		if run.State != v1alpha1.RunSucceeded || !run.IsOf(target, c.Workload, c.Parameters) {
			continue
		}
		if c.Section == "" {
			all = append(all, Outcome{run, run.Result, run.LimitedBy})
		} else if measured := run.MeasuredIn(c.Section, occurrence); measured != nil {
			all = append(all, Outcome{run, &measured.Result, measured.LimitedBy})
		}
	}
	return all
}

// IsBoundKnown says whether it is known what held a result of the run back.
func IsBoundKnown(run v1alpha1.Run) bool {
	known := func(bound *v1alpha1.LimitedBy) bool { return bound != nil && bound.Reason != v1alpha1.BoundUnknown }
	return known(run.LimitedBy) || slices.ContainsFunc(run.Sections, func(s v1alpha1.SectionResult) bool { return known(s.LimitedBy) })
}

// Bounds returns what held results back: by probes alone, if there are some. A bound is nil where it is not known.
func Bounds(outcomes []Outcome) []*v1alpha1.LimitedBy {
	all := make([]*v1alpha1.LimitedBy, len(outcomes))
	for i, o := range outcomes {
		all[i] = o.LimitedBy
	}
	return v1alpha1.Decisive(all)
}

// Used returns how much of the limit was used that held most results back, in percent: the median of these.
func Used(bounds []*v1alpha1.LimitedBy) (percent int64, known bool) {
	name, _ := MostFrequent(bounds)
	var used []int64
	for _, bound := range BoundsFor(bounds, name) {
		if bound.UsedPercent != nil {
			used = append(used, int64(*bound.UsedPercent))
		}
	}
	if len(used) == 0 {
		return 0, false
	}
	return Median(used), true
}

// MostFrequent returns what held most results back, and how many; "" if it is not known of any. Of two that are as
// frequent it is the earlier one.
func MostFrequent(bounds []*v1alpha1.LimitedBy) (reason string, times int) {
	for _, bound := range bounds {
		if bound == nil {
			continue
		}
		if n := len(BoundsFor(bounds, bound.Reason)); n > times {
			reason, times = bound.Reason, n
		}
	}
	return reason, times
}

// BoundsFor returns the bounds that have a reason.
func BoundsFor(bounds []*v1alpha1.LimitedBy, reason string) []*v1alpha1.LimitedBy {
	return slices.DeleteFunc(slices.Clone(bounds), func(b *v1alpha1.LimitedBy) bool { return b == nil || b.Reason != reason })
}

// Rates returns the figures of a target that have a rate, without the total: those of directions, or of operations on files.
func Rates(t *v1alpha1.TargetComparison) []*v1alpha1.FiguresComparison {
	return slices.DeleteFunc(RatesAndTotal(t), func(c *v1alpha1.FiguresComparison) bool { return c.Name == v1alpha1.OperationTotal })
}

// RatesAndTotal returns the figures of a target that have a rate. The total is the last one, if there is one.
func RatesAndTotal(t *v1alpha1.TargetComparison) []*v1alpha1.FiguresComparison {
	var all []*v1alpha1.FiguresComparison
	for i := range t.Figures {
		if c := &t.Figures[i]; c.MilliIOPS != nil {
			all = append(all, c)
		}
	}
	return all
}
