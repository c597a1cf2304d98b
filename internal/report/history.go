package report

import (
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// HistoryTable prints a row for each case of each benchmark, oldest first, with those metrics that some case has.
func HistoryTable(w io.Writer, h *history.History) {
	all := cases.KeptIn(h)
	columns := []column{
		{"TIME (UTC)", text.AlignLeft}, {"BENCHMARK", text.AlignLeft}, {"STATUS", text.AlignLeft}, {"WORKLOAD", text.AlignLeft}, {"TARGET", text.AlignLeft},
	}
	metrics := cases.MetricsIn(all)
	for _, m := range metrics {
		known, _ := expectation.FindMetric(m.String())
		columns = append(columns, column{strings.ToUpper(known.Words("sync")), text.AlignRight})
	}
	t := newTable(w, columns)
	for i := range all {
		k := &all[i]
		row := []any{k.Point.Time.UTC().Format(time.DateTime), wording.Harmless(k.Point.Benchmark), wording.Harmless(k.Point.Reason), wording.Harmless(k.WorkloadText()), wording.Harmless(k.Target)}
		for _, m := range metrics {
			row = append(row, metricText(k.Measured, m))
		}
		t.AppendRow(row)
	}
	t.Render()
}

// metricText is a figure for people, "" if there is none.
func metricText(m *history.Measured, metric history.Metric) string {
	value, ok := m.Of(metric)
	switch {
	case !ok:
		return ""
	case metric.IsLatency():
		return wording.Percentile(value)
	default:
		return wording.IOPS(value)
	}
}
