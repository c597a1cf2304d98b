package history

import (
	"maps"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// beyondOf returns what is kept of searches that found no load within their budget: 0 I/Os per second of what the workload does. Such a search has no
// result that is compared, and it is the worst that can become of one that had an answer the day before.
func beyondOf(status *v1alpha1.StorageBenchmarkStatus) []Measured {
	var cases []Measured
	for i := range status.Searches {
		s := &status.Searches[i]
		if s.Outcome != v1alpha1.SearchMinBeyond {
			continue
		}
		if step := stepOf(status.Runs, s); step != nil {
			cases = append(cases, Measured{
				Case:    Case{Workload: s.Workload, Parameters: parametersText(s.Parameters), Target: s.Target},
				Figures: none(step.Result),
			})
		}
	}
	return cases
}

// stepOf returns a run of a search that has a result, nil if none has.
func stepOf(runs []v1alpha1.Run, s *v1alpha1.SearchResult) *v1alpha1.Run {
	for i := range runs {
		run := &runs[i]
		if run.Search != nil && run.Result != nil && run.Target == s.Target && run.Workload == s.Workload && maps.Equal(run.Case(), s.Parameters) {
			return run
		}
	}
	return nil
}

// none returns a rate of 0 for all that a result has done.
func none(r *v1alpha1.Result) []Figure {
	var figures []Figure
	for _, of := range []struct {
		done   bool
		metric Metric
	}{{r.Read != nil, ReadIOPS}, {r.Write != nil, WriteIOPS}, {r.Trim != nil, TrimIOPS}, {r.Metadata != nil, MetadataIOPS}} {
		if of.done {
			figures = append(figures, Figure{Metric: of.metric})
		}
	}
	return figures
}
