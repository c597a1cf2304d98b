package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Pair is two benchmarks beside each other, such as of storage before and after a change.
type Pair struct {
	// Benchmarks are the baseline and the one that is compared with it, and Labels what they are called.
	Benchmarks [2]*v1alpha1.StorageBenchmark
	Labels     [2]string
	// Both is what both have results of, the baseline's target first in each comparison.
	Both []v1alpha1.Comparison
	// Only is what one has results of and the other has not.
	Only [2][]v1alpha1.Comparison
}

// NameParameters calls the parameters of a benchmark's runs by one name for each option: that of its field, or else fio's own. Of two benchmarks
// that are compared one may have bs in its matrix, and the other blocksize.
func NameParameters(sb *v1alpha1.StorageBenchmark) {
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		named := make(map[string]string, len(run.Parameters))
		for name, value := range run.Parameters {
			named[fio.FieldName(fio.Canonical(name))] = value
		}
		run.Parameters = named
	}
}

// Validate returns an error that says what each benchmark has if there is nothing to compare.
func (p *Pair) Validate() error {
	if len(p.Both) > 0 {
		return nil
	}
	var has []string
	for i, only := range p.Only {
		var names []string
		for j := range only {
			names = append(names, caseOf(&only[j]))
		}
		what := "no results"
		if len(names) > 0 {
			what = humanize.Few(names, 8)
		}
		has = append(has, fmt.Sprintf("%s has %s", p.Labels[i], what))
	}
	return fmt.Errorf("nothing to compare: %s; both need results of the same workload, parameters and target name (the name does not matter if each has one target)",
		strings.Join(has, ", and "))
}

// caseOf names what is compared and its only target, such as "randwrite bs=16k on gp3".
func caseOf(c *v1alpha1.Comparison) string {
	return strings.TrimSpace(workloadOf(c)+" "+parameters(c.Parameters)) + " on " + c.Targets[0].Name
}

// rows returns a row for each direction of each benchmark.
func (p *Pair) rows() []row {
	var rows []row
	var known [2]bool
	for i, sb := range p.Benchmarks {
		known[i] = slices.ContainsFunc(sb.Status.Runs, isBoundKnown)
	}
	for i, occurrence := range occurrences(p.Both) {
		c := &p.Both[i]
		for j := range c.Targets {
			t := &c.Targets[j]
			own := targetRows(c, t, outcomesOf(p.Benchmarks[j].Status.Runs, c, t.Name, occurrence), known[j])
			for k := range own {
				own[k].benchmark = p.Labels[j]
			}
			rows = append(rows, own...)
		}
	}
	return rows
}

// Table prints a row for each direction of each benchmark, and below it what the verdicts rest on, what differs beside the results, what has no
// counterpart, and what may mislead whoever reads it.
func (p *Pair) Table(w io.Writer, style Style) { p.print(w, shortFigures(p.Labels[0]), style) }

// Wide prints what Table does, with the figures that Table leaves out.
func (p *Pair) Wide(w io.Writer, style Style) { p.print(w, wideFigures(p.Labels[0]), style) }

// print prints a table, and what is to be said below it.
func (p *Pair) print(w io.Writer, columns []figure, style Style) {
	printRows(w, p.rows(), columns, style)
	for i, r := range p.remarks() {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, style.wrap(style.warning(r.head+":")+" "+humanize.Line(r.text), "  "))
	}
	for i, d := range p.Differences() {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, style.wrap(style.warning("Differs:")+" "+humanize.Line(p.sentence(d)), "  "))
	}
	for i, missing := range p.withoutCounterpart() {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, style.wrap(humanize.Line(missing), "  "))
	}
	for i, sb := range p.Benchmarks {
		warnings(w, p.labelled(i, sb.Status.Warnings), style)
	}
}

// labelled returns the warnings of a benchmark with its label.
func (p *Pair) labelled(i int, all []v1alpha1.WarningSummary) []v1alpha1.WarningSummary {
	all = slices.Clone(all)
	for j := range all {
		all[j].Message = p.Labels[i] + ": " + all[j].Message
	}
	return all
}

// withoutCounterpart says what only one of the benchmarks has.
func (p *Pair) withoutCounterpart() []string {
	var lines []string
	for i, only := range p.Only {
		for j := range only {
			lines = append(lines, fmt.Sprintf("Only in %s: %s", p.Labels[i], caseOf(&only[j])))
		}
	}
	return lines
}

// sentence says a difference.
func (p *Pair) sentence(d Difference) string {
	if d.Baseline == "" && d.Other == "" {
		return d.What
	}
	return fmt.Sprintf("%s (%s in %s, %s in %s)", d.What, d.Baseline, p.Labels[0], d.Other, p.Labels[1])
}

// Markdown prints what Table does as a page for a pull request or a wiki.
func (p *Pair) Markdown(w io.Writer) error {
	page := &page{w: w}
	page.heading(1, p.Labels[1]+" compared with "+p.Labels[0])
	page.results(p.rows(), shortFigures(p.Labels[0]))
	var remarks, differences, warnings []string
	for _, r := range p.remarks() {
		remarks = append(remarks, fmt.Sprintf("**%s**: %s", r.head, escape(r.text)))
	}
	for _, d := range p.Differences() {
		differences = append(differences, escape(p.sentence(d)))
	}
	for i, sb := range p.Benchmarks {
		warnings = append(warnings, warningItems(sb.Status.Warnings, " of "+p.Labels[i])...)
	}
	var missing []string
	for _, line := range p.withoutCounterpart() {
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

// PairDocument is two benchmarks beside each other, for programs.
type PairDocument struct {
	Baseline Benchmark `json:"baseline"`
	Other    Benchmark `json:"other"`
	// Comparisons are what both have, direction by direction, and Only what one of them has.
	Comparisons []ComparedIO `json:"comparisons"`
	Only        []ComparedIO `json:"only"`
	// Differences are what differs beside the results.
	Differences []Difference `json:"differences"`
}

// JSON prints a PairDocument.
func (p *Pair) JSON(w io.Writer) error {
	compared, only := p.compared()
	return writeJSON(w, PairDocument{
		Baseline: benchmarkOf(p.Benchmarks[0]), Other: benchmarkOf(p.Benchmarks[1]),
		Comparisons: compared, Only: only, Differences: orEmpty(p.Differences()),
	})
}

// compared returns what both have, and what only one has.
func (p *Pair) compared() (both, only []ComparedIO) {
	only = []ComparedIO{}
	for i := range p.Only {
		only = append(only, comparedIO(p.Only[i], func(int) string { return p.Labels[i] })...)
	}
	return comparedIO(p.Both, func(target int) string { return p.Labels[target] }), only
}

// CSV prints a row for each direction of each benchmark with all figures, those without counterpart last.
func (p *Pair) CSV(w io.Writer) error {
	both, only := p.compared()
	all := slices.Concat(both, only)
	return writeCSV(w, slices.Concat(
		[]field[ComparedIO]{
			{"workload", func(c *ComparedIO) string { return c.Workload }},
			{"section", func(c *ComparedIO) string { return c.Section }},
			{"benchmark", func(c *ComparedIO) string { return c.Benchmark }},
			{"target", func(c *ComparedIO) string { return c.Target }},
		},
		parameterFields(all, func(c *ComparedIO) map[string]string { return c.Parameters }),
		[]field[ComparedIO]{
			{"direction", func(c *ComparedIO) string { return c.Figures.Name }},
			{"runs", func(c *ComparedIO) string { return whole(int64(c.Runs)) }},
			{"verdict", func(c *ComparedIO) string { return string(c.Verdict) }},
			{"judged_by", func(c *ComparedIO) string { return string(c.Figures.JudgedBy) }},
			{"warnings", func(c *ComparedIO) string { return reasons(c.Warnings) }},
		},
		comparedFields("iops", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.IOPS() }),
		comparedFields("bytes_per_second", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.BytesPerSecond }),
		comparedFields("lat_mean_ns", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.MeanNanoseconds }),
		comparedFields("clat_p50_ns", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.P50Nanoseconds }),
		comparedFields("clat_p90_ns", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.P90Nanoseconds }),
		comparedFields("clat_p99_ns", func(c *ComparedIO) *v1alpha1.Statistic { return c.Figures.P99Nanoseconds }),
	), all)
}

// comparedFields are all that there is of one figure.
func comparedFields(name string, of func(*ComparedIO) *v1alpha1.Statistic) []field[ComparedIO] {
	build := func(suffix string, cell func(*v1alpha1.Statistic) string) field[ComparedIO] {
		return field[ComparedIO]{name + "_" + suffix, func(c *ComparedIO) string {
			if of(c) == nil {
				return ""
			}
			return cell(of(c))
		}}
	}
	return []field[ComparedIO]{
		build("median", func(f *v1alpha1.Statistic) string { return whole(f.Median) }),
		build("min", func(f *v1alpha1.Statistic) string { return whole(f.Least()) }),
		build("max", func(f *v1alpha1.Statistic) string { return whole(f.Most()) }),
		build("confidence_low", func(f *v1alpha1.Statistic) string { return wholeOrNone(f.ConfidenceLow) }),
		build("confidence_high", func(f *v1alpha1.Statistic) string { return wholeOrNone(f.ConfidenceHigh) }),
		build("ratio", func(f *v1alpha1.Statistic) string { return f.Ratio }),
		build("ratio_low", func(f *v1alpha1.Statistic) string { return f.RatioLow }),
		build("ratio_high", func(f *v1alpha1.Statistic) string { return f.RatioHigh }),
		build("p_value", func(f *v1alpha1.Statistic) string { return f.PValue }),
		build("adjusted_p_value", func(f *v1alpha1.Statistic) string { return f.AdjustedPValue }),
		build("detectable_percent", func(f *v1alpha1.Statistic) string { return wholeIfSet(int64(f.DetectablePercent)) }),
		build("verdict", func(f *v1alpha1.Statistic) string { return string(f.Verdict) }),
	}
}
