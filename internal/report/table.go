package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Table prints a row for each direction of I/O of each comparison's targets, then for runs without a result
// their state, and below the table what may mislead whoever reads it. Columns that have nothing to say are
// left out, such as those of the comparison where there is one target.
func Table(w io.Writer, sb *v1alpha1.StorageBenchmark) {
	t := newTable(w, []column{
		{"WORKLOAD", text.AlignLeft}, {"PARAMETERS", text.AlignLeft}, {"TARGET", text.AlignLeft}, {"I/O", text.AlignLeft},
		{"IOPS", text.AlignRight}, {"PER CLIENT", text.AlignRight}, {"BANDWIDTH", text.AlignRight}, {"MEAN", text.AlignRight}, {"P50", text.AlignRight}, {"P90", text.AlignRight}, {"P99", text.AlignRight},
		{strings.ToUpper("vs " + baseline(&sb.Spec)), text.AlignRight}, {"VERDICT", text.AlignLeft}, {"LIMITED BY", text.AlignLeft},
	})
	status := &sb.Status
	known := slices.ContainsFunc(status.Runs, isBoundKnown)
	for i := range status.Comparisons {
		c := &status.Comparisons[i]
		for j := range c.Targets {
			bound := ""
			if known {
				bound = limitedBy(status.Runs, c, c.Targets[j].Name)
			}
			t.AppendRows(targetRows(status.Runs, c, &c.Targets[j], bound))
		}
	}
	t.AppendRows(stateRows(status.Runs))
	if t.Length() == 0 {
		fmt.Fprintln(w, "No runs yet")
		return
	}
	t.Render()
	warnings(w, status.Warnings)
}

// column is a column of a table.
type column struct {
	name  string
	align text.Align
}

// newTable returns a table that looks as kubectl's own: columns apart by spaces, no lines.
func newTable(w io.Writer, columns []column) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	t.SuppressEmptyColumns()
	t.SuppressTrailingSpaces()
	var header table.Row
	var configs []table.ColumnConfig
	for i, c := range columns {
		header = append(header, c.name)
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: c.align, AlignHeader: c.align})
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	return t
}

// baseline returns the name of the target that the others are compared with.
func baseline(spec *v1alpha1.StorageBenchmarkSpec) string {
	if spec.Baseline == nil && len(spec.Targets) > 0 {
		return spec.Targets[0].Name
	}
	return ptr.Deref(spec.Baseline, "")
}

// targetRows returns the rows of a target, with what held it back on the first one.
func targetRows(runs []v1alpha1.Run, c *v1alpha1.Comparison, t *v1alpha1.TargetComparison, limitedBy string) []table.Row {
	results := resultsOf(runs, c, t.Name)
	var rows []table.Row
	add := func(io string, figures ...any) {
		row := append(table.Row{workloadOf(c), parameters(c.Parameters), t.Name, io}, figures...)
		rows = append(rows, append(row, limitedBy))
		limitedBy = ""
	}
	for _, d := range directions(t) {
		add(d.name, iops(&d.io.IOPS, t.Runs), perClient(results, d.of), bandwidth(d.io.BytesPerSecond.Median),
			median(d.io.MeanNanoseconds), median(d.io.P50Nanoseconds), median(d.io.P90Nanoseconds), median(d.io.P99Nanoseconds),
			multiple(d.io.IOPSRatio), string(d.io.Verdict))
	}
	if total := t.Total; total != nil {
		add("total", iops(&total.IOPS, t.Runs), "", bandwidth(total.BytesPerSecond.Median), "-", "-", "-", "-", multiple(total.IOPSRatio), string(total.Verdict))
	}
	return rows
}

// stateRows returns a row for the runs without a result that are alike but for their repetition.
func stateRows(runs []v1alpha1.Run) []table.Row {
	var rows []table.Row
	var counts []int
	for i := range runs {
		run := &runs[i]
		if run.State == v1alpha1.RunSucceeded {
			continue
		}
		row := table.Row{run.Workload, parameters(run.Parameters), run.Target, string(run.State)}
		at := slices.IndexFunc(rows, func(other table.Row) bool { return slices.Equal(row, other) })
		if at < 0 {
			at = len(rows)
			rows, counts = append(rows, row), append(counts, 0)
		}
		counts[at]++
	}
	for i, row := range rows {
		if counts[i] > 1 {
			row[3] = fmt.Sprintf("%s (%d)", row[3], counts[i])
		}
	}
	return rows
}

// warnings prints each kind of warning, and what to do about it.
func warnings(w io.Writer, all []v1alpha1.WarningSummary) {
	for i := range all {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "Warning %s (%s): %s\n", all[i].Reason, plural(int(all[i].Results), "result"), all[i].Message)
		if all[i].Remedy != "" {
			fmt.Fprintf(w, "  %s\n", all[i].Remedy)
		}
	}
}

// isBoundKnown says whether it is known what held a result of the run back.
func isBoundKnown(run v1alpha1.Run) bool {
	known := func(bound *v1alpha1.LimitedBy) bool { return bound != nil && bound.Name != v1alpha1.BoundUnknown }
	return known(run.LimitedBy) || slices.ContainsFunc(run.Sections, func(s v1alpha1.SectionResult) bool { return known(s.LimitedBy) })
}

// limitedBy returns what held most of the target's results of a comparison back, and of how many of them if
// not of all. Of two that are as frequent it is the earlier one.
func limitedBy(runs []v1alpha1.Run, c *v1alpha1.Comparison, target string) string {
	var names []string
	compared := runsOf(runs, c, target)
	for _, run := range compared {
		if bound := boundOf(run, c.Section); bound != nil {
			names = append(names, bound.Name)
		}
	}
	most, times := "", 0
	for _, name := range names {
		if n := count(names, name); n > times {
			most, times = name, n
		}
	}
	if times == len(compared) || times == 0 {
		return most
	}
	return fmt.Sprintf("%s (%d/%d)", most, times, len(compared))
}

// runsOf returns the target's runs of which the results are in a comparison.
func runsOf(runs []v1alpha1.Run, c *v1alpha1.Comparison, target string) []*v1alpha1.Run {
	var compared []*v1alpha1.Run
	for i := range runs {
		run := &runs[i]
		if run.State == v1alpha1.RunSucceeded && run.Target == target && run.Workload == c.Workload && maps.Equal(run.Parameters, c.Parameters) {
			compared = append(compared, run)
		}
	}
	return compared
}

func count(names []string, name string) int {
	n := 0
	for _, other := range names {
		if other == name {
			n++
		}
	}
	return n
}

// boundOf returns what held a section of a run back, or all of it if section is "".
func boundOf(run *v1alpha1.Run, section string) *v1alpha1.LimitedBy {
	if section == "" {
		return run.LimitedBy
	}
	for i := range run.Sections {
		if run.Sections[i].Name == section {
			return run.Sections[i].LimitedBy
		}
	}
	return nil
}

// direction is one of the directions in which a target has I/O.
type direction struct {
	name string
	io   *v1alpha1.IOComparison
	// of returns what a single result has of it.
	of func(*v1alpha1.Result) *v1alpha1.IOResult
}

func directions(t *v1alpha1.TargetComparison) []direction {
	all := []direction{
		{"read", t.Read, func(r *v1alpha1.Result) *v1alpha1.IOResult { return r.Read }},
		{"write", t.Write, func(r *v1alpha1.Result) *v1alpha1.IOResult { return r.Write }},
		{"trim", t.Trim, func(r *v1alpha1.Result) *v1alpha1.IOResult { return r.Trim }},
	}
	return slices.DeleteFunc(all, func(d direction) bool { return d.io == nil })
}

// workloadOf names a workload, and the section that is compared.
func workloadOf(c *v1alpha1.Comparison) string {
	if c.Section == "" {
		return c.Workload
	}
	return c.Workload + "/" + c.Section
}

// parameters prints the choice of a matrix as fio's command line does, such as bs=16k numjobs=2.
func parameters(choice map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(choice)) {
		parts = append(parts, name+"="+choice[name])
	}
	return strings.Join(parts, " ")
}

// iops prints the median, and of several runs how far they are from it: half of their range.
func iops(s *v1alpha1.Statistic, runs int32) string {
	number := strconv.FormatInt(s.Median, 10)
	if runs < 2 || s.Median == 0 {
		return number
	}
	half := (float64(s.Max) - float64(s.Min)) / 2
	return fmt.Sprintf("%s ±%.0f%%", number, math.Round(100*half/float64(s.Median)))
}

// median prints a latency, or - where fio did not take it.
func median(s *v1alpha1.Statistic) string {
	if s == nil {
		return "-"
	}
	return latency(s.Median)
}

// multiple prints a ratio, such as 0.51x.
func multiple(ratio string) string {
	if ratio == "" {
		return ""
	}
	return ratio + "x"
}

// plural prints a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
