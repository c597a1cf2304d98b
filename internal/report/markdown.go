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

// Markdown prints a page for a pull request or a wiki (GitHub Flavored Markdown): results, what may mislead about them, what
// was provisioned, and how to repeat it.
func Markdown(w io.Writer, sb *v1alpha1.StorageBenchmark) error {
	manifest, err := wording.Manifest(sb)
	if err != nil {
		return err
	}
	page := &page{w: w}
	page.heading(1, sb.Name)
	page.paragraph(introduction(sb))
	page.expectations(expectation.Told(sb))
	if lines := wording.Searches(sb.Status.Searches); len(lines) > 0 {
		page.heading(2, "Highest load within the latency budget")
		for i := range lines {
			lines[i] = escape(lines[i])
		}
		page.list(lines)
	}
	page.heading(2, "Results")
	if rows := rowsOf(&sb.Status); len(rows) > 0 {
		page.results(rows, shortFigures(plan.Baseline(&sb.Spec)))
	} else {
		page.paragraph("No runs yet.")
	}
	if len(sb.Status.Warnings) > 0 {
		page.heading(2, "Warnings")
		page.list(warningItems(sb.Status.Warnings, ""))
	}
	if len(sb.Status.AbandonedAttempts) > 0 {
		page.heading(2, "Attempts without a result")
		var items []string
		for i := range sb.Status.AbandonedAttempts {
			items = append(items, escape(wording.Attempt(&sb.Status.AbandonedAttempts[i])))
		}
		page.list(items)
	}
	if len(sb.Status.Targets) > 0 {
		page.heading(2, "What was provisioned")
		page.provisioned(sb)
	}
	page.heading(2, "How to repeat it")
	page.paragraph("Put this into a file, and `kubectl apply -f FILE`:")
	page.code("yaml", string(manifest))
	return page.err
}

// expectations lists what is expected of the results, and whether they are so.
func (p *page) expectations(findings []expectation.Finding) {
	if len(findings) == 0 {
		return
	}
	p.heading(2, "Expectations")
	var items []string
	for i := range findings {
		f := &findings[i]
		items = append(items, fmt.Sprintf("**%s**: %s", f.Answer(), escape(f.String())))
	}
	p.list(items)
}

// introduction says how the benchmark ended, and when and with what it was made.
func introduction(sb *v1alpha1.StorageBenchmark) string {
	succeeded := sb.Status.Condition(v1alpha1.ConditionSucceeded)
	var sentences []string
	add := func(format string, args ...any) { sentences = append(sentences, fmt.Sprintf(format, args...)) }
	if succeeded.Reason != "" {
		add("**%s**", escape(succeeded.Reason))
		if succeeded.Message != "" {
			sentences[0] += ": " + escape(strings.TrimSuffix(succeeded.Message, "."))
		}
	}
	if begin, end := sb.Status.StartTime, sb.Status.CompletionTime; begin != nil {
		when := "Begun " + wording.Minute(begin)
		if end != nil {
			when += ", ended " + wording.Minute(end)
		}
		add("%s", when)
	}
	if versions := cases.FioVersions(&sb.Status); len(versions) > 0 {
		add("Measured with %s", escape(strings.Join(versions, " and ")))
	}
	if len(sentences) == 0 {
		return ""
	}
	return strings.Join(sentences, ". ") + "."
}

// warningItems returns an item for each kind of warning. whose says which benchmark it is of, "" if there is one only.
func warningItems(all []v1alpha1.WarningSummary, whose string) []string {
	var items []string
	for i := range all {
		results := humanize.Plural(int(all[i].Results), "result") + whose
		item := fmt.Sprintf("**%s** (%s): %s", escape(all[i].Reason), escape(results), escape(all[i].Message))
		if all[i].Remedy != "" {
			item += "\n  To do: " + escape(all[i].Remedy)
		}
		items = append(items, item)
	}
	return items
}

// page is a page of Markdown that is being printed. It keeps the first error.
type page struct {
	w   io.Writer
	err error
	// begun says whether a block is to be set off from one before it.
	begun bool
}

// block prints a block, with an empty line before it.
func (p *page) block(what string) {
	if what == "" || p.err != nil {
		return
	}
	if p.begun {
		what = "\n" + what
	}
	p.begun = true
	_, p.err = io.WriteString(p.w, strings.TrimSuffix(what, "\n")+"\n")
}

// heading prints a text as a heading.
func (p *page) heading(level int, what string) {
	p.block(strings.Repeat("#", level) + " " + escape(what))
}

// paragraph prints Markdown.
func (p *page) paragraph(markdown string) { p.block(markdown) }

// list prints items that are Markdown.
func (p *page) list(items []string) {
	if len(items) > 0 {
		p.block("- " + strings.Join(items, "\n- "))
	}
}

// code prints a block of code between fences that are longer than any in it.
func (p *page) code(language, code string) {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	p.block(fence + language + "\n" + strings.TrimSuffix(code, "\n") + "\n" + fence)
}

// results prints a table of rows, and what its figures are.
func (p *page) results(rows []row, columns []figure) {
	escaped := make([]figure, len(columns))
	for i, c := range columns {
		escaped[i] = c
		escaped[i].name = escape(c.name)
		escaped[i].cell = func(r *row, style Style) string { return escape(c.cell(r, style)) }
	}
	p.block(newRows(rows, escaped, Style{Unicode: true}).RenderMarkdown())
	note := "IOPS, bandwidth and latencies are medians over repetitions, ± half of their range. MEAN is fio's lat, percentiles are of its clat"
	if slices.ContainsFunc(rows, func(r row) bool { return r.io == v1alpha1.OperationSync }) {
		note += "; of sync both are of fsync, fdatasync and the like"
	}
	if slices.ContainsFunc(rows, func(r row) bool { return r.io == v1alpha1.OperationMetadata }) {
		note += "; IOPS of metadata are operations on files per second, and both latencies are of its clat"
	}
	p.paragraph(note + ".")
}

// provisioned prints a table of the targets.
func (p *page) provisioned(sb *v1alpha1.StorageBenchmark) {
	heads := []column{
		{"TARGET", text.AlignLeft}, {"STORAGE", text.AlignLeft}, {"MODE", text.AlignLeft}, {"CLASS", text.AlignLeft}, {"DRIVER", text.AlignLeft},
		{"VOLUMES", text.AlignLeft}, {"NODES", text.AlignLeft}, {"LIMITS", text.AlignLeft}, {"LIMITS KNOWN FROM", text.AlignLeft},
	}
	t := newTable(nil, heads)
	for i := range sb.Status.Targets {
		s := &sb.Status.Targets[i]
		target := cases.Target(sb, s.Name)
		var cells []any
		for _, cell := range []string{
			s.Name, wording.Storage(target), wording.Mode(target, s), s.StorageClassName, s.Driver, humanize.Few(wording.Volumes(s), 4), humanize.Few(wording.Nodes(s), 4), wording.KnownLimits(s), sourcesOf(s),
		} {
			cells = append(cells, escape(cell))
		}
		t.AppendRow(cells)
	}
	p.block(t.RenderMarkdown())
}

// sourcesOf says where a target's limits are known from.
func sourcesOf(s *v1alpha1.TargetStatus) string {
	var sources []string
	if s.Limits != nil && s.Limits.Source != "" {
		sources = append(sources, s.Limits.Source)
	}
	for i := range s.ClientLimits {
		if source := s.ClientLimits[i].Source; source != "" {
			sources = append(sources, source)
		}
	}
	return strings.Join(sources, "; ")
}

// escape returns a text that Markdown prints as it is, on one line: without links, images, emphasis and HTML. That of a cell of
// a table escapes | itself.
func escape(what string) string { return escaper.Replace(humanize.Line(what)) }

var escaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`,
)
