package report

import (
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Table prints a row for each direction of each result, and for each run without one its state.
func Table(w io.Writer, status *v1alpha1.StorageBenchmarkStatus) {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(plain())
	t.AppendHeader(table.Row{"Workload", "Target", "I/O", "IOPS", "Bandwidth", "Mean", "p50", "p90", "p99", "p99.9", "Max"})
	var numbers []table.ColumnConfig
	for column := 4; column <= 11; column++ {
		numbers = append(numbers, table.ColumnConfig{Number: column, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(numbers)
	for i := range status.Runs {
		t.AppendRows(rows(&status.Runs[i]))
	}
	t.Render()
}

// plain is the look of kubectl's own tables: columns apart by spaces, no lines.
func plain() table.Style {
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "   "
	style.Format.Header = text.FormatUpper
	return style
}

func rows(run *v1alpha1.Run) []table.Row {
	if run.Result != nil {
		return resultRows(run.Workload, run.Target, run.Result)
	}
	if len(run.Sections) == 0 {
		return []table.Row{{run.Workload, run.Target, string(run.State)}}
	}
	var all []table.Row
	for i := range run.Sections {
		all = append(all, resultRows(run.Workload+"/"+run.Sections[i].Name, run.Target, &run.Sections[i].Result)...)
	}
	return all
}

func resultRows(workload, target string, result *v1alpha1.Result) []table.Row {
	var all []table.Row
	for _, d := range directions(result) {
		row := table.Row{workload, target, d.name, strconv.FormatInt(d.io.IOPS, 10), bandwidth(d.io.BytesPerSecond)}
		row = append(row, meanOf(d.io))
		if c := d.io.CompletionLatency; c != nil {
			for _, ns := range []int64{c.P50Nanoseconds, c.P90Nanoseconds, c.P99Nanoseconds, c.P999Nanoseconds, c.MaxNanoseconds} {
				row = append(row, latency(ns))
			}
		}
		all = append(all, row)
	}
	return all
}

func meanOf(io *v1alpha1.IOResult) string {
	if io.Latency == nil {
		return "-"
	}
	return latency(io.Latency.MeanNanoseconds)
}
