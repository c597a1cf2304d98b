package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/preset"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// Presets prints a row for each preset.
func Presets(w io.Writer, presets []preset.Preset, _ Style) {
	t := newTable(w, []column{{"PRESET", text.AlignLeft}, {"APPLICATION", text.AlignLeft}, {"EXPECTS", text.AlignLeft}, {"ABOUT", text.AlignLeft}})
	for i := range presets {
		p := &presets[i]
		t.AppendRow([]any{p.ID(), p.Application, cmp.Or(strings.Join(expects(p), ", "), "-"), p.About})
	}
	t.Render()
}

// Preset prints all that is known of one: what fio does, what is expected, and where both are from.
func Preset(w io.Writer, p *preset.Preset) {
	fmt.Fprintf(w, "%s: %s.\n\n%s", p.ID(), p.About, wording.JobFile(&v1alpha1.Workload{Name: p.Name, Preset: new(p.ID())}))
	for _, threshold := range p.Thresholds {
		fmt.Fprintf(w, "\nExpects %s: %s\n  %s, read %s\n", expectsOf(p, threshold.Metric), threshold.Source.Says, threshold.Source.URL, threshold.Source.Read)
	}
	if len(p.Thresholds) == 0 {
		fmt.Fprint(w, "\nExpects nothing: it measures, and does not judge.\n")
	}
	for _, source := range p.Sources {
		fmt.Fprintf(w, "\nFrom %s, read %s:\n  %s\n", source.URL, source.Read, source.Says)
	}
}

// expects says what a preset expects, such as "fdatasync p99 at most 10 ms".
func expects(p *preset.Preset) []string {
	var all []string
	for _, threshold := range p.Thresholds {
		all = append(all, expectsOf(p, threshold.Metric))
	}
	return all
}

func expectsOf(p *preset.Preset, metric string) string {
	for _, r := range expectation.OfPreset(p.Name, p) {
		if r.Metric.String() == metric {
			return metric + " " + r.Expected()
		}
	}
	return metric
}

// PresetsMarkdown prints docs/presets.md's part about presets: for each what it does, what is expected, and where both are from.
func PresetsMarkdown(w io.Writer, presets []preset.Preset) error {
	page := &page{w: w}
	for i := range presets {
		p := &presets[i]
		page.heading(3, p.ID())
		page.paragraph(escape(p.About) + ".")
		page.code("ini", wording.JobFile(&v1alpha1.Workload{Name: p.Name, Preset: new(p.ID())}))
		var items []string
		for _, threshold := range p.Thresholds {
			items = append(items, fmt.Sprintf("Expects **%s**: %s <%s>, read %s", expectsOf(p, threshold.Metric), threshold.Source.Says, threshold.Source.URL, threshold.Source.Read))
		}
		if len(p.Thresholds) == 0 {
			items = append(items, "Expects nothing.")
		}
		for _, source := range p.Sources {
			items = append(items, fmt.Sprintf("From <%s>, read %s: %s", source.URL, source.Read, source.Says))
		}
		page.list(items)
	}
	return page.err
}
