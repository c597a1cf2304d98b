package regression

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/legible"
)

// mostBeside is how many differences a message names.
const mostBeside = 4

// maxVersion is the most that a message gives of a version.
const maxVersion = 48

// Message says what changed, such as "read p99 of randread bs=4k on gp3 rose 38 % (5.3 ms -> 7.3 ms) on 2026-11-12, with aws-ebs-csi-driver v1.63.0 ->
// v1.64.0".
func (f *Finding) Message() string {
	metric, _ := expectation.FindMetric(f.Metric.String())
	way := "rose"
	if f.Percent < 0 {
		way = "fell"
	}
	text := fmt.Sprintf("%s of %s on %s %s %s (%s -> %s) on %s", metric.Words("sync"), f.Case.WorkloadText(), f.Case.Target,
		way, percentText(f.Percent), metric.Text(f.Before), metric.Text(f.After), f.Time.UTC().Format(time.DateOnly))
	if beside := besideText(f.Beside); beside != "" {
		text += ", with " + beside
	}
	if f.Recovered {
		text += "; it has recovered since"
	}
	return text
}

// percentText prints how large a change is, without its sign. Beyond that of four times it is how many times as much.
func percentText(percent float64) string {
	if percent > 300 {
		return fmt.Sprintf("%.1f-fold", 1+percent/100)
	}
	return fmt.Sprintf("%.0f %%", math.Abs(percent))
}

// besideText lists differences, as many as a message has room for.
func besideText(all []Difference) string {
	var parts []string
	for _, d := range all[:min(len(all), mostBeside)] {
		parts = append(parts, d.text())
	}
	if more := len(all) - mostBeside; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

func (d *Difference) text() string {
	if d.Before == "" && d.After == "" {
		return d.What
	}
	cut := func(text string) string { return cmp.Or(legible.Cut(text, maxVersion, "..."), "unknown") }
	return fmt.Sprintf("%s %s -> %s", d.What, cut(d.Before), cut(d.After))
}

// Message says what a condition says: the worst regression, and how many more there are; or from what on all is as it was.
func (r *Report) Message() string {
	if worst := r.Worst(); worst != nil {
		text := worst.Message()
		if more := r.Open() - 1; more > 0 {
			text += fmt.Sprintf("; and %d more figures are worse", more)
		}
		return text
	}
	if r.Baseline.Runs == 0 {
		return "no benchmark has measured anything yet"
	}
	return "no figure is worse than before" + r.Baseline.text()
}

// text says what was compared.
func (b *Baseline) text() string {
	text := fmt.Sprintf(": %d runs since %s", b.Runs, b.From.UTC().Format(time.DateOnly))
	if len(b.Since) > 0 {
		text += ", when a new baseline began with another " + besideText(b.Since)
	}
	if b.Needed > 0 {
		text += fmt.Sprintf("; a change can be found %d runs from now at the earliest", b.Needed)
	}
	return text
}
