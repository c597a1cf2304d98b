package main

import (
	"errors"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
)

// What a fleet may take. Memory and passes do not depend on what else the machine does.
const (
	// mostMemory is what the chart lets the operator have.
	mostMemory = 256 << 20
	// mostKept is how many bytes the operator may keep of a benchmark that has ended, with its part of a schedule.
	mostKept = 16 << 10
	// mostLooks is how often an operator that begins may look at each object.
	mostLooks = 1.2
)

// fleetTable returns the figures as Markdown.
func fleetTable(all []*fleet) string {
	t := table.NewWriter()
	header := table.Row{"benchmarks that have ended"}
	for _, f := range all {
		header = append(header, f.ended)
	}
	t.AppendHeader(header)
	for _, r := range []struct {
		name, format string
		value        func(*fleet) float64
	}{
		{"schedules", "%.0f", func(f *fleet) float64 { return float64(f.schedules) }},
		{"benchmarks that measure at the same time", "%.0f", func(f *fleet) float64 { return float64(f.active) }},
		{"start-up, s", "%.1f", func(f *fleet) float64 { return f.startup.Seconds() }},
		{"start-up: passes", "%.0f", func(f *fleet) float64 { return float64(f.startupPasses) }},
		{"start-up: a pass: p99, at most ms", "%.0f", func(f *fleet) float64 { return milliseconds(f.startupP99) }},
		{"start-up: CPU seconds", "%.1f", func(f *fleet) float64 { return f.idle.cpuSeconds }},
		{"start-up: calls to the API server", "%.0f", func(f *fleet) float64 { return float64(f.startupCalls) }},
		{"memory, idle, MiB", "%.0f", func(f *fleet) float64 { return mebi(int(f.idle.residentBytes)) }},
		{"most memory, idle, MiB", "%.0f", func(f *fleet) float64 { return mebi(int(f.idle.peakBytes)) }},
		{"most memory, MiB", "%.0f", func(f *fleet) float64 { return mebi(int(f.busy.peakBytes)) }},
		{"a pass: p50, at most ms", "%.0f", func(f *fleet) float64 { return milliseconds(f.p50) }},
		{"a pass: p99, at most ms", "%.0f", func(f *fleet) float64 { return milliseconds(f.p99) }},
		{"passes within 50 ms, %", "%.2f", func(f *fleet) float64 { return f.quick }},
		{"passes a run", "%.1f", func(f *fleet) float64 { return f.each(float64(f.passes)) }},
		{"calls a run", "%.1f", func(f *fleet) float64 { return f.each(float64(f.calls)) }},
		{"CPU milliseconds a run", "%.1f", func(f *fleet) float64 { return f.each(1000 * (f.busy.cpuSeconds - f.idle.cpuSeconds)) }},
		{"a run beside fio, s", "%.2f", func(f *fleet) float64 { return (f.run - f.fio).Seconds() }},
		{"until all have ended, s", "%.1f", func(f *fleet) float64 { return f.whole.Seconds() }},
	} {
		cells := table.Row{r.name}
		for _, f := range all {
			cells = append(cells, fmt.Sprintf(r.format, r.value(f)))
		}
		t.AppendRow(cells)
	}
	return t.RenderMarkdown()
}

// each returns a figure for one run of one benchmark.
func (f *fleet) each(figure float64) float64 { return figure / float64(f.active*fleetRuns) }

// checkFleets holds each fleet to what it may take, and compares the last one with the first.
func checkFleets(all []*fleet) error {
	var problems []error
	fail := func(format string, values ...any) { problems = append(problems, fmt.Errorf(format, values...)) }
	for _, f := range all {
		if f.busy.peakBytes > mostMemory {
			fail("with %d benchmarks the operator takes %.0f MiB, more than %d", f.ended, mebi(int(f.busy.peakBytes)), mostMemory>>20)
		}
		if objects := float64(f.ended + f.schedules); float64(f.startupPasses) > mostLooks*objects+1 {
			fail("an operator that begins makes %d passes over %.0f objects", f.startupPasses, objects)
		}
	}
	first, last := all[0], all[len(all)-1]
	grown := float64(last.idle.peakBytes) - float64(first.idle.peakBytes)
	if kept := grown / float64(max(last.ended-first.ended, 1)); last.ended > leastFleet && kept > mostKept {
		fail("of each benchmark that has ended the operator keeps %.0f bytes, more than %d", kept, mostKept)
	}
	if few, many := first.each(float64(first.calls)), last.each(float64(last.calls)); many > few*mostCalls {
		fail("calls a run grow from %.1f alone to %.1f in a fleet", few, many)
	}
	return errors.Join(problems...)
}

// leastFleet is from how many benchmarks on what is kept of each shows in the memory of all.
const leastFleet = 1000
