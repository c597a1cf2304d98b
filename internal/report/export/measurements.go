// Package export prints benchmarks, histories and comparisons for programs: CSV, JSON, JUnit and OpenMetrics.
package export

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Measurement is one operation of a run, or of a section of its job file: a row of the CSV and an element of the JSON. A run
// without a result has one without figures. Fields that the API has as well mean what they mean there.
type Measurement struct {
	Run        string            `json:"run"`
	Workload   string            `json:"workload"`
	Section    string            `json:"section,omitempty"`
	Target     string            `json:"target"`
	Parameters map[string]string `json:"parameters,omitempty"`
	Repetition int32             `json:"repetition,omitempty"`
	// Clients is the number of clients that measured together, at least 1.
	Clients        int32             `json:"clients"`
	State          v1alpha1.RunState `json:"state"`
	Attempts       int32             `json:"attempts,omitempty"`
	StartTime      *metav1.Time      `json:"startTime,omitempty"`
	CompletionTime *metav1.Time      `json:"completionTime,omitempty"`
	Message        string            `json:"message,omitempty"`
	// Search is what the run is to a search; nil if it is of none.
	Search *v1alpha1.RunSearch `json:"search,omitempty"`

	FioVersion            string              `json:"fioVersion,omitempty"`
	ElapsedMilliseconds   int64               `json:"elapsedMilliseconds,omitempty"`
	CommonMilliseconds    int64               `json:"commonMilliseconds,omitempty"`
	StartSkewMilliseconds *int64              `json:"startSkewMilliseconds,omitempty"`
	CPU                   *v1alpha1.CPUResult `json:"cpu,omitempty"`
	LimitedBy             *v1alpha1.LimitedBy `json:"limitedBy,omitempty"`
	Warnings              []v1alpha1.Warning  `json:"warnings,omitempty"`
	// Counters and Exceeded are those of the whole run.
	Counters *v1alpha1.StorageCounters `json:"counters,omitempty"`
	Exceeded *v1alpha1.ExceededLimits  `json:"exceeded,omitempty"`
	NodeLoad *v1alpha1.NodeLoad        `json:"nodeLoad,omitempty"`
	// VolumeStatistics are those of the whole run.
	VolumeStatistics *v1alpha1.VolumeStatistics `json:"volumeStatistics,omitempty"`

	// Figures are those of one operation. Nil of a run without a result.
	Figures *v1alpha1.Figures `json:"figures,omitempty"`
}

// measurementsOf returns all that was measured, in the order of the runs.
func measurementsOf(status *v1alpha1.StorageBenchmarkStatus) []Measurement {
	all := []Measurement{}
	for i := range status.Runs {
		run := &status.Runs[i]
		before := len(all)
		for measured := range run.Measured() {
			all = append(all, ofResult(run, measured.Name, &measured.Result, measured.LimitedBy)...)
		}
		if len(all) == before {
			all = append(all, ofRun(run))
		}
	}
	return all
}

// ofRun returns what is to be said of a run without its results.
func ofRun(run *v1alpha1.Run) Measurement {
	return Measurement{
		Run: run.Name, Workload: run.Workload, Target: run.Target, Parameters: run.Parameters, Repetition: run.Repetition, Clients: run.ClientCount(),
		State: run.State, Attempts: run.Attempts, Search: run.Search, StartTime: run.StartTime, CompletionTime: run.CompletionTime, Message: run.Message, Warnings: run.Warnings, Counters: run.Counters, Exceeded: run.Exceeded, NodeLoad: run.NodeLoad, VolumeStatistics: run.VolumeStatistics,
	}
}

// ofResult returns the figures of a result of a run.
func ofResult(run *v1alpha1.Run, section string, result *v1alpha1.Result, limitedBy *v1alpha1.LimitedBy) []Measurement {
	m := ofRun(run)
	m.Section, m.FioVersion, m.ElapsedMilliseconds = section, result.FioVersion, result.ElapsedMilliseconds
	m.CommonMilliseconds, m.StartSkewMilliseconds, m.CPU, m.LimitedBy = result.CommonMilliseconds, result.StartSkewMilliseconds, result.CPU, limitedBy
	var all []Measurement
	for i := range result.Figures {
		m.Figures = &result.Figures[i]
		all = append(all, m)
	}
	return all
}

// ComparedIO is one operation of a target, or total, over its repetitions and beside the baseline.
type ComparedIO struct {
	Workload   string            `json:"workload"`
	Section    string            `json:"section,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
	// Benchmark is where two are compared.
	Benchmark string `json:"benchmark,omitempty"`
	Target    string `json:"target"`
	// Runs is the number of results that the figures are of.
	Runs int32 `json:"runs"`
	// Verdict is the one that counts; the baseline itself has none.
	Verdict v1alpha1.Verdict `json:"verdict,omitempty"`
	// Warnings are what may mislead about these figures.
	Warnings []v1alpha1.Warning `json:"warnings,omitempty"`

	Figures *v1alpha1.FiguresComparison `json:"figures"`
}

// comparedIO returns the comparisons operation by operation. nameOf returns the benchmark's name of the target that is
// so many behind the first of its comparison, "" if there is only one benchmark.
func comparedIO(comparisons []v1alpha1.Comparison, nameOf func(int) string) []ComparedIO {
	all := []ComparedIO{}
	for i := range comparisons {
		c := &comparisons[i]
		for j := range c.Targets {
			t := &c.Targets[j]
			for k := range t.Figures {
				f := &t.Figures[k]
				all = append(all, ComparedIO{
					Workload: c.Workload, Section: c.Section, Parameters: c.Parameters, Benchmark: nameOf(j), Target: t.Name,
					Runs: t.Runs, Verdict: f.Verdict(), Warnings: t.Warnings, Figures: f,
				})
			}
		}
	}
	return all
}
