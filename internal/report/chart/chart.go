// Package chart draws a history: one HTML page with a line for each figure, that needs neither scripts nor a network.
package chart

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"time"

	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/regression"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// Size of a chart, in SVG's units.
const (
	width, height = 640, 120
	margin        = 8
)

// HTML prints a page of a schedule's history, with the changes that were found in it. Figures that changed come first.
func HTML(w io.Writer, name string, h *history.History, found *regression.Report) error {
	charts := chartsOf(h, found)
	slices.SortStableFunc(charts, func(a, b line) int { return cmp.Compare(len(b.Changes), len(a.Changes)) })
	several := slices.ContainsFunc(h.Points, func(p history.Point) bool { return hasPast(&p, h.Points) })
	return page.Execute(w, map[string]any{
		"Several": several, "Name": name, "Message": found.Message(), "Charts": charts, "Width": width, "Height": height, "Runs": len(h.Points),
	})
}

// line is a chart of one figure. All of its texts are escaped by the template.
type line struct {
	Title       string
	First, Last string
	// Least and Most are the ends of the axis, which begins at 0.
	Least, Most string
	// Dots are runs. Lines are through those that can be compared: one for each baseline.
	Dots    []dot
	Lines   []path
	Changes []mark
}

// path is a line through runs of one baseline. Kind is past where that is not the last run's baseline.
type path struct{ Points, Kind string }

// dot is a run, of the kind of its line.
type dot struct{ X, Y, Title, Kind string }

// mark is where a figure changed.
type mark struct{ X, Kind, Message string }

// key is a figure of a case.
type key struct {
	history.Case
	metric history.Metric
}

// chartsOf returns a chart for each figure of each case, in the order in which they occur.
func chartsOf(h *history.History, found *regression.Report) []line {
	var order []key
	values := map[key][]value{}
	for i := range h.Points {
		p := &h.Points[i]
		for _, m := range p.Cases {
			for _, f := range m.Figures {
				k := key{m.Case, f.Metric}
				if values[k] == nil {
					order = append(order, k)
				}
				values[k] = append(values[k], value{p, f.Value})
			}
		}
	}
	charts := make([]line, len(order))
	for i, k := range order {
		charts[i] = draw(k, values[k], h.Points, changesOf(k, found))
	}
	return charts
}

// value is a figure of a point.
type value struct {
	point *history.Point
	value int64
}

// axis is the time of all runs.
type axis struct{ first, last time.Time }

// axisOf returns the axis of at least one run. They are in the order in which they were kept, which need not be that of time.
func axisOf(runs []history.Point) axis {
	a := axis{runs[0].Time, runs[0].Time}
	for i := range runs {
		if at := runs[i].Time; at.Before(a.first) {
			a.first = at
		} else if at.After(a.last) {
			a.last = at
		}
	}
	return a
}

// x returns where a time is. Runs of a schedule are not evenly apart: it may have been suspended, or have another time.
func (a axis) x(at time.Time) string {
	return number(margin + at.Sub(a.first).Seconds()/math.Max(a.last.Sub(a.first).Seconds(), 1)*(width-2*margin))
}

func changesOf(k key, found *regression.Report) []*regression.Finding {
	var all []*regression.Finding
	for i := range found.Findings {
		if f := &found.Findings[i]; f.Case == k.Case && f.Metric == k.metric {
			all = append(all, f)
		}
	}
	return all
}

// draw makes the chart of a figure. All charts have the same time at the same place.
func draw(k key, values []value, runs []history.Point, changes []*regression.Finding) line {
	metric, _ := expectation.FindMetric(k.metric.String())
	most := int64(1)
	for _, v := range values {
		most = max(most, v.value)
	}
	over := axisOf(runs)
	l := line{
		Title: regression.FigureText(&k.Case, k.metric),
		First: regression.Minute(over.first), Last: regression.Minute(over.last),
		Least: "0", Most: metric.Text(most),
	}
	for _, v := range values {
		y := number(height - margin - float64(v.value)/float64(most)*(height-2*margin))
		title := fmt.Sprintf("%s %s: %s", regression.Minute(v.point.Time), v.point.Benchmark, metric.Text(v.value))
		l.Dots = append(l.Dots, dot{over.x(v.point.Time), y, title, kindOf(v.point, k.Target, runs)})
	}
	l.Lines = linesOf(k.Target, values, l.Dots)
	for _, c := range changes {
		if slices.ContainsFunc(values, func(v value) bool { return v.point.Time.Equal(c.Time) }) {
			l.Changes = append(l.Changes, mark{over.x(c.Time), markOf(c), c.Message()})
		}
	}
	return l
}

// markOf is what a change is called. One that is known is no more to be acted on.
func markOf(f *regression.Finding) string {
	if f.Acknowledged {
		return "Acknowledged"
	}
	return string(f.Kind)
}

// past is the kind of what cannot be compared with the last run.
const past = "past"

// hasPast says whether something of a point cannot be compared with the last run.
func hasPast(p *history.Point, runs []history.Point) bool {
	return slices.ContainsFunc(p.Cases, func(m history.Measured) bool { return kindOf(p, m.Target, runs) == past })
}

func kindOf(p *history.Point, target string, runs []history.Point) string {
	if p.Environment.BaselineFor(target) == runs[len(runs)-1].Environment.BaselineFor(target) {
		return ""
	}
	return past
}

// linesOf joins the runs of each baseline, in the order in which the baselines began. A baseline may come back.
func linesOf(target string, values []value, dots []dot) []path {
	var lines []path
	index := map[string]int{}
	for i, v := range values {
		baseline, point := v.point.Environment.BaselineFor(target), dots[i].X+","+dots[i].Y
		if at, ok := index[baseline]; ok {
			lines[at].Points += " " + point
			continue
		}
		index[baseline] = len(lines)
		lines = append(lines, path{point, dots[i].Kind})
	}
	return lines
}

func number(x float64) string { return fmt.Sprintf("%.1f", x) }
