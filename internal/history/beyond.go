package history

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// withSearches adds what is kept of searches that found no load within their budget, in most of their repetitions: 0 I/Os per second of what the workload
// does. It is the worst that can become of a search that had an answer the day before, and what is compared knows nothing of it. A case that is there keeps
// its place.
func withSearches(cases []Measured, status *v1alpha1.StorageBenchmarkStatus) []Measured {
	for i := range status.Searches {
		s := &status.Searches[i]
		steps := stepsOf(status.Runs, s)
		if beyond := beyondIn(steps); beyond == 0 || beyond <= int(s.Searches) {
			continue
		}
		of := Case{Workload: s.Workload, Parameters: parametersText(s.Parameters), Target: s.Target}
		measured := Measured{Case: of, Figures: none(steps[0].Result)}
		if at := slices.IndexFunc(cases, func(m Measured) bool { return m.Case == of }); at >= 0 {
			cases[at] = measured
		} else {
			cases = append(cases, measured)
		}
	}
	return cases
}

// stepsOf returns the runs of a search and its repetitions that have a result.
func stepsOf(runs []v1alpha1.Run, s *v1alpha1.SearchResult) []*v1alpha1.Run {
	var steps []*v1alpha1.Run
	for i := range runs {
		run := &runs[i]
		if run.Search != nil && run.Result != nil && run.IsCase(s.Target, s.Workload, s.Parameters) {
			steps = append(steps, run)
		}
	}
	return steps
}

// beyondIn returns in how many repetitions there is no answer. Before that is said the lowest load was measured twice.
func beyondIn(steps []*v1alpha1.Run) int {
	const twice = 2
	measured, answered := map[int32]int{}, map[int32]bool{}
	for _, run := range steps {
		measured[run.Repetition]++
		answered[run.Repetition] = answered[run.Repetition] || run.Search.Verdict == v1alpha1.SearchAnswer
	}
	n := 0
	for repetition, steps := range measured {
		if steps >= twice && !answered[repetition] {
			n++
		}
	}
	return n
}

// none returns a rate of 0 for all that a result has done.
func none(r *v1alpha1.Result) []Figure {
	var figures []Figure
	for direction := range r.Directions() {
		figures = append(figures, Figure{Metric: metricOf(direction, "iops")})
	}
	if r.Metadata != nil {
		figures = append(figures, Figure{Metric: MetadataIOPS})
	}
	return figures
}
