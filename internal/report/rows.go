package report

import (
	"fmt"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// row is what there is to say of one direction of I/O of a target, of its syncs, or of runs without a result.
type row struct {
	workload, parameters, target string
	// benchmark is the name of the benchmark, where there are two.
	benchmark string
	// io is the direction, sync, metadata or total, or the state of runs without a result.
	io    string
	state v1alpha1.RunState
	// repetitions is the number of results that the figures are of.
	repetitions int32
	// figures are nil of runs without a result. Those of syncs have latencies only, those of metadata no bytes.
	figures *v1alpha1.FiguresComparison
	// results are those that the figures are of.
	results []*v1alpha1.Result
	// first says whether it is the target's first row, which has what is of all directions.
	first bool
	// bounds are what held the results back, on the first row only, nil for a result of which it is not known.
	bounds []*v1alpha1.LimitedBy
}

// distributions returns the latencies of the row's results, nil for a result without; nothing for a total.
func (r *row) distributions() []*v1alpha1.LatencyDistribution {
	var all []*v1alpha1.LatencyDistribution
	for _, f := range r.resultFigures() {
		all = append(all, f.CompletionLatency)
	}
	return all
}

// resultFigures returns what the results have of the row's operation, nothing for a total.
func (r *row) resultFigures() []*v1alpha1.Figures {
	var all []*v1alpha1.Figures
	for _, result := range r.results {
		if f := result.Of(r.io); f != nil {
			all = append(all, f)
		}
	}
	return all
}

// rowsOf returns the rows of a benchmark: those of its comparisons, then those of runs without a result.
func rowsOf(status *v1alpha1.StorageBenchmarkStatus) []row {
	var rows []row
	known := slices.ContainsFunc(status.Runs, cases.IsBoundKnown)
	for i, occurrence := range cases.Occurrences(status.Comparisons) {
		c := &status.Comparisons[i]
		for j := range c.Targets {
			outcomes := cases.Outcomes(status.Runs, c, c.Targets[j].Name, occurrence)
			rows = append(rows, targetRows(c, &c.Targets[j], outcomes, known)...)
		}
	}
	return append(rows, stateRows(status.Runs)...)
}

// targetRows returns the rows of a target in a comparison.
func targetRows(c *v1alpha1.Comparison, t *v1alpha1.TargetComparison, outcomes []cases.Outcome, boundsKnown bool) []row {
	var rows []row
	for i := range t.Figures {
		f := &t.Figures[i]
		r := row{
			workload: humanize.Line(cases.Name(c)), parameters: humanize.Line(wording.Parameters(c.Parameters)), target: t.Name, io: f.Name,
			repetitions: t.Runs, figures: f, first: len(rows) == 0,
		}
		for _, o := range outcomes {
			if o.Result != nil {
				r.results = append(r.results, o.Result)
			}
			if boundsKnown && r.first {
				r.bounds = append(r.bounds, o.LimitedBy)
			}
		}
		r.bounds = v1alpha1.Decisive(r.bounds)
		rows = append(rows, r)
	}
	return rows
}

// stateRows returns a row for the runs without a result that are alike but for their repetition.
func stateRows(runs []v1alpha1.Run) []row {
	var rows []row
	for i := range runs {
		run := &runs[i]
		if run.State == v1alpha1.RunSucceeded {
			continue
		}
		r := row{workload: run.Workload, parameters: humanize.Line(wording.Parameters(run.Parameters)), target: run.Target, state: run.State, io: string(run.State)}
		at := slices.IndexFunc(rows, func(other row) bool {
			return r.workload == other.workload && r.parameters == other.parameters && r.target == other.target && r.state == other.state
		})
		if at < 0 {
			at = len(rows)
			rows = append(rows, r)
		}
		rows[at].repetitions++
	}
	for i := range rows {
		if r := &rows[i]; r.repetitions > 1 {
			r.io = fmt.Sprintf("%s (%d)", r.io, r.repetitions)
		}
	}
	return rows
}
