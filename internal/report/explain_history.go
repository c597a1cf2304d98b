package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/legible"
	"github.com/storagebench/storagebench/internal/regression"
)

const (
	// mostExplained is how many changes an explanation of a history has.
	mostExplained = 20
	// fewSince is up to how many runs after a change it is said that they are few.
	fewSince = 5
	// leastP is the least p-value that is told as such.
	leastP = 1e-9
)

// ExplainHistory says in sentences what became of a schedule's storage: when it is measured, what is kept, and each lasting change, with what
// changed beside it, how sure it is, and what to do. Of more than 20 changes it explains the first ones, which matter most.
func ExplainHistory(w io.Writer, s *v1alpha1.StorageBenchmarkSchedule, h *history.History, found *regression.Report, style Style) {
	e := &historyExplanation{explanation: explanation{w: w, style: style}, schedule: s}
	e.title(s.Name)
	e.say("Starts", e.starts())
	e.say("Kept", e.kept(h)...)
	e.say("Verdict", sentenceOf(legible.Line(found.Message())))
	explained := found.Findings[:min(len(found.Findings), mostExplained)]
	for i := range explained {
		e.change(&explained[i], found.Threshold)
	}
	if more := len(found.Findings) - len(explained); more > 0 {
		e.title(fmt.Sprintf("And %s, which kubectl storagebench report schedule/%s -o html marks", legible.Plural(more, "more change"), s.Name))
	}
	if found.Worst() != nil {
		e.todo()
	}
}

// historyExplanation is the explanation of a history, as it is being printed.
type historyExplanation struct {
	explanation
	schedule *v1alpha1.StorageBenchmarkSchedule
}

// starts says when benchmarks are made, or why none is.
func (e *historyExplanation) starts() string {
	spec, status := &e.schedule.Spec, &e.schedule.Status
	words := fmt.Sprintf("By %q, %s", spec.Schedule, ptr.Deref(spec.TimeZone, "UTC"))
	if c := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionScheduled); c != nil && c.Status == metav1.ConditionFalse {
		return words + ". " + e.style.warning("None is made now") + ": " + sentenceOf(legible.Line(cmp.Or(c.Message, c.Reason)))
	}
	for _, start := range []struct {
		format string
		at     *metav1.Time
	}{{"; the last one that was made was due on %s", status.LastScheduleTime}, {"; the next one is due on %s", status.NextScheduleTime}} {
		if start.at != nil {
			words += fmt.Sprintf(start.format, regression.Minute(start.at.Time))
		}
	}
	if missed := status.MissedStarts; missed > 0 {
		words += fmt.Sprintf("; %s missed so far", pluralWere(int(missed), "start"))
	}
	return words + "."
}

// kept says which points there are, and why some may be missing.
func (e *historyExplanation) kept(h *history.History) []string {
	limit := ptr.Deref(e.schedule.Spec.HistoryLimit, 0)
	words := fmt.Sprintf("%s of at most %d", legible.Plural(len(h.Points), "point"), limit)
	if len(h.Points) > 0 {
		words += ", since " + regression.Minute(h.Points[0].Time)
	}
	sentences := []string{words + "."}
	if c := meta.FindStatusCondition(e.schedule.Status.Conditions, v1alpha1.ConditionHistoryKept); c != nil && c.Status == metav1.ConditionFalse {
		sentences = append(sentences, e.style.warning("Not all are kept")+": "+sentenceOf(legible.Line(c.Message)))
	}
	return sentences
}

// change explains one lasting change.
func (e *historyExplanation) change(f *regression.Finding, threshold float64) {
	e.title(f.Figure())
	e.say("Change", fmt.Sprintf("%s: it %s. The first benchmark after it is %s, which ended on %s.", e.kind(f), f.Change(), legible.Line(f.Benchmark), regression.Minute(f.Time)))
	e.say("Now", e.now(f))
	e.say("Beside", e.beside(f))
	e.say("How sure", sureness(f, threshold)...)
}

// kind says what a change is, and whether there is something to do about it.
func (e *historyExplanation) kind(f *regression.Finding) string {
	switch {
	case f.Kind == regression.Improvement:
		return e.style.paint(text.FgGreen, "Improvement")
	case f.Recovered:
		return "Regression that is over"
	case f.Acknowledged:
		return "Regression that is acknowledged"
	default:
		return e.style.paint(text.FgRed, "Regression")
	}
}

// now says what became of the figure since.
func (e *historyExplanation) now(f *regression.Finding) string {
	words := fmt.Sprintf("%s in the median of the last runs", f.NowText())
	if f.Recovered {
		words += ". Since the change it was as good as before, at some time"
	}
	return words + "."
}

// beside says what changed at the same time.
func (e *historyExplanation) beside(f *regression.Finding) string {
	if beside := f.BesideText(); beside != "" {
		return legible.Line(beside) + ". That is no proof that it is the cause."
	}
	return "Nothing that is recorded changed at the same time: operator, fio, driver, StorageClass, kubelet, kernel, OS image, instance type, zone, node."
}

// sureness says how likely chance alone makes such a change, and on how many runs that rests.
func sureness(f *regression.Finding, threshold float64) []string {
	p := fmt.Sprintf("p = %.1g", f.PValue)
	if f.PValue < leastP {
		p = fmt.Sprintf("p below %.0g", leastP)
	}
	sentences := []string{fmt.Sprintf("%s before it and %s from it on. Their t-test has %s, and a change is told below %.1g.",
		legible.Plural(f.RunsBefore, "run"), legible.Plural(f.RunsAfter, "run"), p, threshold)}
	if f.RunsAfter <= fewSince && !f.Recovered {
		sentences = append(sentences, "Few runs have come since: measure again to be surer.")
	}
	return sentences
}

// todo says what there is to do about a regression, as commands.
func (e *historyExplanation) todo() {
	name, namespace := e.schedule.Name, e.schedule.Namespace
	e.title("What to do")
	annotate := func(key string) string {
		return fmt.Sprintf(`kubectl annotate sbs %s -n %s %s="$(date --utc +%%FT%%TZ)" --overwrite`, name, namespace, key)
	}
	e.command("Again", fmt.Sprintf("kubectl storagebench run --from-schedule %s -n %s", name, namespace))
	e.command("Chart", fmt.Sprintf("kubectl storagebench report schedule/%s -n %s -o html > %s.html", name, namespace, name))
	e.command("Known", annotate(v1alpha1.AnnotationAcknowledged))
	e.command("Accept", annotate(v1alpha1.AnnotationBaselineFrom))
	e.say("", "Known says that you have seen what is told now. Accept compares only what comes from now on.")
}

// pluralWere is a number of things that were something.
func pluralWere(n int, thing string) string {
	words := legible.Plural(n, thing) + " were"
	if n == 1 {
		words = strings.TrimSuffix(words, "were") + "was"
	}
	return words
}
