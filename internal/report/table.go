// Package report prints benchmarks for people: tables and sentences for a terminal, and Markdown.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// Table prints first the answers that the spec asks for: whether the results are as expected, and what searches found.
// Then come a row for each direction of I/O of each comparison's targets, and the state of each run without a result, and
// below the table what may mislead readers. Columns that have nothing to say are left out, such as those of the comparison
// where there is one target.
func Table(w io.Writer, sb *v1alpha1.StorageBenchmark, style Style) {
	printStatus(w, sb, shortFigures(plan.Baseline(&sb.Spec)), style)
}

// Wide prints what Table does, with the figures that Table leaves out: ranges, confidence intervals and p-values, more
// percentiles, CPU, and how much of a limit was used.
func Wide(w io.Writer, sb *v1alpha1.StorageBenchmark, style Style) {
	printStatus(w, sb, wideFigures(plan.Baseline(&sb.Spec)), style)
}

// printStatus prints a table of all rows, and what is to be said below it.
func printStatus(w io.Writer, sb *v1alpha1.StorageBenchmark, columns []figure, style Style) {
	rows := rowsOf(&sb.Status)
	printAnswers(w, sb, style)
	switch {
	case len(rows) > 0:
		printRows(w, rows, columns, style)
	case len(sb.Status.Searches) == 0:
		fmt.Fprintln(w, "No runs yet")
		return
	}
	warnings(w, sb.Status.Warnings, style)
	abandoned(w, sb.Status.AbandonedAttempts, style)
}

// printRows prints a table that is not wider than the style allows: columns find room in the order of what they matter,
// and a line below tells which did not. A row is cut only if even those that must stay are too wide.
func printRows(w io.Writer, rows []row, columns []figure, style Style) {
	shown := fitting(rows, columns, style)
	t := newRows(rows, choose(columns, shown), style)
	t.Style().Size.WidthMax = style.Width
	fmt.Fprintln(w, t.Render())
	var missing []string
	for i, c := range columns {
		if !shown[i] && c.says(rows, style) {
			missing = append(missing, c.name)
		}
	}
	if len(missing) > 0 {
		note := fmt.Sprintf("Too narrow for: %s. A pipe has all, such as to less -S.", strings.Join(missing, ", "))
		fmt.Fprintf(w, "\n%s\n", style.Wrap(note, ""))
	}
}

// fitting says of each column whether there is room for it.
func fitting(rows []row, columns []figure, style Style) []bool {
	shown := make([]bool, len(columns))
	order := make([]int, len(columns))
	for i, c := range columns {
		shown[i], order[i] = c.yields == 0 || style.Width == 0, i
	}
	slices.SortStableFunc(order, func(a, b int) int { return columns[b].yields - columns[a].yields })
	for _, i := range order {
		if !shown[i] {
			shown[i] = true
			shown[i] = text.LongestLineLen(newRows(rows, choose(columns, shown), style).Render()) <= style.Width
		}
	}
	return shown
}

// choose returns the columns that are shown.
func choose(columns []figure, shown []bool) []figure {
	var chosen []figure
	for i, c := range columns {
		if shown[i] {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// says tells whether the column has something to say of a row.
func (f figure) says(rows []row, style Style) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return f.cell(&r, style) != "" })
}

// newRows returns a table of rows that is not yet printed.
func newRows(rows []row, columns []figure, style Style) table.Writer {
	heads := make([]column, len(columns))
	for i, c := range columns {
		heads[i] = c.column
	}
	t := newTable(nil, heads)
	for i := range rows {
		cells := make(table.Row, len(columns))
		for j, c := range columns {
			cells[j] = c.cell(&rows[i], style)
		}
		t.AppendRow(cells)
	}
	return t
}

// column is a column of a table.
type column struct {
	name  string
	align text.Align
}

// newTable returns a table that looks as kubectl's own: columns apart by spaces, no lines. It is printed to w, if that is
// not nil.
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

// warnings prints each kind of warning, and what to do about it.
func warnings(w io.Writer, all []v1alpha1.WarningSummary, style Style) {
	for i := range all {
		if i == 0 {
			fmt.Fprintln(w)
		}
		head := fmt.Sprintf("Warning %s (%s):", all[i].Reason, humanize.Plural(int(all[i].Results), "result"))
		fmt.Fprintln(w, style.Wrap(style.warning(head)+" "+humanize.Line(all[i].Message), "  "))
		if all[i].Remedy != "" {
			fmt.Fprintf(w, "  %s\n", style.Wrap(humanize.Line(all[i].Remedy), "  "))
		}
	}
}

// abandoned prints a line for each attempt that was ended without a result.
func abandoned(w io.Writer, all []v1alpha1.AbandonedAttempt, style Style) {
	for i := range all {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, style.Wrap(style.warning("Abandoned:")+" "+wording.Attempt(&all[i]), "  "))
	}
}
