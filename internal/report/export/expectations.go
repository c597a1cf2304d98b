package export

import (
	"github.com/storagebench/storagebench/internal/expectation"
)

// Expected is an expectation and what was measured, for programs.
type Expected struct {
	Workload   string            `json:"workload"`
	Target     string            `json:"target"`
	Parameters map[string]string `json:"parameters,omitempty"`
	Section    string            `json:"section,omitempty"`
	// Preset is the version of the preset that expects it, "" if the spec itself does.
	Preset string `json:"preset,omitempty"`
	// Metric is such as sync.p99. Of latencies Limit is the most that is good enough, of others the least.
	Metric string `json:"metric"`
	// Limit is in nanoseconds, I/Os per second or bytes per second, with up to three decimals; null with RatioToBaseline, which is a multiple of the baseline's.
	Limit           *float64 `json:"limit"`
	RatioToBaseline *float64 `json:"ratioToBaseline,omitempty"`
	// Median is the one of the repetitions, in the unit of Limit; null if nothing was measured.
	Median         *float64 `json:"median"`
	BaselineMedian *float64 `json:"baselineMedian,omitempty"`
	// Verdict is Met, NotMet or NotMeasured, also where a median does not tell. Message says it in words.
	Verdict string `json:"verdict"`
	Message string `json:"message"`
}

// expectedOf returns the expectations of a benchmark for programs.
func expectedOf(findings []expectation.Finding) []Expected {
	all := make([]Expected, len(findings))
	for i := range findings {
		f := &findings[i]
		all[i] = Expected{
			Workload: f.Workload, Target: f.Target, Parameters: f.Parameters, Section: f.Section, Preset: f.Rule.Preset,
			Metric: f.Rule.Metric.String(), Verdict: f.Verdict.Name(), Message: f.String(),
		}
		if f.Rule.Ratio > 0 {
			all[i].RatioToBaseline = &f.Rule.Ratio
		} else {
			all[i].Limit = new(f.Rule.Metric.Number(f.Rule.Limit))
		}
		if f.Figures != nil {
			all[i].Median = new(f.Rule.Metric.Number(f.Figures.Median))
		}
		if f.Baseline != nil {
			all[i].BaselineMedian = new(f.Rule.Metric.Number(f.Baseline.Median))
		}
	}
	return all
}
