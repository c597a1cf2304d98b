package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

// Explain says in sentences what a benchmark means: for each comparison and target what was measured, what came out, what held
// it back, how sure that is, and what to try next; then what became of runs without a result. With the name of a run it
// says this of that run alone, and returns an error if there is none of that name.
func Explain(w io.Writer, sb *v1alpha1.StorageBenchmark, run string, style Style) error {
	e := &explanation{w: w, sb: sb, style: style}
	if run == "" {
		e.all()
		return nil
	}
	for i := range sb.Status.Runs {
		if sb.Status.Runs[i].Name == run {
			e.run(&sb.Status.Runs[i])
			return nil
		}
	}
	var names []string
	for i := range sb.Status.Runs {
		names = append(names, sb.Status.Runs[i].Name)
	}
	if len(names) == 0 {
		return fmt.Errorf("run %q: %s has no runs yet", run, sb.Name)
	}
	return fmt.Errorf("run %q: %s has %s", run, sb.Name, few(names, 12))
}

// explanation is being printed.
type explanation struct {
	w     io.Writer
	sb    *v1alpha1.StorageBenchmark
	style Style
	// begun says whether a part is to be set off from one before it.
	begun bool
}

// subject is what one part of an explanation is about: results of a target.
type subject struct {
	workload   *v1alpha1.Workload
	section    string
	parameters map[string]string
	target     string
	clients    int32
	outcomes   []outcome
}

// title begins a part.
func (e *explanation) title(what string) {
	if e.begun {
		fmt.Fprintln(e.w)
	}
	e.begun = true
	fmt.Fprintln(e.w, e.style.paint(text.Bold, e.style.wrap(legible.Line(what), "")))
}

// say prints what there is to say about one thing.
func (e *explanation) say(about string, sentences ...string) {
	sentences = slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
	if len(sentences) == 0 {
		return
	}
	const indent = "            "
	fmt.Fprintf(e.w, "  %-10s%s\n", about, e.style.wrap(strings.Join(sentences, " "), indent))
}

// command prints a command as one line, which can be copied.
func (e *explanation) command(about, line string) {
	fmt.Fprintf(e.w, "  %-10s%s\n", about, line)
}

// all explains the whole benchmark.
func (e *explanation) all() {
	status := &e.sb.Status
	for i, occurrence := range occurrences(status.Comparisons) {
		c := &status.Comparisons[i]
		for j := range c.Targets {
			e.compared(c, &c.Targets[j], occurrence)
		}
	}
	for i := range status.Runs {
		if status.Runs[i].State == v1alpha1.RunFailed {
			e.run(&status.Runs[i])
		}
	}
	e.outcome()
}

// compared explains a target's results of a comparison.
func (e *explanation) compared(c *v1alpha1.Comparison, t *v1alpha1.TargetComparison, occurrence int) {
	s := subject{
		workload: workloadNamed(&e.sb.Spec, c.Workload), section: c.Section, parameters: c.Parameters, target: t.Name,
		clients: e.sb.Spec.RunClients(c.Parameters), outcomes: outcomesOf(e.sb.Status.Runs, c, t.Name, occurrence),
	}
	e.title(strings.TrimSpace(workloadOf(c)+" "+parameters(c.Parameters)) + " on " + t.Name)
	e.say("Measured", e.measured(&s))
	for i, d := range directions(t) {
		about := "Result"
		if i > 0 {
			about = ""
		}
		e.say(about, e.figures(d.name, d.io, t.Runs))
	}
	if t.Sync != nil {
		e.say("", e.syncs(t.Sync, t.Runs))
	}
	if t.Total != nil {
		e.say("", fmt.Sprintf("Together %d I/Os and %s a second%s.", t.Total.IOPS.Median, perSecond(t.Total.BytesPerSecond.Median), e.beside(t.Total.IOPSRatio, t.Total.Verdict)))
	}
	e.bound(boundsOf(&s))
	e.say("How sure", e.certainty(t))
	e.warnings(append(warningsOf(&s), t.Warnings...))
	e.next(boundsOf(&s))
}

// boundsOf returns what held the results of a subject back.
func boundsOf(s *subject) []*v1alpha1.LimitedBy {
	var bounds []*v1alpha1.LimitedBy
	for _, o := range s.outcomes {
		bounds = append(bounds, o.limitedBy)
	}
	return bounds
}

// warningsOf returns the warnings of a subject's runs.
func warningsOf(s *subject) []v1alpha1.Warning {
	var all []v1alpha1.Warning
	for _, o := range s.outcomes {
		all = append(all, o.run.Warnings...)
	}
	return all
}

// measured says what was measured, on what, from where and for how long.
func (e *explanation) measured(s *subject) string {
	target, status := targetOf(e.sb, s.target), targetStatusOf(e.sb, s.target)
	what := upper(workloadInWords(s.workload, s.section, s.parameters))
	if s.clients > 1 {
		what += fmt.Sprintf(", on each of %d clients at the same time", s.clients)
	}
	what += ", on " + anA(storageOf(target))
	if modeOf(target, status) == "Block" {
		what += " as a raw block device"
	}
	if nodes := nodesOf(status); len(nodes) > 0 {
		what += ", from " + few(nodes, 3)
	}
	var times []int64
	for _, o := range s.outcomes {
		if o.result != nil && o.result.ElapsedMilliseconds > 0 {
			times = append(times, o.result.ElapsedMilliseconds)
		}
	}
	if len(times) > 0 {
		what += ", for " + runtime(medianOf(times))
	}
	if len(times) > 1 {
		what += fmt.Sprintf(", %d times", len(times))
	}
	return legible.Line(what) + "."
}

// figures says what came out in one direction.
func (e *explanation) figures(direction string, io *v1alpha1.IOComparison, runs int32) string {
	result := fmt.Sprintf("%d %ss and %s a second", io.IOPS.Median, direction, perSecond(io.BytesPerSecond.Median))
	if io.P50Nanoseconds != nil && io.P99Nanoseconds != nil {
		result += fmt.Sprintf("; half of them took at most %s, 99 of 100 at most %s", latency(io.P50Nanoseconds.Median), latency(io.P99Nanoseconds.Median))
	}
	if runs > 1 {
		result = "In the median " + result
	}
	return result + e.beside(io.IOPSRatio, io.Verdict) + "."
}

// syncs says how long syncs took.
func (e *explanation) syncs(s *v1alpha1.SyncComparison, runs int32) string {
	result := fmt.Sprintf("syncs (fsync, fdatasync) took %s each on average", latency(s.MeanNanoseconds.Median))
	what, ratio := "the mean", s.MeanRatio
	if s.P50Nanoseconds != nil && s.P99Nanoseconds != nil {
		result += fmt.Sprintf("; half of them took at most %s, 99 of 100 at most %s", latency(s.P50Nanoseconds.Median), latency(s.P99Nanoseconds.Median))
		what, ratio = "the 99th percentile", s.P99Ratio
	}
	if runs > 1 {
		result = "In the median " + result
	}
	return upper(result) + e.besideWhat(ratio, s.Verdict, what) + "."
}

// beside says how a rate is beside the baseline's, "" for the baseline itself.
func (e *explanation) beside(ratio string, verdict v1alpha1.Verdict) string {
	return e.besideWhat(ratio, verdict, "the rate")
}

// besideWhat says how a figure is beside the baseline's, "" for the baseline itself.
func (e *explanation) besideWhat(ratio string, verdict v1alpha1.Verdict, what string) string {
	if ratio == "" {
		return ""
	}
	word := ""
	switch verdict {
	case v1alpha1.VerdictFaster, v1alpha1.VerdictSlower:
		word = e.style.verdict(verdict) + ": "
	case v1alpha1.VerdictSame:
		word = "The same, as far as can be told: "
	case v1alpha1.VerdictTooFewRuns: // Certainty is told apart.
	}
	return fmt.Sprintf(". %s%s times %s of %s", word, ratio, what, baseline(&e.sb.Spec))
}

// bound says what held the results back.
func (e *explanation) bound(bounds []*v1alpha1.LimitedBy) {
	name, times := mostFrequent(bounds)
	if times == 0 {
		return
	}
	head := e.style.paint(text.Bold, name)
	if times < len(bounds) {
		head += fmt.Sprintf(" in %d of %d runs", times, len(bounds))
	}
	message := legible.Line(boundsFor(bounds, name)[0].Message)
	if message != "" {
		head += ": " + strings.TrimSuffix(message, ".")
	}
	e.say("Held back", head+".")
}

// next says what to try.
func (e *explanation) next(bounds []*v1alpha1.LimitedBy) {
	if name, times := mostFrequent(bounds); times > 0 {
		e.say("Next", Advice(name))
	}
}

// certainty says how sure the figures are, from the direction with the verdict.
func (e *explanation) certainty(t *v1alpha1.TargetComparison) string {
	all := withTotal(t)
	if len(all) == 0 {
		return ""
	}
	iops := &all[len(all)-1].io.IOPS // of the total, if there is one
	if t.Runs < 2 {
		return "One run does not show how much results vary by chance: set repetitions to 4 or more for a verdict, to 6 or more for a confidence interval."
	}
	sentence := fmt.Sprintf("%d runs had from %d to %d IOPS", t.Runs, iops.Min, iops.Max)
	if iops.Median > 0 {
		sentence += fmt.Sprintf(" (%s%.0f %%)", e.style.plusMinus(), deviation(iops))
	}
	sentences := []string{sentence + "."}
	if iops.ConfidenceLow != nil && iops.ConfidenceHigh != nil {
		sentences = append(sentences, fmt.Sprintf("With a confidence of at least 95 %% the median is from %d to %d.", *iops.ConfidenceLow, *iops.ConfidenceHigh))
	} else {
		sentences = append(sentences, "That is too few for a confidence interval, which needs 6.")
	}
	switch verdict := all[len(all)-1].io.Verdict; {
	case verdict == v1alpha1.VerdictTooFewRuns:
		sentences = append(sentences, "A verdict needs 4 runs of each target: with fewer, even the clearest difference may be chance. Set repetitions to 4 or more.")
	case iops.PValue != "":
		sentences = append(sentences, chance(iops.PValue, verdict))
	}
	return strings.TrimSpace(strings.Join(sentences, " "))
}

// chance says in words what a p-value means for the verdict.
func chance(pValue string, verdict v1alpha1.Verdict) string {
	p, err := strconv.ParseFloat(pValue, 64)
	if err != nil {
		return ""
	}
	often := fmt.Sprintf("%.0f of 100 such comparisons", math.Round(100*p))
	if p < 0.01 {
		often = "less than 1 of 100 such comparisons"
	}
	judgement := "so it is hardly chance"
	switch {
	case p >= significance:
		judgement = "so it may well be chance"
	case verdict == v1alpha1.VerdictSame:
		judgement = "so it is hardly chance; but it is 1 % at most, too little to matter"
	}
	return fmt.Sprintf("If both were alike, chance alone would make a difference as large in %s (p = %s), %s.", often, pValue, judgement)
}

// significance is the p-value below which verdicts do not put a difference down to chance. A test holds it to the verdicts of
// internal/analysis.
const significance = 0.05

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
			message += ": " + legible.Line(warning.Message)
		}
		at := slices.IndexFunc(e.sb.Status.Warnings, func(s v1alpha1.WarningSummary) bool { return s.Reason == warning.Reason })
		if at >= 0 && e.sb.Status.Warnings[at].Remedy != "" {
			message += ". To do: " + legible.Line(e.sb.Status.Warnings[at].Remedy)
		}
		e.say("But", strings.TrimSuffix(message, ".")+".")
	}
}

// perSecond prints bytes of a second.
func perSecond(bytesPerSecond int64) string {
	return strings.ReplaceAll(bothBandwidths(bytesPerSecond), "/s", "")
}

// upper begins a sentence.
func upper(what string) string {
	if what == "" {
		return ""
	}
	return strings.ToUpper(what[:1]) + what[1:]
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
