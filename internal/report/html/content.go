package html

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/preset"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
	"github.com/storagebench/storagebench/internal/series"
)

// content is all that the page shows, in its order.
type content struct {
	assets

	Name, Namespace string
	State           state
	// Answers are those that the spec asks for: expectations that are missed or undecided, and what searches found.
	Answers      []answer
	Facts        []fact
	Cards        []card
	Expectations table
	Warnings     []warning
	Metrics      []metric
	Workloads    []workload
	Provisioned  []provisioned
	Failures     table
	Abandoned    table
	Runs         table
	Manifest     string
}

// state is how far the benchmark is, or how it ended.
type state struct {
	Text, Message string
	// Class is a class of style.css.
	Class string
	// Answer tells whether the results are as expected, with a class of its own; "" where nothing is expected.
	Answer, AnswerClass string
}

// warning is a kind of warning, its first message, and what to do about it.
type warning struct {
	Reason, Results, Message, Remedy string
}

// metric is what a reader can choose to see in bars and scaling curves.
type metric struct{ Name, Label string }

// workload is what fio did, and what came of it.
type workload struct {
	Name, Pattern string
	Job           string
	Bars, Scaling []figure
	Table         table
	OverTime      overTime
	Latencies     []figure
	Loads         []figure
}

// newContent collects what the page shows of a benchmark.
func newContent(sb *v1alpha1.StorageBenchmark, over map[string]*series.Series) (*content, error) {
	manifest, err := wording.Manifest(sb)
	if err != nil {
		return nil, err
	}
	r := newResults(sb)
	r.series = over
	c := &content{
		assets: newAssets(), Name: sb.Name, Namespace: sb.Namespace, State: stateOf(sb), Answers: answersOf(sb), Facts: factsOf(sb), Cards: r.cards(),
		Expectations: r.expectationsTable(), Warnings: warningsOf(sb), Provisioned: r.provisioned(), Failures: r.failuresTable(), Abandoned: r.abandonedTable(), Runs: r.runsTable(),
		Metrics:  []metric{{metricIOPS, "IOPS"}, {metricBandwidth, "Bandwidth"}, {metricP99, "P99 latency"}},
		Manifest: string(manifest),
	}
	spec := fio.Inherit(preset.Pin(&sb.Spec, sb.Status.Presets))
	for i := range spec.Workloads {
		if w := r.workload(&spec.Workloads[i]); len(w.Table.Rows) > 0 || len(w.Loads) > 0 {
			c.Workloads = append(c.Workloads, w)
		}
	}
	return c, nil
}

// workload returns what fio did in a workload and what came of it.
func (r *results) workload(w *v1alpha1.Workload) workload {
	out := workload{Name: w.Name, Pattern: wording.Upper(wording.Pattern(w)), Job: wording.JobFile(w), Table: r.comparisonTable(w.Name), OverTime: r.overTime(w.Name)}
	for _, d := range measured {
		if f := r.bars(w.Name, d); f != nil {
			out.Bars = append(out.Bars, *f)
		}
	}
	out.Loads = r.loads(w.Name)
	for _, s := range r.sweeps(w.Name) {
		for _, d := range measured {
			if f := r.scaling(w.Name, s, d); f != nil {
				out.Scaling = append(out.Scaling, *f)
			}
		}
	}
	for _, c := range r.of(w.Name) {
		for _, d := range measured {
			if f := r.latencies(c, d); f != nil {
				out.Latencies = append(out.Latencies, *f)
			}
		}
	}
	return out
}

// stateOf says how the benchmark ended, or which step it is at.
func stateOf(sb *v1alpha1.StorageBenchmark) state {
	succeeded := sb.Status.Condition(v1alpha1.ConditionSucceeded)
	if succeeded.Status == "" {
		return state{Text: "Not begun", Class: "unsure"}
	}
	s := state{Text: succeeded.Reason, Message: succeeded.Message, Class: "unsure"}
	s.Answer, s.AnswerClass = expected(expectation.Told(sb))
	switch succeeded.Status {
	case metav1.ConditionTrue:
		s.Class, s.Message = "faster", "" // which says how many runs there were, as the facts do
	case metav1.ConditionFalse:
		s.Class = "slower"
	default:
	}
	return s
}

// answer is an answer in one line, with what it is about before it.
type answer struct{ About, Text string }

// answersOf returns what the spec asks for: the first expectations that are not met, and what each search found.
func answersOf(sb *v1alpha1.StorageBenchmark) []answer {
	const most = 8
	var all []answer
	findings := expectation.Told(sb)
	for i := range findings {
		if f := &findings[i]; f.Verdict != expectation.Met {
			all = append(all, answer{f.Answer(), f.String()})
		}
	}
	if more := len(all) - most; more > 0 {
		all = append(all[:most], answer{fmt.Sprintf("%d more", more), "see the table of expectations"})
	}
	for _, line := range wording.Searches(sb.Status.Searches) {
		all = append(all, answer{"Highest load", line})
	}
	return all
}

// factsOf returns what is to be known of the benchmark as a whole.
func factsOf(sb *v1alpha1.StorageBenchmark) []fact {
	status := &sb.Status
	when := wording.Minute(status.StartTime)
	if d := wording.Took(status.StartTime, status.CompletionTime); d != "" {
		when += ", " + d
	}
	progress := ""
	if status.PlannedRuns > 0 {
		progress = fmt.Sprintf("%d of %d", status.FinishedRuns, status.PlannedRuns)
		if n := sb.Spec.Repetitions; n != nil && *n > 1 {
			progress += fmt.Sprintf(", each %d times", *n)
		}
	}
	var nodes []string
	for i := range status.Targets {
		for _, v := range status.Targets[i].Volumes {
			nodes = append(nodes, strings.TrimSpace(v.InstanceType+" "+v.Zone))
		}
	}
	for _, a := range status.Anchors {
		if len(nodes) == 0 {
			nodes = append(nodes, a.InstanceType)
		}
	}
	facts := []fact{{"When", when}, {"Runs", progress}, {"Measured from", distinct(nodes)}, {"Measured with", strings.Join(cases.FioVersions(status), ", ")}}
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Text == "" })
}

// distinct joins texts that are not empty, each once, in their order.
func distinct(texts []string) string {
	slices.Sort(texts)
	texts = slices.DeleteFunc(slices.Compact(texts), func(s string) bool { return s == "" })
	return strings.Join(texts, ", ")
}

// warningsOf returns what may mislead, with what to do about it.
func warningsOf(sb *v1alpha1.StorageBenchmark) []warning {
	var all []warning
	for _, w := range sb.Status.Warnings {
		all = append(all, warning{w.Reason, humanize.Plural(int(w.Results), "result"), w.Message, wording.Upper(w.Remedy)})
	}
	return all
}
