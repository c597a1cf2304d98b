package search

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/humanize"
)

// maxMessage is the most bytes of the message of a result.
const maxMessage = 256

// Results says what the searches of a benchmark have found: one for each target, workload and choice of its matrix. Once measuring is over no search
// goes on, and those that have not ended were cut short.
func Results(spec *v1alpha1.StorageBenchmarkSpec, runs []v1alpha1.Run, over bool) []v1alpha1.SearchResult {
	var repeated [][]Steps
	for _, steps := range Of(runs) {
		at := slices.IndexFunc(repeated, func(of []Steps) bool { return of[0].isAbout(steps[0]) })
		if at < 0 {
			at = len(repeated)
			repeated = append(repeated, nil)
		}
		repeated[at] = append(repeated[at], steps)
	}
	var results []v1alpha1.SearchResult
	for _, repetitions := range repeated {
		first := repetitions[0][0]
		if search := searchOf(spec, first.Workload); search != nil {
			f := finding{search: search, repetitions: repetitions, over: over}
			results = append(results, f.result(first))
		}
	}
	return results
}

// searchOf returns the search of a workload, nil if the spec has none for it.
func searchOf(spec *v1alpha1.StorageBenchmarkSpec, workload string) *v1alpha1.LoadSearch {
	i := slices.IndexFunc(spec.Workloads, func(w v1alpha1.Workload) bool { return w.Name == workload })
	if i < 0 {
		return nil
	}
	return spec.Workloads[i].Search
}

// finding is what the repetitions of a search have found.
type finding struct {
	search      *v1alpha1.LoadSearch
	repetitions []Steps
	// answers are the runs that stand for those that have ended with a load within the budget.
	answers []*v1alpha1.Run
	// ended are the answers of all that have ended.
	ended []Answer
	// failed are repetitions of which a run failed, cut those that did not end before measuring was over.
	failed, cut int
	over        bool
}

func (f *finding) result(first *v1alpha1.Run) v1alpha1.SearchResult {
	for _, steps := range f.repetitions {
		f.add(steps)
	}
	_, limit, _ := expectation.Budget(f.search.Objective.Metric, f.search.Objective.Max)
	r := v1alpha1.SearchResult{
		Target: first.Target, Workload: first.Workload, Parameters: first.Case(),
		Vary: f.search.Vary, Objective: f.search.Objective.Metric, BudgetNanoseconds: limit,
		Outcome: f.outcome(), Searches: int32(len(f.answers)), Saturation: f.saturation(),
	}
	if len(f.answers) > 0 {
		r.Answer = f.figures(f.answers...)
	}
	r.Message = humanize.Cut(f.message(&r), maxMessage, "…")
	return r
}

// add takes a repetition that has ended.
func (f *finding) add(steps Steps) {
	switch {
	case steps.HasFailed():
		f.failed++
	case steps[len(steps)-1].HasEnded():
		f.ended = append(f.ended, steps.Next(f.search).Answer)
		if run := steps.answer(); run != nil {
			f.answers = append(f.answers, run)
		}
	case f.over:
		f.cut++
	}
}

// outcomes are how the API calls those of searches.
var outcomes = map[Outcome]v1alpha1.SearchOutcome{
	Unknown: v1alpha1.SearchSearching, // which an operator may say of a search that another version has ended
	Found:   v1alpha1.SearchFound, MaxWithin: v1alpha1.SearchMaxWithin, MinBeyond: v1alpha1.SearchMinBeyond,
}

func (f *finding) outcome() v1alpha1.SearchOutcome {
	switch {
	case len(f.ended) == 0 && f.failed+f.cut > 0:
		return v1alpha1.SearchFailed
	case len(f.ended) == 0:
		return v1alpha1.SearchSearching
	case f.failed+f.cut > 0 || slices.ContainsFunc(f.ended, func(a Answer) bool { return a.Outcome != f.ended[0].Outcome }):
		return v1alpha1.SearchMixed
	default:
		return outcomes[f.ended[0].Outcome]
	}
}

// figures are those of runs with a result: of the answers, or of one step.
func (f *finding) figures(runs ...*v1alpha1.Run) *v1alpha1.SearchFigures {
	metric, _, _ := expectation.Budget(f.search.Objective.Metric, f.search.Objective.Max)
	var value, rate, bytes, latency []int64
	for _, run := range runs {
		work := ptr.Deref(run.Result.Work(), v1alpha1.Figures{})
		objective, _ := metric.Of(run.Result)
		value, latency = append(value, int64(run.Search.Value)), append(latency, objective)
		rate, bytes = append(rate, work.MilliIOPS), append(bytes, work.BytesPerSecond)
	}
	return &v1alpha1.SearchFigures{
		Value: rangeOf(value), MilliIOPS: rangeOf(rate), BytesPerSecond: rangeOf(bytes), ObjectiveNanoseconds: rangeOf(latency),
	}
}

// rangeOf returns the range of at least one value.
func rangeOf(all []int64) v1alpha1.Range {
	s := analysis.StatisticOf(all)
	return v1alpha1.Range{Median: s.Median, Min: s.Min, Max: s.Max}
}

// measured returns the steps that have a result.
func (f *finding) measured() []*v1alpha1.Run {
	return slices.DeleteFunc(slices.Concat(f.repetitions...), func(run *v1alpha1.Run) bool { return run.Result == nil })
}

// most returns the step that moved most, nil if none has a result. Of steps that moved as much, but for a hundredth, it is the one with the lowest load:
// more load only waits longer.
func (f *finding) most() *v1alpha1.Run {
	const alike = 0.99
	most := mostOf(f.measured())
	steps := slices.DeleteFunc(f.measured(), func(run *v1alpha1.Run) bool { return throughput(run.Result) < alike*most })
	if len(steps) == 0 {
		return nil
	}
	return slices.MinFunc(steps, func(a, b *v1alpha1.Run) int { return cmp.Compare(a.Search.Value, b.Search.Value) })
}

// mostOf is the highest throughput of steps.
func mostOf(steps []*v1alpha1.Run) float64 {
	most := 0.0
	for _, run := range steps {
		most = max(most, throughput(run.Result))
	}
	return most
}

// saturation returns what the step did that moved most, nil if it is not known to be all that the storage does: no higher load was tried, and it moved
// clearly more than half of the load did.
func (f *finding) saturation() *v1alpha1.SearchFigures {
	most := f.most()
	if most == nil {
		return nil
	}
	isHigher := func(run *v1alpha1.Run) bool { return run.Search.Value > most.Search.Value }
	lower := slices.DeleteFunc(f.measured(), func(run *v1alpha1.Run) bool { return run.Search.Value > most.Search.Value/factor })
	if !slices.ContainsFunc(f.measured(), isHigher) && throughput(most.Result) >= (1+growing)*mostOf(lower) {
		return nil
	}
	return f.figures(most)
}

// message says what was found in a sentence.
func (f *finding) message(r *v1alpha1.SearchResult) string {
	metric, limit, _ := expectation.Budget(f.search.Objective.Metric, f.search.Objective.Max)
	switch r.Outcome {
	case v1alpha1.SearchSearching:
		return ""
	case v1alpha1.SearchFailed:
		if f.failed == 0 {
			return "the benchmark ended before the search did"
		}
		return "a run of the search failed"
	case v1alpha1.SearchMinBeyond:
		return fmt.Sprintf("not even %s %d keeps %s <= %s: %s", f.search.Vary, ConfigOf(f.search).Min, metric, metric.Text(limit), f.lowest(metric)) + f.doubts()
	default:
	}
	text := "no load was found"
	if a := r.Answer; a != nil {
		text = fmt.Sprintf("%s IOPS at %s <= %s (%s %s)", humanize.Milli(a.MilliIOPS.Median), metric, metric.Text(limit), f.search.Vary, rangeText(a.Value))
	}
	switch r.Outcome {
	case v1alpha1.SearchMixed:
		text += fmt.Sprintf(", in %d of %d repetitions", len(f.answers), len(f.repetitions))
	case v1alpha1.SearchMaxWithin:
		return text + fmt.Sprintf(": search.max %d is within the budget, raise it to find more", f.search.Max) + f.doubts()
	default:
	}
	if s := r.Saturation; s != nil {
		text += "; at saturation " + ratesText(s, metric)
	} else if most := f.most(); most != nil && most.Search.Value == f.search.Max {
		text += fmt.Sprintf("; no saturation: %s at search.max %d, raise it to find that", ratesText(f.figures(most), metric), f.search.Max)
	}
	return text + f.doubts()
}

// doubts says why the answer may not be one, "" if nothing says so.
func (f *finding) doubts() string {
	doubts := ""
	if slices.ContainsFunc(f.decisive(), func(run *v1alpha1.Run) bool { return run.Result.SteadyState != nil && !run.Result.SteadyState.Attained }) {
		doubts = "; not steady"
	}
	if slices.ContainsFunc(f.ended, func(a Answer) bool { return !a.Confirmed }) {
		doubts += "; not confirmed, because loads that were measured again gave other answers"
	}
	return doubts
}

// decisive are the runs that say what was found: the answers, or, where no load was found, all that were beyond the budget.
func (f *finding) decisive() []*v1alpha1.Run {
	if len(f.answers) > 0 {
		return f.answers
	}
	return f.measured()
}

// lowest is the latency at the lowest load.
func (f *finding) lowest(metric expectation.Metric) string {
	for _, run := range f.repetitions[0] {
		if run.Result != nil {
			return metric.Text(f.figures(run).ObjectiveNanoseconds.Median)
		}
	}
	return "unknown"
}

// ratesText is such as "3000 IOPS and 21 ms".
func ratesText(f *v1alpha1.SearchFigures, metric expectation.Metric) string {
	return fmt.Sprintf("%s IOPS and %s", humanize.Milli(f.MilliIOPS.Median), metric.Text(f.ObjectiveNanoseconds.Median))
}

// rangeText is a load, and where repetitions found others, between what they lie.
func rangeText(r v1alpha1.Range) string {
	if ptr.Equal(r.Min, r.Max) {
		return fmt.Sprint(r.Median)
	}
	return fmt.Sprintf("%d, %d to %d", r.Median, *r.Min, *r.Max)
}
