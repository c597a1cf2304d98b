package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
)

// How much a figure for one client in one run may be of that with the fewest clients. Calls are counted, and each is
// there for a reason; passes depend on which changes come together.
const (
	mostCalls  = 1.10
	mostPasses = 1.50
)

// tables returns the figures as Markdown.
func tables(all []*measurement) string {
	return strings.Join([]string{figures(all), byKind(all), times(all), components(all)}, "\n\n")
}

// row is a figure of each measurement.
type row struct {
	name   string
	format string
	value  func(*measurement) float64
}

func figures(all []*measurement) string {
	share := func(value func(*measurement) float64) func(*measurement) float64 {
		return func(m *measurement) float64 { return m.perRunAndClient(value(m)) }
	}
	return render("clients", all, []row{
		{"writes a run and client", "%.2f", share(writes)},
		{"of these, of Jobs, pods and claims", "%.2f", share(each)},
		{"reads a run and client", "%.2f", share(func(m *measurement) float64 { return float64(m.reads) })},
		{"events a run and client", "%.3f", share(func(m *measurement) float64 { return float64(m.events) })},
		{"writes of other components a run and client", "%.2f", share(func(m *measurement) float64 { return float64(m.others) })},
		{"passes a run and client", "%.2f", share(passes)},
		{"operator: CPU milliseconds a run and client", "%.2f", share(func(m *measurement) float64 { return 1000 * m.operator.cpuSeconds })},
		{"operator: CPU milliseconds a pass", "%.2f", func(m *measurement) float64 { return 1000 * m.operator.cpuSeconds / float64(m.passes) }},
		{"operator: most memory, MiB", "%.0f", func(m *measurement) float64 { return mebi(int(m.operator.peakBytes)) }},
		{"volumes and anchors, s", "%.1f", func(m *measurement) float64 { return m.before.Seconds() }},
		{"a run, s", "%.2f", func(m *measurement) float64 { return m.measuring.Seconds() / float64(m.runs) }},
		{"clean-up, s", "%.1f", func(m *measurement) float64 { return m.after.Seconds() }},
		{"whole benchmark, s", "%.1f", func(m *measurement) float64 { return m.whole.Seconds() }},
		{"attempts repeated", "%.0f", func(m *measurement) float64 { return float64(m.repeated) }},
		{"status, KiB", "%.1f", func(m *measurement) float64 { return 1024 * mebi(m.statusBytes) }},
		{"largest ConfigMap of clients' results, KiB", "%.1f", func(m *measurement) float64 { return 1024 * mebi(m.clientsBytes) }},
		{"largest ConfigMap of logs, KiB", "%.1f", func(m *measurement) float64 { return 1024 * mebi(m.logBytes) }},
	})
}

func writes(m *measurement) float64 { return float64(m.writes) }
func each(m *measurement) float64   { return float64(m.each) }
func passes(m *measurement) float64 { return float64(m.passes) }

func mebi(bytes int) float64 { return float64(bytes) / (1 << 20) }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// byKind returns all calls of the operator.
func byKind(all []*measurement) string {
	kinds := map[string]bool{}
	for _, m := range all {
		for kind := range m.calls {
			kinds[kind] = true
		}
	}
	var rows []row
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		rows = append(rows, row{kind, "%.0f", func(m *measurement) float64 { return float64(m.calls[kind]) }})
	}
	return render("calls of the operator, in all; clients", all, rows)
}

// times returns where the time of a run goes, the median of all runs.
func times(all []*measurement) string {
	median := func(part func(split) time.Duration) func(*measurement) float64 {
		return func(m *measurement) float64 {
			if len(m.splits) == 0 {
				return 0
			}
			var parts []time.Duration
			for _, s := range m.splits {
				parts = append(parts, part(s))
			}
			slices.Sort(parts)
			return parts[len(parts)/2].Seconds()
		}
	}
	return render("seconds of a run, median; clients", all, []row{
		{"make the Jobs", "%.2f", median(func(s split) time.Duration { return s.create })},
		{"until all pods run", "%.2f", median(func(s split) time.Duration { return s.start })},
		{"until the first is told of the start", "%.2f", median(func(s split) time.Duration { return s.agree })},
		{"until all are told", "%.2f", median(func(s split) time.Duration { return s.tell })},
		{"until all have ended", "%.2f", median(func(s split) time.Duration { return s.wait })},
		{"until the next run's first Job", "%.2f", median(func(s split) time.Duration { return s.record })},
		{"in all", "%.2f", median(split.whole)},
	})
}

// components returns what each program takes for one client in one run.
func components(all []*measurement) string {
	names := map[string]bool{}
	for _, m := range all {
		for name := range m.cpu {
			names[name] = true
		}
	}
	var rows []row
	for _, name := range slices.Sorted(maps.Keys(names)) {
		rows = append(rows, row{name, "%.2f", func(m *measurement) float64 { return m.perRunAndClient(1000 * m.cpu[name]) }})
	}
	return render("CPU milliseconds a run and client; clients", all, rows)
}

func render(title string, all []*measurement, rows []row) string {
	t := table.NewWriter()
	header := table.Row{title}
	for _, m := range all {
		header = append(header, m.clients)
	}
	t.AppendHeader(header)
	for _, r := range rows {
		cells := table.Row{r.name}
		for _, m := range all {
			cells = append(cells, fmt.Sprintf(r.format, r.value(m)))
		}
		t.AppendRow(cells)
	}
	return t.RenderMarkdown()
}

// check compares each measurement with the first one.
func check(all []*measurement) error {
	var problems []error
	for _, m := range all[1:] {
		for _, c := range []struct {
			what  string
			value func(*measurement) float64
			most  float64
		}{{"writes", writes, mostCalls}, {"writes of Jobs, pods and claims", each, mostCalls}, {"passes", passes, mostPasses}} {
			few, many := all[0].perRunAndClient(c.value(all[0])), m.perRunAndClient(c.value(m))
			if many > few*c.most {
				problems = append(problems, fmt.Errorf("%s a run and client grow from %.2f with %d clients to %.2f with %d: at most %.2f times as many are linear",
					c.what, few, all[0].clients, many, m.clients, c.most))
			}
		}
	}
	return errors.Join(problems...)
}
