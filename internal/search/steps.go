package search

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
)

// rateShare is the part of max with which a search for a rate begins: a few I/Os a second have no percentiles.
const rateShare = 64

// keptPercent is how much of its rate storage has to do to keep up, but for one I/O a second: fio keeps rates of thousands to one in a thousand, and a busy node may cost it a hundredth.
const keptPercent = 98

// ConfigOf returns what a search may do.
func ConfigOf(s *v1alpha1.LoadSearch) Config {
	lowest := int32(1)
	if s.Vary == v1alpha1.VaryRateIOPS {
		lowest = max(s.Max/rateShare, 1)
	}
	return Config{Min: ptr.Deref(s.Min, lowest), Max: s.Max}
}

// Steps are the runs of one search, in their order.
type Steps []*v1alpha1.Run

// Of returns the searches that runs belong to, in the order in which they begin.
func Of(runs []v1alpha1.Run) []Steps {
	var all []Steps
	for i := range runs {
		run := &runs[i]
		if run.Search == nil {
			continue
		}
		at := slices.IndexFunc(all, func(s Steps) bool { return s[0].Repetition == run.Repetition && s.isAbout(run) })
		if at < 0 {
			all = append(all, Steps{run})
			continue
		}
		all[at] = append(all[at], run)
	}
	return all
}

// isAbout says whether a run is of the same search, or of a repetition of it.
func (s Steps) isAbout(run *v1alpha1.Run) bool {
	return s[0].Target == run.Target && s[0].Workload == run.Workload && maps.Equal(s[0].Case(), run.Case())
}

// Waits says whether the search has to be told what comes next: a step waits for a load, or none is left.
func (s Steps) Waits() bool {
	for _, run := range s {
		if !run.HasEnded() {
			return run.State == v1alpha1.RunPending && run.Search.Value == 0
		}
	}
	return true
}

// isTaken says whether an answer was taken note of: no step waits, and one stands for the search, if the answer is a load.
func (s Steps) isTaken(a Answer) bool {
	return s[len(s)-1].HasEnded() && (a.Value == 0 || s.answer() != nil)
}

// answer returns the step that stands for the search, nil if none does.
func (s Steps) answer() *v1alpha1.Run {
	i := slices.IndexFunc(s, func(run *v1alpha1.Run) bool { return run.Search.Verdict == v1alpha1.SearchAnswer })
	if i < 0 {
		return nil
	}
	return s[i]
}

// HasFailed says whether a step has ended without a result. Without it nobody knows which load comes next.
func (s Steps) HasFailed() bool {
	return slices.ContainsFunc(s, func(run *v1alpha1.Run) bool { return run.State == v1alpha1.RunFailed })
}

// Next says what to do next in a search.
func (s Steps) Next(search *v1alpha1.LoadSearch) Decision {
	return Next(ConfigOf(search), s.probes(search))
}

// probes are what the steps measured.
func (s Steps) probes(search *v1alpha1.LoadSearch) []Probe {
	metric, limit, _ := expectation.Budget(search.Objective.Metric, search.Objective.Max)
	var probes []Probe
	for _, run := range s {
		if run.Result == nil {
			continue
		}
		latency, _ := metric.Of(run.Result)
		isWithin := run.Search.Verdict != v1alpha1.SearchBeyond
		probes = append(probes, Probe{
			Value: run.Search.Value, Within: isWithin, Behind: !isWithin && latency <= limit, Throughput: throughput(run.Result),
		})
	}
	return probes
}

// throughput is how much a result has done: bytes, and where none are moved, operations.
func throughput(r *v1alpha1.Result) float64 {
	if f := r.Work(); f != nil {
		return float64(cmp.Or(f.BytesPerSecond, f.MilliIOPS))
	}
	return 0
}

// Judge says whether a step's result keeps the budget. rate is how many I/Os per second were asked for, 0 if none. The error says why that cannot be known.
func Judge(search *v1alpha1.LoadSearch, r *v1alpha1.Result, rate int64) (v1alpha1.SearchVerdict, error) {
	metric, limit, err := expectation.Budget(search.Objective.Metric, search.Objective.Max)
	if err != nil {
		return "", err
	}
	if r == nil {
		return "", fmt.Errorf("a search needs one result, and the run has several")
	}
	latency, measured := metric.Of(r)
	switch {
	case !measured:
		return "", fmt.Errorf("fio reported no %s, which search.objective is about: remove options by which it takes no latencies or percentiles", metric)
	case latency > limit, (ptr.Deref(r.Work(), v1alpha1.Figures{}).MilliIOPS+1000)*100 < 1000*rate*keptPercent:
		return v1alpha1.SearchBeyond, nil
	default:
		return v1alpha1.SearchWithin, nil
	}
}

// End marks the step that stands for its search: of those that kept the budget at the answer the last one. It warns there of lower loads that did not.
func (s Steps) End(a Answer) {
	for _, run := range slices.Backward(s) {
		if a.Value != 0 && run.Search.Value == a.Value && run.Search.Verdict == v1alpha1.SearchWithin {
			run.Search.Verdict = v1alpha1.SearchAnswer
			if len(a.Violations) > 0 {
				run.Warnings = append(run.Warnings, v1alpha1.Warning{
					Reason:  v1alpha1.WarningNotMonotone,
					Message: fmt.Sprintf("%s %d keeps the budget, and %d did not", run.Search.Vary, a.Value, a.Violations[0]),
				})
			}
			return
		}
	}
}

// Text is a load as fio is told it.
func Text(value int32) string { return strconv.Itoa(int(value)) }
