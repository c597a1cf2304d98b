package history

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
)

// withSearches adds what is kept of searches that found no load within their budget, in most of their repetitions: 0 I/Os per second of what the workload
// does. It is the worst that can become of a search that had an answer the day before, and what is compared knows nothing of it. A case that is there keeps
// its place.
func withSearches(cases []Measured, status *v1alpha1.StorageBenchmarkStatus) []Measured {
	for i := range status.Searches {
		s := &status.Searches[i]
		nothing := analysis.WithoutAnswer(status.Runs, func(run *v1alpha1.Run) bool { return run.IsCase(s.Target, s.Workload, s.Parameters) })
		if len(nothing) == 0 || len(nothing) <= int(s.Searches) {
			continue
		}
		of := Case{Workload: s.Workload, Parameters: parametersText(s.Parameters), Target: s.Target}
		measured := Measured{Case: of, Figures: none(nothing[0])}
		if at := slices.IndexFunc(cases, func(m Measured) bool { return m.Case == of }); at >= 0 {
			cases[at] = measured
		} else {
			cases = append(cases, measured)
		}
	}
	return cases
}

// none returns a rate of 0 for all that a result has done.
func none(r *v1alpha1.Result) []Figure {
	var figures []Figure
	for i := range r.Figures {
		if m, isKept := MetricNamed(r.Figures[i].Name + ".iops"); isKept {
			figures = append(figures, Figure{Metric: m})
		}
	}
	return figures
}
