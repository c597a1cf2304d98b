package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
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
	known := slices.ContainsFunc(status.Runs, isBoundKnown)
	for i, occurrence := range occurrences(status.Comparisons) {
		c := &status.Comparisons[i]
		for j := range c.Targets {
			outcomes := outcomesOf(status.Runs, c, c.Targets[j].Name, occurrence)
			rows = append(rows, targetRows(c, &c.Targets[j], outcomes, known)...)
		}
	}
	return append(rows, stateRows(status.Runs)...)
}

// occurrences returns of each comparison how many before it are of the same on the same targets: sections of a job file may
// share a name.
func occurrences(comparisons []v1alpha1.Comparison) []int {
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

// targetRows returns the rows of a target in a comparison.
func targetRows(c *v1alpha1.Comparison, t *v1alpha1.TargetComparison, outcomes []outcome, boundsKnown bool) []row {
	var rows []row
	for i := range t.Figures {
		f := &t.Figures[i]
		r := row{
			workload: humanize.Line(workloadOf(c)), parameters: humanize.Line(parameters(c.Parameters)), target: t.Name, io: f.Name,
			repetitions: t.Runs, figures: f, first: len(rows) == 0,
		}
		for _, o := range outcomes {
			if o.result != nil {
				r.results = append(r.results, o.result)
			}
			if boundsKnown && r.first {
				r.bounds = append(r.bounds, o.limitedBy)
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
		r := row{workload: run.Workload, parameters: humanize.Line(parameters(run.Parameters)), target: run.Target, state: run.State, io: string(run.State)}
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

// outcome is a result that a comparison is made of, and the run that it is of.
type outcome struct {
	run       *v1alpha1.Run
	result    *v1alpha1.Result
	limitedBy *v1alpha1.LimitedBy
}

// outcomesOf returns the target's results that are in a comparison; of sections that share a name, those that come so many
// behind the first.
func outcomesOf(runs []v1alpha1.Run, c *v1alpha1.Comparison, target string, occurrence int) []outcome {
	var all []outcome
	for i := range runs {
		run := &runs[i]
		if run.State != v1alpha1.RunSucceeded || !run.IsOf(target, c.Workload, c.Parameters) {
			continue
		}
		if c.Section == "" {
			all = append(all, outcome{run, run.Result, run.LimitedBy})
		} else if measured := run.MeasuredIn(c.Section, occurrence); measured != nil {
			all = append(all, outcome{run, &measured.Result, measured.LimitedBy})
		}
	}
	return all
}

// isBoundKnown says whether it is known what held a result of the run back.
func isBoundKnown(run v1alpha1.Run) bool {
	known := func(bound *v1alpha1.LimitedBy) bool { return bound != nil && bound.Reason != v1alpha1.BoundUnknown }
	return known(run.LimitedBy) || slices.ContainsFunc(run.Sections, func(s v1alpha1.SectionResult) bool { return known(s.LimitedBy) })
}

// mostFrequent returns what held most results back, and how many; "" if it is not known of any. Of two that are as
// frequent it is the earlier one.
func mostFrequent(bounds []*v1alpha1.LimitedBy) (reason string, times int) {
	for _, bound := range bounds {
		if bound == nil {
			continue
		}
		if n := len(boundsFor(bounds, bound.Reason)); n > times {
			reason, times = bound.Reason, n
		}
	}
	return reason, times
}

// boundsFor returns the bounds that have a reason.
func boundsFor(bounds []*v1alpha1.LimitedBy, reason string) []*v1alpha1.LimitedBy {
	return slices.DeleteFunc(slices.Clone(bounds), func(b *v1alpha1.LimitedBy) bool { return b == nil || b.Reason != reason })
}

// rates returns the figures of a target that have a rate, without the total: those of directions, or of operations on files.
func rates(t *v1alpha1.TargetComparison) []*v1alpha1.FiguresComparison {
	return slices.DeleteFunc(ratesAndTotal(t), func(c *v1alpha1.FiguresComparison) bool { return c.Name == v1alpha1.OperationTotal })
}

// ratesAndTotal returns the figures of a target that have a rate. The total is the last one, if there is one.
func ratesAndTotal(t *v1alpha1.TargetComparison) []*v1alpha1.FiguresComparison {
	var all []*v1alpha1.FiguresComparison
	for i := range t.Figures {
		if c := &t.Figures[i]; c.MilliIOPS != nil {
			all = append(all, c)
		}
	}
	return all
}
