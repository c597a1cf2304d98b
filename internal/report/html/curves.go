package html

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// percentile is one of those that a result has.
type percentile struct {
	name  string
	value float64
	// minor ones have no label where there is little room.
	minor bool
	of    func(*v1alpha1.LatencyDistribution) int64
}

// percentiles are all that a result has.
var percentiles = []percentile{
	{"50", 50, false, func(l *v1alpha1.LatencyDistribution) int64 { return l.P50Nanoseconds }},
	{"90", 90, false, func(l *v1alpha1.LatencyDistribution) int64 { return l.P90Nanoseconds }},
	{"95", 95, true, func(l *v1alpha1.LatencyDistribution) int64 { return l.P95Nanoseconds }},
	{"99", 99, false, func(l *v1alpha1.LatencyDistribution) int64 { return l.P99Nanoseconds }},
	{"99.9", 99.9, false, func(l *v1alpha1.LatencyDistribution) int64 { return l.P999Nanoseconds }},
	{"99.99", 99.99, false, func(l *v1alpha1.LatencyDistribution) int64 { return l.P9999Nanoseconds }},
}

// latencies returns the chart of how latency is distributed in one direction of a comparison, with a curve for each
// target; nil if none was taken.
func (r *results) latencies(c *compared, d direction) *figure {
	title := describe(c.Workload+" "+c.label, d.title)
	f := &figure{Caption: d.title, Table: table{Caption: title + ", latency", Columns: []column{{Name: "Target"}, {Name: "Least", Number: true}}}}
	for _, p := range percentiles {
		f.Table.Columns = append(f.Table.Columns, column{Name: "P" + p.name, Number: true})
	}
	f.Table.Columns = append(f.Table.Columns, column{Name: "Greatest", Number: true})
	if c.label != "" {
		f.Caption = c.label + ", " + d.name + "s"
	}
	var curves []curve
	for i := range c.Targets {
		if own := r.curve(c, c.Targets[i].Name, d); own != nil {
			curves = append(curves, *own)
			f.Legend = append(f.Legend, own.target)
			f.Table.Rows = append(f.Table.Rows, own.row())
		}
	}
	if len(curves) == 0 {
		return nil
	}
	f.Chart = &chart{
		Kind: kindLines, Title: title, Height: linesHeight, Targets: r.names(), XLabel: "percentile",
		Metrics: map[string]plotted{metricLatency: latencySeries(curves, d)},
	}
	for _, p := range percentiles {
		f.Chart.Ticks = append(f.Chart.Ticks, tick{nines(p.value), p.name, p.minor})
	}
	return f
}

// curve is the latency of a target's runs, each percentile with its range over them.
type curve struct {
	target          target
	runs            int32
	least, greatest int64
	percentiles     []interval
}

// curve returns the latency of a target in one direction of a comparison, nil if none was taken. A percentile of several
// runs is the median of the runs' percentiles.
func (r *results) curve(c *compared, target string, d direction) *curve {
	var taken []*v1alpha1.LatencyDistribution
	for _, o := range r.outcomes(c, target) {
		if l := distributionOf(o.Result, d); l != nil {
			taken = append(taken, l)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	all := &curve{target: r.target(target), runs: int32(len(taken)), least: taken[0].MinNanoseconds}
	for _, l := range taken {
		all.least, all.greatest = min(all.least, l.MinNanoseconds), max(all.greatest, l.MaxNanoseconds)
	}
	for _, p := range percentiles {
		var values []int64
		for _, l := range taken {
			values = append(values, p.of(l))
		}
		all.percentiles = append(all.percentiles, interval{cases.MedianPercentile(values), slices.Min(values), slices.Max(values)})
	}
	return all
}

// distributionOf returns how the latency of a direction or of syncs is distributed, nil if that was not taken.
func distributionOf(result *v1alpha1.Result, d direction) *v1alpha1.LatencyDistribution {
	if f := result.Of(d.name); f != nil {
		return f.CompletionLatency
	}
	return nil
}

// row returns the curve as a row of a table.
func (c *curve) row() row {
	own := row{{Text: c.target.Name, Target: &c.target, Heading: true}, number(wording.Latency(c.least))}
	for _, p := range c.percentiles {
		own = append(own, number(wording.Percentile(p.value)))
	}
	return append(own, number(wording.Latency(c.greatest)))
}

// latencySeries returns the points of curves on a logarithmic axis, on which nothing can be zero.
func latencySeries(curves []curve, d direction) plotted {
	what := "I/Os"
	switch d {
	case syncs:
		what = "syncs"
	case operations:
		what = "operations"
	}
	s := plotted{Label: "Latency", Log: true}
	for _, c := range curves {
		for i, p := range percentiles {
			at := c.percentiles[i]
			if at.low <= 0 {
				continue
			}
			s.Points = append(s.Points, point{
				Target: c.target.Name, X: nines(p.value), Value: float64(at.value), Low: float64(at.low), High: float64(at.high),
				Text: fmt.Sprintf("%s, %s %% of %s within\n%s", c.target.Name, p.name, what, at.percentileIn(wording.LatencyUnit(at.value), c.runs).Text),
			})
		}
	}
	return s
}

// minSweep is the fewest values of a parameter that a curve is drawn for: fewer are seen at a glance in bars.
const minSweep = 3

// sweep is a parameter that takes several numbers while the others stay as they are.
type sweep struct {
	parameter string
	// rest is the section and the other parameters.
	rest  string
	cases []*compared
}

// sweeps returns all parameters of a workload that take at least minSweep numbers, by name, each apart for every choice
// of the others and section.
func (r *results) sweeps(workload string) []sweep {
	var all []sweep
	cases := r.of(workload)
	for _, parameter := range numericParameters(cases) {
		index := map[string]int{}
		for _, c := range cases {
			rest := maps.Clone(c.Parameters)
			delete(rest, parameter)
			key := fmt.Sprintf("%q %d %q", c.Section, c.occurrence, rest)
			at, known := index[key]
			if !known {
				at = len(all)
				index[key] = at
				all = append(all, sweep{parameter: parameter, rest: strings.TrimSpace(c.Section + " " + wording.Parameters(rest))})
			}
			all[at].cases = append(all[at].cases, c)
		}
	}
	return slices.DeleteFunc(all, func(s sweep) bool { return len(s.cases) < minSweep })
}

// numericParameters returns the names of the parameters that are numbers in all cases.
func numericParameters(cases []*compared) []string {
	if len(cases) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(cases[0].Parameters)), func(name string) bool {
		return slices.ContainsFunc(cases, func(c *compared) bool {
			_, ok := numeric(c.Parameters[name])
			return !ok
		})
	})
}

// scaling returns the chart of what becomes of one direction when a parameter grows, with a curve for each target; nil
// if there is no such I/O.
func (r *results) scaling(workload string, s sweep, d direction) *figure {
	var places []place
	var ticks []tick
	for _, c := range s.cases {
		value := c.Parameters[s.parameter]
		x, _ := numeric(value)
		ticks = append(ticks, tick{X: x, Label: value})
		for i := range c.Targets {
			if figures, ok := statisticsOf(&c.Targets[i], d); ok {
				places = append(places, place{point{Target: c.Targets[i].Name, X: x, Text: s.parameter + "=" + value}, figures})
			}
		}
	}
	if len(places) == 0 {
		return nil
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.X, b.X) })
	slices.SortFunc(ticks, func(a, b tick) int { return cmp.Compare(a.X, b.X) })
	caption := d.title + " as " + s.parameter + " grows"
	if s.rest != "" {
		caption += ", " + s.rest
	}
	f := &figure{
		Caption: caption,
		Note:    intervalNote(places, "bands"),
		Chart: &chart{
			Kind: kindLines, Title: describe(workload, caption), Height: linesHeight, Targets: r.names(),
			Ticks: ticks, XLabel: s.parameter, LogX: true, Metrics: metricsOf(places),
		},
	}
	f.Table, f.Legend = r.scalingTable(f.Chart.Title, s, d)
	return f
}

// scalingTable returns the IOPS, bandwidth and latency of a sweep, a row for each value and target, and the targets that
// are in it.
func (r *results) scalingTable(title string, s sweep, d direction) (table, []target) {
	t := table{Caption: title, Columns: []column{
		{Name: s.parameter, Number: true}, {Name: "Target"}, {Name: "IOPS", Number: true}, {Name: "Bandwidth", Number: true}, {Name: "P99", Number: true},
	}}
	var shown []target
	for _, c := range s.cases {
		for i := range c.Targets {
			figures, ok := statisticsOf(&c.Targets[i], d)
			if !ok {
				continue
			}
			name := r.target(c.Targets[i].Name)
			if !slices.Contains(shown, name) {
				shown = append(shown, name)
			}
			t.Rows = append(t.Rows, row{
				{Text: c.Parameters[s.parameter], Heading: true, Number: true}, {Text: name.Name, Target: &name},
				rate(figures.iops, figures.runs), speed(figures.bandwidth), figureCell(figures.p99, wording.Percentile),
			})
		}
	}
	return t.omitEmpty(), shown
}
