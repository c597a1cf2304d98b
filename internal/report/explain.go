package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// Explain says in sentences what a benchmark means: for each comparison and target what was measured, what came out, what held
// it back, how sure that is, and what to try next; then what became of runs without a result. With the name of a run it
// says this of that run alone, and returns an error if there is none of that name.
func Explain(w io.Writer, sb *v1alpha1.StorageBenchmark, run string, style Style) error {
	e, err := explanationOf(sb, run, style)
	if err == nil {
		e.w = w
		e.print()
	}
	return err
}

// Explanation returns what Explain prints, for programs.
func Explanation(sb *v1alpha1.StorageBenchmark, run string) ([]Paragraph, error) {
	e, err := explanationOf(sb, run, Style{})
	if err != nil {
		return nil, err
	}
	return e.paragraphs(), nil
}

func explanationOf(sb *v1alpha1.StorageBenchmark, run string, style Style) (*explanation, error) {
	e := &explanation{sb: sb, style: style, probes: map[string]bool{}}
	if run == "" {
		e.all()
		return e, nil
	}
	for i := range sb.Status.Runs {
		if sb.Status.Runs[i].Name == run {
			e.run(&sb.Status.Runs[i])
			return e, nil
		}
	}
	var names []string
	for i := range sb.Status.Runs {
		names = append(names, sb.Status.Runs[i].Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("run %q: %s has no runs yet", run, sb.Name)
	}
	return nil, fmt.Errorf("run %q: %s has %s", run, sb.Name, humanize.Few(names, 12))
}

// explanation is being printed.
type explanation struct {
	w     io.Writer
	sb    *v1alpha1.StorageBenchmark
	style Style
	parts []part
	// probes says of workloads whether they can be probed, as far as it was asked.
	probes map[string]bool
}

// subject is what one part of an explanation is about: results of a target.
type subject struct {
	workload   *v1alpha1.Workload
	section    string
	parameters map[string]string
	target     string
	clients    int32
	outcomes   []cases.Outcome
}

// all explains the whole benchmark.
func (e *explanation) all() {
	status := &e.sb.Status
	e.answers()
	for i, occurrence := range cases.Occurrences(status.Comparisons) {
		c := &status.Comparisons[i]
		for j := range c.Targets {
			e.compared(c, &c.Targets[j], occurrence)
		}
	}
	e.share()
	for i := range status.Runs {
		if status.Runs[i].State == v1alpha1.RunFailed {
			e.run(&status.Runs[i])
		}
	}
	e.outcome()
}

// answers has the answers that the spec asks for: which expectations are missed or undecided, and what searches found.
func (e *explanation) answers() {
	if findings := expectation.Told(e.sb); len(findings) > 0 {
		e.title(wording.Met(findings))
		for _, line := range unmet(findings, e.style) {
			e.say(noColumn, line)
		}
	}
	if found := wording.Searches(e.sb.Status.Searches); len(found) > 0 {
		e.title("Highest load within the latency budget")
		for _, line := range found {
			e.say(noColumn, line)
		}
	}
}

// compared explains a target's results of a comparison.
func (e *explanation) compared(c *v1alpha1.Comparison, t *v1alpha1.TargetComparison, occurrence int) {
	s := subject{
		workload: cases.Workload(&e.sb.Spec, c.Workload), section: c.Section, parameters: c.Parameters, target: t.Name,
		clients: e.sb.Spec.RunClients(c.Parameters), outcomes: cases.Outcomes(e.sb.Status.Runs, c, t.Name, occurrence),
	}
	e.title(strings.TrimSpace(cases.Name(c)+" "+wording.Parameters(c.Parameters)) + " on " + t.Name)
	e.parts[len(e.parts)-1].isCase = true
	e.say("Measured", e.measured(&s))
	for i, d := range cases.Rates(t) {
		about := "Result"
		if i > 0 {
			about = ""
		}
		e.say(about, e.figures(d, t.Runs))
	}
	if s := t.Of(v1alpha1.OperationSync); s != nil && s.MeanNanoseconds != nil {
		e.say("", e.syncs(s, t.Runs))
	}
	if total := t.Of(v1alpha1.OperationTotal); total != nil && total.MilliIOPS != nil && total.BytesPerSecond != nil {
		e.say("", fmt.Sprintf("Together %s I/Os and %s a second%s.", wording.IOPS(total.MilliIOPS.Median), perSecond(total.BytesPerSecond.Median),
			e.besideWhat(total.MilliIOPS.Multiple(), total.Verdict(), "the rate")))
	}
	e.say("Steady", steadyStateOf(&s))
	if cases.Search(&e.sb.Status, t.Name, c.Workload, c.Parameters) != nil {
		e.once("search", "Search", "The figures are those of the run that stands for the search; "+
			"kubectl storagebench report -o html has all of its runs in a chart.")
	}
	e.say("Over time", overTimeOf(&s))
	if left := cases.TargetStatus(e.sb, t.Name).BurstCredits; left != nil {
		e.once("credits of "+t.Name, "Credits", "Burst credits of "+t.Name+": "+wording.Credits(left)+".")
	}
	e.bound(cases.Bounds(s.outcomes))
	sure := append([]string{e.certainty(t)}, e.latencyCertainty(t)...)
	e.once(strings.Join(sure, " "), "How sure", sure...)
	of := slices.DeleteFunc(warningsOf(&s), func(w v1alpha1.Warning) bool { // what is said of all prevails: it has the figures
		return slices.ContainsFunc(t.Warnings, func(all v1alpha1.Warning) bool { return all.Reason == w.Reason })
	})
	e.warnings(append(of, t.Warnings...))
	e.next(cases.Bounds(s.outcomes), c.Workload, t.Of(v1alpha1.OperationMetadata) != nil)
}

// warningsOf returns the warnings of a subject's runs.
func warningsOf(s *subject) []v1alpha1.Warning {
	var all []v1alpha1.Warning
	for _, o := range s.outcomes {
		all = append(all, o.Run.Warnings...)
	}
	return all
}

// measured says what was measured, on what, from where and for how long.
func (e *explanation) measured(s *subject) string {
	target, status := cases.Target(e.sb, s.target), cases.TargetStatus(e.sb, s.target)
	what := wording.Upper(wording.Workload(s.workload, s.section, s.parameters))
	if s.clients > 1 {
		what += fmt.Sprintf(", on each of %d clients at the same time", s.clients)
	}
	what += ", on " + anA(wording.Storage(target))
	if wording.Mode(target, status) == "Block" {
		what += " as a raw block device"
	}
	if nodes := wording.Nodes(status); len(nodes) > 0 {
		what += ", from " + humanize.Few(nodes, 3)
	}
	var times []int64
	for _, o := range s.outcomes {
		if o.Result != nil && o.Result.ElapsedMilliseconds > 0 {
			times = append(times, o.Result.ElapsedMilliseconds)
		}
	}
	if len(times) > 0 {
		what += ", for " + wording.Runtime(cases.Median(times))
	}
	if len(times) > 1 {
		what += fmt.Sprintf(", %d times", len(times))
	}
	return humanize.Line(what) + "."
}

// figures says what came out in one direction.
func (e *explanation) figures(io *v1alpha1.FiguresComparison, runs int32) string {
	result := fmt.Sprintf("%s operations on files a second", wording.IOPS(io.MilliIOPS.Median))
	if io.BytesPerSecond != nil {
		result = fmt.Sprintf("%s %ss and %s a second", wording.IOPS(io.MilliIOPS.Median), io.Name, perSecond(io.BytesPerSecond.Median))
	}
	if io.P50Nanoseconds != nil && io.P99Nanoseconds != nil {
		result += percentilesInWords(io.P50Nanoseconds.Median, io.P99Nanoseconds.Median)
	}
	if runs > 1 {
		result = "In the median " + result
	}
	if io.JudgedBy != "" {
		what := "the 99th percentile"
		if io.JudgedBy == v1alpha1.JudgedByMean {
			what = "the mean latency"
		}
		return result + e.besideWhat(io.Judged().Multiple(), io.Verdict(), what) + ". Both did the rate that the workload asks for, so that the verdict is on latency."
	}
	return result + e.besideWhat(io.MilliIOPS.Multiple(), io.Verdict(), "the rate") + "."
}

// syncs says how long syncs took.
func (e *explanation) syncs(s *v1alpha1.FiguresComparison, runs int32) string {
	result := fmt.Sprintf("syncs (fsync, fdatasync) took %s each on average", wording.Latency(s.MeanNanoseconds.Median))
	what, ratio := "the mean", s.MeanNanoseconds.Multiple()
	if s.P50Nanoseconds != nil && s.P99Nanoseconds != nil {
		result += percentilesInWords(s.P50Nanoseconds.Median, s.P99Nanoseconds.Median)
		what, ratio = "the 99th percentile", s.P99Nanoseconds.Multiple()
	}
	if runs > 1 {
		result = "In the median " + result
	}
	return wording.Upper(result) + e.besideWhat(ratio, s.Verdict(), what) + "."
}

// besideWhat says how a figure is beside the baseline's, "" for the baseline itself.
func (e *explanation) besideWhat(ratio string, verdict v1alpha1.Verdict, what string) string {
	if verdict == "" && ratio == "" {
		return ""
	}
	word := ""
	switch verdict {
	case v1alpha1.VerdictFaster, v1alpha1.VerdictSlower:
		word = e.style.verdict(verdict) + ": "
	case v1alpha1.VerdictSame:
		word = "The same, within 5 %: "
	case v1alpha1.VerdictNotShown:
		word = "No difference is shown, and none is excluded: "
	case v1alpha1.VerdictTooFewRuns: // Certainty is told apart.
	}
	if ratio == "" {
		return ". " + wording.Upper(fmt.Sprintf("%s%s has no ratio to that of %s, as one of them is %s", word, what, plan.Baseline(&e.sb.Spec), noRatio))
	}
	return fmt.Sprintf(". %s%s times %s of %s", word, ratio, what, plan.Baseline(&e.sb.Spec))
}

// noRatio is what a figure is that makes no ratio with another.
const noRatio = "0 or beyond fio's histogram"

// bound says what held the results back.
func (e *explanation) bound(bounds []*v1alpha1.LimitedBy) {
	name, times := cases.MostFrequent(bounds)
	if times == 0 {
		return
	}
	head := e.style.paint(text.Bold, name)
	if times < len(bounds) {
		head += fmt.Sprintf(" in %d of %d runs", times, len(bounds))
	}
	message := humanize.Line(cases.BoundsFor(bounds, name)[0].Message)
	if message != "" {
		head += ": " + strings.TrimSuffix(message, ".")
	}
	e.say("Held back", head+".")
}

// next says what to try after results of a workload.
func (e *explanation) next(bounds []*v1alpha1.LimitedBy, workload string, isMetadata bool) {
	switch name, times := cases.MostFrequent(bounds); {
	case times == 0:
	case name == v1alpha1.BoundUnknown && isMetadata:
		e.once(name, "Next", adviceOnMetadata)
	case name == v1alpha1.BoundUnknown && e.admitsProbe(workload):
		e.once(name, "Next", Advice(name), adviceOnProbe)
	default:
		e.once(name, "Next", Advice(name))
	}
}

// admitsProbe says whether a workload has no probe, and can have one.
func (e *explanation) admitsProbe(workload string) bool {
	admits, known := e.probes[workload]
	if !known {
		admits = plan.AdmitsProbe(&e.sb.Spec, workload)
		e.probes[workload] = admits
	}
	return admits
}

// warnings says what may mislead, each kind once, and what to do about it.
func (e *explanation) warnings(all []v1alpha1.Warning) {
	seen := map[string]bool{}
	for _, warning := range all {
		if seen[warning.Reason] {
			continue
		}
		seen[warning.Reason] = true
		message := e.style.warning(warning.Reason)
		if warning.Message != "" {
			message += ": " + humanize.Line(warning.Message)
		}
		at := slices.IndexFunc(e.sb.Status.Warnings, func(s v1alpha1.WarningSummary) bool { return s.Reason == warning.Reason })
		if at >= 0 && e.sb.Status.Warnings[at].Remedy != "" {
			message += ". To do: " + humanize.Line(e.sb.Status.Warnings[at].Remedy)
		}
		e.once(warning.Reason, "But", strings.TrimSuffix(message, ".")+".")
	}
}

// perSecond prints bytes of a second.
func perSecond(bytesPerSecond int64) string {
	return strings.ReplaceAll(wording.BothBandwidths(bytesPerSecond), "/s", "")
}

// anA puts the article before a kind of storage.
func anA(what string) string {
	switch {
	case strings.HasPrefix(what, "E"), strings.HasPrefix(what, "S3"):
		return "an " + what
	case strings.HasPrefix(what, "volume"):
		return "a " + what
	default:
		return what
	}
}
