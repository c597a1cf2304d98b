package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/compare"
)

// pairRows returns a row for each direction of each benchmark.
func pairRows(p *compare.Pair) []row {
	var rows []row
	var known [2]bool
	for i, sb := range p.Benchmarks {
		known[i] = slices.ContainsFunc(sb.Status.Runs, cases.IsBoundKnown)
	}
	for i, occurrence := range cases.Occurrences(p.Both) {
		c := &p.Both[i]
		for j := range c.Targets {
			t := &c.Targets[j]
			own := targetRows(c, t, cases.Outcomes(p.Benchmarks[j].Status.Runs, c, t.Name, occurrence), known[j])
			for k := range own {
				own[k].benchmark = p.Labels[j]
			}
			rows = append(rows, own...)
		}
	}
	return rows
}

// PairTable prints a row for each direction of each benchmark. Below it come what the verdicts rest on, what differs
// apart from the results, what has no counterpart, and what may mislead the reader.
func PairTable(w io.Writer, p *compare.Pair, style Style) {
	printPair(w, p, shortFigures(p.Labels[0]), style)
}

// PairWide prints what PairTable does, with the figures that PairTable leaves out.
func PairWide(w io.Writer, p *compare.Pair, style Style) {
	printPair(w, p, wideFigures(p.Labels[0]), style)
}

// printPair prints a table and the remarks below it.
func printPair(w io.Writer, p *compare.Pair, columns []figure, style Style) {
	printRows(w, pairRows(p), columns, style)
	for i, r := range p.Remarks() {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, style.Wrap(style.warning(r.Head+":")+" "+humanize.Line(r.Text), "  "))
	}
	for i, d := range p.Differences() {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, style.Wrap(style.warning("Differs:")+" "+humanize.Line(p.Sentence(d)), "  "))
	}
	for i, missing := range p.WithoutCounterpart() {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, style.Wrap(humanize.Line(missing), "  "))
	}
	for i, sb := range p.Benchmarks {
		warnings(w, labelled(sb.Status.Warnings, p.Labels[i]), style)
	}
}

// labelled returns warnings with the label of their benchmark.
func labelled(all []v1alpha1.WarningSummary, label string) []v1alpha1.WarningSummary {
	all = slices.Clone(all)
	for j := range all {
		all[j].Message = label + ": " + all[j].Message
	}
	return all
}

// PairMarkdown prints what PairTable does as a page for a pull request or a wiki.
func PairMarkdown(w io.Writer, p *compare.Pair) error {
	page := &page{w: w}
	page.heading(1, p.Labels[1]+" compared with "+p.Labels[0])
	page.results(pairRows(p), shortFigures(p.Labels[0]))
	var remarks, differences, warnings []string
	for _, r := range p.Remarks() {
		remarks = append(remarks, fmt.Sprintf("**%s**: %s", r.Head, escape(r.Text)))
	}
	for _, d := range p.Differences() {
		differences = append(differences, escape(p.Sentence(d)))
	}
	for i, sb := range p.Benchmarks {
		warnings = append(warnings, warningItems(sb.Status.Warnings, " of "+p.Labels[i])...)
	}
	var missing []string
	for _, line := range p.WithoutCounterpart() {
		missing = append(missing, escape(line))
	}
	for _, part := range []struct {
		heading string
		items   []string
	}{{"What the verdicts rest on", remarks}, {"What differs apart from the results", differences}, {"What has no counterpart", missing}, {"Warnings", warnings}} {
		if len(part.items) > 0 {
			page.heading(2, part.heading)
			page.list(part.items)
		}
	}
	return page.err
}
