package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/regression"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

const (
	// mostExplained is how many changes an explanation of a history has.
	mostExplained = 20
	// fewSince is up to how many runs after a change it is said that they are few.
	fewSince = 5
	// leastP is the least p-value that is told as such.
	leastP = 1e-9
	// lateStart is how long after a start was due, and not made, it is said that none was.
	lateStart = 5 * time.Minute
)

// ExplainHistory says in sentences what became of a schedule's storage: when it is measured, what is kept, and each lasting change, with what
// changed beside it, how sure it is, and what to do. Of more than 20 changes it explains the first ones, which matter most.
func ExplainHistory(w io.Writer, s *v1alpha1.StorageBenchmarkSchedule, h *history.History, found *regression.Report, now time.Time, style Style) {
	e := explainedHistory(s, h, found, now, style)
	e.w = w
	e.print()
}

// HistoryExplanation returns what ExplainHistory prints, for programs.
func HistoryExplanation(s *v1alpha1.StorageBenchmarkSchedule, h *history.History, found *regression.Report, now time.Time) []Paragraph {
	return explainedHistory(s, h, found, now, Style{}).paragraphs()
}

func explainedHistory(s *v1alpha1.StorageBenchmarkSchedule, h *history.History, found *regression.Report, now time.Time, style Style) *historyExplanation {
	e := &historyExplanation{
		explanation: explanation{style: style}, schedule: s, found: found,
		isFull: len(h.Points) == int(ptr.Deref(s.Spec.HistoryLimit, 0)),
	}
	e.title(s.Name)
	e.say("Starts", e.starts(now)...)
	e.say("Last", LastFailure(s, style))
	e.say("Kept", e.kept(h)...)
	if found.Worst() != nil { // otherwise the verdict says it
		e.say("Compared", foreign(found.Baseline.Text()))
	}
	e.say("Verdict", wording.SentenceOf(humanize.Line(found.Message())))
	explained := found.Findings[:min(len(found.Findings), mostExplained)]
	for i := range explained {
		e.change(&explained[i])
	}
	if more := len(found.Findings) - len(explained); more > 0 {
		e.title(humanize.Plural(more, "more change"))
		e.chart()
	}
	if found.Worst() != nil {
		e.remedies()
	}
	return e
}

// LastFailure tells how the last StorageBenchmark of a schedule failed, and how to find out more; "" if it did not.
func LastFailure(s *v1alpha1.StorageBenchmarkSchedule, style Style) string {
	last := s.Status.LastResult
	if last == nil || last.Reason == v1alpha1.ReasonCompleted {
		return ""
	}
	return style.warning(fmt.Sprintf("%s ended with %s on %s", humanize.Line(last.Benchmark), humanize.Line(last.Reason), regression.Minute(last.CompletionTime.Time))) +
		": " + foreign(last.Message)
}

// historyExplanation is the explanation of a history, as it is being printed.
type historyExplanation struct {
	explanation
	schedule *v1alpha1.StorageBenchmarkSchedule
	found    *regression.Report
	// isFull says that the history drops a point with each new one.
	isFull bool
}

// foreign is a message of others as a sentence. It keeps its case, as it may begin with a name, and has one full stop.
func foreign(message string) string { return strings.TrimRight(humanize.Line(message), ".") + "." }

// starts says when benchmarks are made, and why none is.
func (e *historyExplanation) starts(now time.Time) []string {
	spec, status := &e.schedule.Spec, &e.schedule.Status
	words := fmt.Sprintf("By %q, %s", spec.Schedule, ptr.Deref(spec.TimeZone, "UTC"))
	if at := status.LastScheduleTime; at != nil {
		words += fmt.Sprintf("; the last one was due on %s", regression.Minute(at.Time))
	}
	next := status.NextScheduleTime
	isLate := next != nil && now.Sub(next.Time) > lateStart
	if next != nil && !isLate {
		words += fmt.Sprintf("; the next one is due on %s", regression.Minute(next.Time))
	}
	if missed := status.MissedStarts; missed > 0 {
		words += fmt.Sprintf("; %d missed so far", missed)
	}
	sentences := []string{words + "."}
	if isLate {
		sentences = append(sentences, e.style.warning("One was due on "+regression.Minute(next.Time)+", and was not made")+": look whether the operator runs.")
	}
	if status.ObservedGeneration < e.schedule.Generation {
		return append(sentences, e.style.warning("The operator has not seen the schedule as it is now")+": look whether it runs.")
	}
	return append(sentences, e.whyNot())
}

// whyNot says why no benchmark is made, or was made last; "" if one was.
func (e *historyExplanation) whyNot() string {
	c := e.schedule.Status.Condition(v1alpha1.ConditionScheduled)
	switch {
	case c.Message == "":
		return ""
	case c.Reason == v1alpha1.ReasonStartRefused || c.Reason == v1alpha1.ReasonStartFailed:
		return e.style.warning("The last one could not be made") + ": " + foreign(c.Message)
	case c.Status == metav1.ConditionFalse:
		return e.style.warning("None is made") + ": " + foreign(c.Message)
	default:
		return wording.SentenceOf(humanize.Line(c.Message))
	}
}

// kept says which points there are, and why some may be missing.
func (e *historyExplanation) kept(h *history.History) []string {
	words := fmt.Sprintf("%s of at most %d", humanize.Plural(len(h.Points), "point"), ptr.Deref(e.schedule.Spec.HistoryLimit, 0))
	if len(h.Points) > 0 {
		words += ", since " + regression.Minute(h.Points[0].Time)
	}
	sentences := []string{words + "."}
	if c := e.schedule.Status.Condition(v1alpha1.ConditionHistoryKept); c.Status == metav1.ConditionFalse {
		sentences = append(sentences, e.style.warning("The last points could not be kept")+": "+foreign(c.Message))
	}
	return sentences
}

// change explains one lasting change.
func (e *historyExplanation) change(f *regression.Finding) {
	e.title(f.Figure())
	e.say("Change", fmt.Sprintf("%s: it %s. The first benchmark after it is %s, which ended on %s.", e.kind(f), f.Change(), humanize.Line(f.Benchmark), regression.Minute(f.Time)),
		e.ofSearch(f))
	runs := humanize.Plural(f.RunsNow, "run")
	if f.BadAfter > 0 {
		runs = humanize.Plural(f.BadAfter, "bad run")
	}
	e.say("Now", fmt.Sprintf("%s, the median of %s. The last run ended on %s.", f.NowText(), runs, regression.Minute(f.LastRun)))
	e.say("Beside", changedBeside(f)...)
	e.say("How sure", e.sureness(f)...)
}

// kind says what a change is, and whether there is something to do about it.
func (e *historyExplanation) kind(f *regression.Finding) string {
	switch {
	case f.Kind == regression.Improvement && f.IsUndone():
		return "Improvement that did not last"
	case f.Kind == regression.Improvement:
		return e.style.paint(text.FgGreen, "Improvement")
	case f.Recovered && f.IsUndone():
		return "Regression that is over"
	case f.Recovered:
		return "Regression that was over, before another change"
	case f.Acknowledged:
		return "Regression that is acknowledged"
	default:
		return e.style.paint(text.FgRed, "Regression")
	}
}

// ofSearch says what a figure is where the load was searched for.
func (e *historyExplanation) ofSearch(f *regression.Finding) string {
	if w := cases.Workload(&e.schedule.Spec.Template.Spec, f.Case.Workload); w == nil || w.Search == nil {
		return ""
	}
	return "This is of the load that the search found; 0 is where no load kept its budget."
}

// changedBeside says what changed at the same time, and what of it could not be seen.
func changedBeside(f *regression.Finding) []string {
	switch changed := f.AllBesideText(); {
	case changed != "":
		return []string{foreign(changed), "That is no proof that it is the cause."}
	case len(f.Compared) == 0:
		return []string{"Nothing is known of both sides that could have changed."}
	default:
		return []string{foreign("Nothing new is recorded of " + strings.Join(f.Compared, ", ")), "What is not known of both sides, or differs from run to run, would not show."}
	}
}

// sureness says how likely chance alone makes such a change, and on how many runs that rests.
func (e *historyExplanation) sureness(f *regression.Finding) []string {
	until := "from it on"
	if !f.IsLast {
		until = "from it until the next change"
	}
	p := fmt.Sprintf("p = %.2g", f.PValue)
	if f.PValue < leastP {
		p = fmt.Sprintf("p below %.0g", leastP)
	}
	test := "A t-test that takes each run to be somewhat like the one before"
	if f.BadAfter > 0 {
		test = "Only some runs are bad. Fisher's exact test of how often a good run is followed by a bad one"
	}
	sentences := []string{
		fmt.Sprintf("%s before it and %d %s.", humanize.Plural(f.RunsBefore, "run"), f.RunsAfter, until),
		fmt.Sprintf("%s gives %s. A change is told below %.2g (0.0005 / the number of figures).", test, p, e.found.Threshold),
		"That does not exclude that a neighbour was busy for several runs.",
	}
	if f.IsLast && f.RunsAfter <= fewSince {
		sentences = append(sentences, "Few runs have come since: the next ones make it surer.")
	}
	if f.FewBefore() && e.isFull {
		sentences = append(sentences, "The history is dropping the runs before it: it will be told for few more runs, also if it lasts.")
	}
	if f.BadAfter > 0 {
		sentences = append(sentences, "Look at what the bad runs have in common, such as the node, the zone or the time of day: report -o csv has all runs.")
	}
	return sentences
}

// remedies says what there is to do about a regression, as commands.
func (e *historyExplanation) remedies() {
	e.title("What to do")
	e.say("First", "Look at what changed beside it, and undo it.")
	e.command("Again", fmt.Sprintf("kubectl storagebench run --from-schedule %s -n %s", e.schedule.Name, e.schedule.Namespace))
	e.say("", "It makes one more point of the history, at this time of day.")
	e.chart()
	e.annotate("Known", v1alpha1.AnnotationAcknowledged)
	e.say("", "Nothing that is told now, on any target, makes the schedule Regressed any more.")
	e.annotate("Accept", v1alpha1.AnnotationBaselineFrom)
	e.say("", fmt.Sprintf("Only runs from now on are compared. It cannot be told for %d runs whether a figure is worse.", regression.LeastRuns))
}

// chart says how to see all figures.
func (e *historyExplanation) chart() {
	e.command("Chart", fmt.Sprintf("kubectl storagebench report schedule/%[1]s -n %[2]s -o html > %[1]s.html", e.schedule.Name, e.schedule.Namespace))
}

// annotate says how to annotate the schedule with the time. All kinds of date know -u.
func (e *historyExplanation) annotate(about, key string) {
	e.command(about, fmt.Sprintf(`kubectl annotate sbs %s -n %s %s="$(date -u +%%FT%%TZ)" --overwrite`, e.schedule.Name, e.schedule.Namespace, key))
}
