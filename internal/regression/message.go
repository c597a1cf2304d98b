package regression

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/humanize"
)

// mostBeside is how many differences a message names.
const mostBeside = 4

// maxVersion is the most that a message gives of a version.
const maxVersion = 48

// Message says what changed, such as "read p99 of randread bs=4k on gp3 rose 38 % (5.3 ms -> 7.3 ms) on 2026-11-12 03:00 UTC (nightly-42), with
// kernel 6.1 -> 6.12".
func (f *Finding) Message() string {
	text := fmt.Sprintf("%s %s on %s (%s)", f.Figure(), f.Change(), Minute(f.Time), f.Benchmark)
	if beside := f.BesideText(); beside != "" {
		text += ", with " + beside
	}
	switch {
	case f.Recovered:
		text += "; it has recovered since"
	case f.Now != f.After:
		text += "; now " + f.NowText()
	}
	if f.Acknowledged && f.lasts() {
		text += "; it is acknowledged"
	}
	return text
}

// FigureText names a figure of a case, such as "read p99 of randread bs=4k on gp3".
func FigureText(of *history.Case, m history.Metric) string {
	metric, _ := expectation.FindMetric(m.String())
	return fmt.Sprintf("%s of %s on %s", metric.Words("sync"), of.WorkloadText(), of.Target)
}

// Figure names what changed.
func (f *Finding) Figure() string { return FigureText(&f.Case, f.Metric) }

// Change says how it changed, such as "rose 38 % (5.3 ms -> 7.3 ms)".
func (f *Finding) Change() string {
	way := "rose"
	if f.Percent < 0 {
		way = "fell"
	}
	change := fmt.Sprintf("%s %s(%s -> %s)", way, f.size(), levelText(f.Metric, f.Before), levelText(f.Metric, f.After))
	if f.BadAfter > 0 {
		change += fmt.Sprintf(" in %d of %s, after %d of %d before", f.BadAfter, humanize.Plural(f.RunsAfter, "run"), f.BadBefore, f.RunsBefore)
	}
	return change
}

// NowText is the median of the last level with its unit.
func (f *Finding) NowText() string { return levelText(f.Metric, f.Now) }

// levelText prints a median with its unit.
func levelText(m history.Metric, level float64) string {
	metric, _ := expectation.FindMetric(m.String())
	return metric.Text(int64(math.Round(level)))
}

// BesideText says what changed beside it, such as "kernel 6.1 -> 6.12"; "" if nothing did that is known.
func (f *Finding) BesideText() string { return besideText(f.Beside, mostBeside) }

// AllBesideText says so of all that changed.
func (f *Finding) AllBesideText() string { return besideText(f.Beside, len(f.Beside)) }

// Minute prints a time with its zone: the day may be another one where the schedule is.
func Minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// size prints how large the change is, with a blank after it; "" where nothing was done before, of which no number is a part.
func (f *Finding) size() string {
	if f.Before == 0 {
		return ""
	}
	return percentText(f.Percent) + " "
}

// percentText prints how large a change is, without its sign. Beyond that of four times it is how many times as much.
func percentText(percent float64) string {
	if percent > 300 {
		return fmt.Sprintf("%.1f-fold", 1+percent/100)
	}
	return fmt.Sprintf("%.0f %%", math.Abs(percent))
}

// besideText lists so many differences.
func besideText(all []Difference, most int) string {
	var parts []string
	for _, d := range all[:min(len(all), most)] {
		parts = append(parts, d.text())
	}
	if more := len(all) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more (report -o csv has them)", more))
	}
	return strings.Join(parts, ", ")
}

func (d *Difference) text() string {
	if d.Before == "" && d.After == "" {
		return d.What
	}
	cut := func(text string) string { return cmp.Or(humanize.Cut(text, maxVersion, "..."), "unknown") }
	return fmt.Sprintf("%s %s -> %s", d.What, cut(d.Before), cut(d.After))
}

// Message says what a condition says: the worst regression, and how many more there are; or what was compared and showed none.
func (r *Report) Message() string {
	switch {
	case r.Baseline.Runs == 0 && !r.Baseline.Asked.IsZero():
		return fmt.Sprintf("no benchmark has measured anything since %s, when the baseline was begun", Minute(r.Baseline.Asked))
	case r.Baseline.Runs == 0:
		return "no benchmark has measured anything yet"
	}
	return r.verdict() + r.Baseline.limitText() + "; last measured on " + Minute(r.Baseline.Last)
}

// verdict says what was found, or in what nothing was.
func (r *Report) verdict() string {
	if worst := r.Worst(); worst != nil {
		return worst.Message() + r.more() + r.Baseline.youngText()
	}
	if r.Baseline.keepsTooFew() {
		return "it can never be told whether a figure is worse"
	}
	if r.Baseline.Needed > 0 {
		return fmt.Sprintf("it cannot be told yet whether a figure is worse: %s; a change can be found %s from now at the earliest",
			r.Baseline.Text(), humanize.Plural(r.Baseline.Needed, "run"))
	}
	text := "no figure was found to be worse than before"
	if known := r.known(); known > 0 {
		text += fmt.Sprintf(", but for %d that %s acknowledged", known, isOrAre(known))
	}
	return text + ": " + r.Baseline.Text() + r.Baseline.youngText()
}

// more says of how many other figures the same is true.
func (r *Report) more() string {
	more := r.Open() - 1
	if more <= 0 {
		return ""
	}
	return fmt.Sprintf("; and %s %s worse (report -o html shows them)", humanize.Plural(more, "more figure"), isOrAre(more))
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Text says what was compared.
func (b *Baseline) Text() string {
	text := fmt.Sprintf("%s since %s", humanize.Plural(b.Runs, "run"), Minute(b.From))
	switch {
	case b.Earlier > 0:
		text += ", the runs before are no longer looked at"
	case len(b.Since) > 0:
		text += ", when a new baseline began with another " + besideText(b.Since, mostBeside)
	case !b.Asked.IsZero():
		text += ", without those before annotation baseline-from"
	}
	return text + b.targetsText()
}

// targetsText says which targets have a baseline of their own.
func (b *Baseline) targetsText() string {
	var text strings.Builder
	for _, t := range b.Targets[:min(len(b.Targets), mostBeside)] {
		fmt.Fprintf(&text, "; of target %s %s since %s, when its storage changed", t.Target, humanize.Plural(t.Runs, "run"), Minute(t.From))
	}
	if more := len(b.Targets) - mostBeside; more > 0 {
		fmt.Fprintf(&text, "; and %s changed", humanize.Plural(more, "more target"))
	}
	return text.String()
}

// youngText says on which targets a change cannot be found yet, though it can on others.
func (b *Baseline) youngText() string {
	var text strings.Builder
	for _, t := range b.Young[:min(len(b.Young), mostBeside)] {
		fmt.Fprintf(&text, "; of target %s it cannot be told before %s", t.Target, humanize.Plural(t.Needed, "more run"))
	}
	if more := len(b.Young) - mostBeside; more > 0 {
		fmt.Fprintf(&text, "; nor of %s", humanize.Plural(more, "more target"))
	}
	return text.String()
}
