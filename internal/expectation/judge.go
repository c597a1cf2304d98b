package expectation

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/preset"
)

// Verdict says whether results are as expected.
type Verdict int

// The verdicts on findings.
const (
	// Unknown is the verdict where something was not measured, or where figures that were measured do not tell.
	Unknown Verdict = iota
	Met
	Missed
)

// Name is the verdict in one word, for programs.
func (v Verdict) Name() string {
	switch v {
	case Met:
		return "Met"
	case Missed:
		return v1alpha1.ReasonNotMet
	default:
		return v1alpha1.ReasonNotMeasured
	}
}

// Finding is what results say of one rule: those of a workload, one choice of its matrix and one section on one target.
type Finding struct {
	Rule Rule
	// Target, Workload, Parameters and Section say which results they are. Workload is "" if no workload has any.
	Target, Workload string
	Parameters       map[string]string
	Section          string
	Verdict          Verdict
	// Runs is how many runs were to be made, Values what those measured that have the metric, in their order. IOPS are in thousandths: Metric.Whole.
	Runs   int
	Values []int64
	// Figures are the statistic of Values, Baseline the one of the baseline's with a ratio, in the same unit.
	Figures, Baseline *v1alpha1.Statistic
	// Doubt says why figures that were measured do not tell whether the rule is met. It is "" with another verdict than Unknown.
	Doubt string
	// Warned are the warnings of these runs by which their figures can be better than the storage is, and with a ratio those of the baseline's runs
	// by which they can be worse.
	Warned []string
	// ratioInterval is the one in which the ratio to the baseline's lies, nil where that is not known. baselineRuns is how many of the baseline's
	// runs have the metric.
	ratioInterval *interval
	baselineRuns  int
	// sync is what the workload calls to sync.
	sync string
}

// interval is one of at least 95 %.
type interval struct{ low, high float64 }

// series are the results of the repetitions of a run.
type series struct {
	target, workload, section string
	parameters                map[string]string
	runs                      int
	results                   []*v1alpha1.Result
	// bounds are what held the results back, nil where that is not known.
	bounds []*v1alpha1.LimitedBy
	// warned are the warnings of the runs that flatter, or spoil what they say.
	warned []string
	// parts are what partsOf has returned, nil before.
	parts map[string]bool
}

// isRepeatedBy says whether a run is of the series. Of a search that are all its steps, of which one stands for it.
func (s *series) isRepeatedBy(run *v1alpha1.Run) bool {
	return run.IsCase(s.target, s.workload, s.parameters)
}

// counterpart says whether the other series is the same on another target.
func (s *series) counterpart(other *series) bool {
	return s.workload == other.workload && s.section == other.section && maps.Equal(s.parameters, other.parameters)
}

// Judge returns what the runs of a benchmark say of all that is expected of it, in the order of the rules.
func Judge(spec *v1alpha1.StorageBenchmarkSpec, status *v1alpha1.StorageBenchmarkStatus) []Finding {
	j := judge{spec: fio.Inherit(preset.Pin(spec, status.Presets)), baseline: baseline(spec), all: seriesOf(status)}
	j.rules = rules(j.spec)
	var findings []Finding
	for i := range j.rules {
		found := j.findings(&j.rules[i])
		findings = append(findings, found...)
		findings = append(findings, j.missing(&j.rules[i], found)...)
	}
	return findings
}

// Told returns what Judge does of a benchmark of which the operator has said whether it is as expected, and nothing before: a median over some
// of the repetitions is another one.
func Told(sb *v1alpha1.StorageBenchmark) []Finding {
	if sb.Status.Condition(v1alpha1.ConditionExpectationsMet).Status == "" {
		return nil
	}
	return Judge(&sb.Spec, &sb.Status)
}

// Show returns what the runs of a workload measured of metrics, about which nothing is expected. The verdicts say nothing.
func Show(spec *v1alpha1.StorageBenchmarkSpec, status *v1alpha1.StorageBenchmarkStatus, workload string, metrics []string) []Finding {
	j := judge{spec: fio.Inherit(preset.Pin(spec, status.Presets)), baseline: baseline(spec), all: seriesOf(status)}
	var shown []Finding
	for _, name := range metrics {
		if m, known := FindMetric(name); known {
			shown = append(shown, j.findings(&Rule{Workload: workload, Metric: m})...)
		}
	}
	return shown
}

func baseline(spec *v1alpha1.StorageBenchmarkSpec) string {
	if len(spec.Targets) == 0 {
		return ""
	}
	return ptr.Deref(spec.Baseline, spec.Targets[0].Name)
}

// judge is what is looked at to find out what results say.
type judge struct {
	spec     *v1alpha1.StorageBenchmarkSpec
	baseline string
	rules    []Rule
	all      []series
}

// findings returns what the results say of one rule.
func (j *judge) findings(r *Rule) []Finding {
	var findings []Finding
	for i := range j.all {
		s := &j.all[i]
		if !j.isAbout(r, s.target, s.workload) || j.prevails(r, s.target, s.workload) {
			continue
		}
		f := Finding{
			Rule: *r, Target: s.target, Workload: s.workload, Parameters: s.parameters, Section: s.section,
			Runs: s.runs, Values: valuesOf(r.Metric, s.results), Warned: r.Metric.concernedBy(s.warned, s.results), sync: j.syncCall(s.workload),
		}
		if len(f.Values) == 0 && !j.measures(r, s) {
			continue // such as reads of a case that only writes
		}
		j.decide(&f, s)
		findings = append(findings, f)
	}
	return findings
}

// isAbout says whether a rule is about a workload on a target.
func (j *judge) isAbout(r *Rule, target, workload string) bool {
	if r.Ratio > 0 && target == j.baseline {
		return false
	}
	return (r.Target == "" || r.Target == target) && (r.Workload == "" || r.Workload == workload)
}

// prevails says whether the spec itself expects something of what a preset's rule is about, which then holds instead.
func (j *judge) prevails(r *Rule, target, workload string) bool {
	return r.Preset != "" && slices.ContainsFunc(j.rules, func(own Rule) bool {
		return own.Preset == "" && own.Ratio == 0 && own.Metric == r.Metric && j.isAbout(&own, target, workload)
	})
}

// missing returns a finding for each target that a rule is about, and of which nothing is found.
func (j *judge) missing(r *Rule, found []Finding) []Finding {
	var unknown []Finding
	for i := range j.spec.Targets {
		name := j.spec.Targets[i].Name
		if j.isAbout(r, name, r.Workload) && !j.prevails(r, name, r.Workload) && !slices.ContainsFunc(found, func(f Finding) bool { return f.Target == name }) {
			unknown = append(unknown, Finding{Rule: *r, Target: name, Workload: r.Workload, sync: j.syncCall(r.Workload)})
		}
	}
	return unknown
}

// decide holds the median to the rule. What misses by the runs that there are is missed, whatever the others would have been, if it is the storage
// that they show. What meets is met only if nothing speaks against it.
func (j *judge) decide(f *Finding, s *series) {
	if len(f.Values) == 0 {
		return
	}
	f.Figures = new(analysis.StatisticOf(f.Values))
	var base *series
	if f.Rule.Ratio > 0 {
		base = j.baselineOf(s)
		if f.Doubt = f.compare(s, base); f.Doubt != "" {
			return
		}
	}
	missed := f.misses(f.Figures.Median)
	if f.Doubt = heldBack(f.Rule.Metric, s, base, missed); f.Doubt != "" {
		return
	}
	if missed {
		f.Verdict = Missed
		return
	}
	if f.Doubt = doubt(f.Rule.Metric, s, base); f.Doubt == "" {
		f.Verdict = Met
	}
}

// compare notes what the baseline measured of the same. It says why there is no ratio to that, "" if there is one.
func (f *Finding) compare(s, base *series) string {
	var values []int64
	if base != nil {
		values = valuesOf(f.Rule.Metric, base.results)
	}
	if len(values) == 0 {
		return "the baseline has no results of it"
	}
	f.Baseline, f.baselineRuns = new(analysis.StatisticOf(values)), len(values)
	f.Warned = withBaseline(f.Warned, base)
	if f.Baseline.Median == 0 {
		return "the baseline's is 0, and a ratio to 0 says nothing"
	}
	if f.Rule.Metric.isPercentile() && v1alpha1.IsMedianBeyondHistogram(values) {
		return restsBeyond(" of the baseline")
	}
	buckets := max(f.Rule.Metric.bucketPercent(s.results), f.Rule.Metric.bucketPercent(base.results))
	if low, high, known := analysis.RatioInterval(f.Values, values, buckets); known {
		f.ratioInterval = &interval{low, high}
	}
	return ""
}

// misses says whether a value in grains is not what is expected.
func (f *Finding) misses(value int64) bool {
	limit := f.Rule.leastKept()
	if f.Baseline != nil {
		limit = f.Rule.Ratio * float64(f.Baseline.Median)
	}
	return f.Rule.Metric.isWorse(float64(value), limit)
}

// rounding is by which part of itself a limit may differ from what it is in decimals: 0.07 times 100 is a little more than 7.
const rounding = 1e-12

// isWorse says whether a figure is on the wrong side of a limit.
func (m Metric) isWorse(figure, limit float64) bool {
	if m.lessIsBetter() {
		return figure > limit*(1+rounding)
	}
	return figure < limit*(1-rounding)
}

// baselineOf returns the same of the baseline, nil if there is none.
func (j *judge) baselineOf(s *series) *series {
	for i := range j.all {
		if b := &j.all[i]; b.target == j.baseline && b.counterpart(s) {
			return b
		}
	}
	return nil
}

// syncCall returns what a workload calls to sync, for people.
func (j *judge) syncCall(workload string) string {
	for i := range j.spec.Workloads {
		if j.spec.Workloads[i].Name != workload {
			continue
		}
		if w, err := preset.Expand(&j.spec.Workloads[i]); err == nil && w.Fio != nil && ptr.Deref(w.Fio.Fdatasync, 0) > 0 {
			return "fdatasync"
		}
	}
	return "fsync"
}

// valuesOf returns a metric of the results that have it.
func valuesOf(m Metric, results []*v1alpha1.Result) []int64 {
	var values []int64
	for _, r := range results {
		if value, ok := m.Of(r); ok {
			values = append(values, value)
		}
	}
	return values
}

// seriesOf returns the results by what they are of, in the order in which that first occurs.
func seriesOf(status *v1alpha1.StorageBenchmarkStatus) []series {
	var all []series
	for i := range status.Runs {
		run := &status.Runs[i]
		if slices.ContainsFunc(all, func(s series) bool { return s.isRepeatedBy(run) }) {
			continue
		}
		all = append(all, repetitionsOf(run, status.Runs[i:], warnedOf(run, status))...)
	}
	return all
}

// repetitionsOf returns the results of a run and of those after it that repeat it: one series for each section, and one without results
// if there are none.
func repetitionsOf(first *v1alpha1.Run, runs []v1alpha1.Run, warned []string) []series {
	empty := series{target: first.Target, workload: first.Workload, parameters: first.Case(), warned: warned}
	var sections []series
	add := func(section string, r *v1alpha1.Result, bound *v1alpha1.LimitedBy) {
		at := slices.IndexFunc(sections, func(s series) bool { return s.section == section })
		if at < 0 {
			at = len(sections)
			sections = append(sections, empty)
			sections[at].section = section
		}
		sections[at].results, sections[at].bounds = append(sections[at].results, r), append(sections[at].bounds, bound)
	}
	for i := range runs {
		run := &runs[i]
		if !empty.isRepeatedBy(run) {
			continue
		}
		if run.Search == nil || run.Search.Step == 1 {
			empty.runs++
		}
		if !run.Stands() {
			continue
		}
		for measured := range run.Measured() {
			add(measured.Name, &measured.Result, boundOf(run, measured))
		}
	}
	for _, result := range analysis.WithoutAnswer(runs, empty.isRepeatedBy) {
		add("", result, nil)
	}
	if len(sections) == 0 {
		return []series{empty}
	}
	for i := range sections {
		sections[i].runs = empty.runs
	}
	return sections
}

// boundOf returns what held a result back. The rate that a search has found is not what the workload asks for: a higher one is beyond the budget.
func boundOf(run *v1alpha1.Run, measured *v1alpha1.SectionResult) *v1alpha1.LimitedBy {
	if run.Search != nil && measured.LimitedBy != nil && measured.LimitedBy.Reason == v1alpha1.BoundWorkloadRate {
		return nil
	}
	return boundOnNode(run, measured.LimitedBy)
}

// parametersText is a choice of a matrix for people, such as "bs=4k rw=read".
func parametersText(parameters map[string]string) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		texts = append(texts, name+"="+parameters[name])
	}
	return strings.Join(texts, " ")
}
