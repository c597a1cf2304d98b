package html

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// Kinds of charts, by which src/charts.js chooses what to draw.
const (
	kindBars  = "bars"
	kindLines = "lines"
	kindTime  = "time"
)

// Names of metrics that a reader can switch between, and the one of charts that have only latencies.
const (
	metricIOPS      = "iops"
	metricBandwidth = "bandwidth"
	metricP99       = "p99"
	metricLatency   = "latency"
)

// chart is what src/charts.js draws: figures in the unit of the axis, and texts as the tables have them.
type chart struct {
	Kind string `json:"kind"`
	// Title says what is shown, for people who do not see it.
	Title string `json:"title"`
	// Height in pixels, which is kept free before the chart is drawn.
	Height int `json:"height"`
	// Targets are all of the benchmark, so that a target looks the same in all charts.
	Targets []string `json:"targets"`
	// Groups are the choices of parameters that bars stand together for.
	Groups []string `json:"groups,omitempty"`
	// GroupGap is the padding between groups, as a part of the step from one to the next.
	GroupGap float64 `json:"groupGap,omitempty"`
	// Ticks, XLabel and LogX are the horizontal axis of lines.
	Ticks  []tick `json:"ticks,omitempty"`
	XLabel string `json:"xLabel,omitempty"`
	LogX   bool   `json:"logX,omitempty"`
	// Span is the first and the last second of charts over time.
	Span *[2]float64 `json:"span,omitempty"`
	// Metrics are what can be shown.
	Metrics map[string]plotted `json:"metrics"`
}

// plotted are the figures of one metric.
type plotted struct {
	// Label of the axis, with the unit.
	Label string `json:"label"`
	// Log is for latencies in nanoseconds on a logarithmic axis.
	Log    bool    `json:"log,omitempty"`
	Points []point `json:"points,omitempty"`
	// Lines, Drops and Froms are of charts over time.
	Lines []timeline `json:"lines,omitempty"`
	Drops []fall     `json:"drops,omitempty"`
	Froms []from     `json:"froms,omitempty"`
	// Rules are lines across.
	Rules []rule `json:"rules,omitempty"`

	// unit is what lines are in.
	unit wording.Unit
}

// from is the second from which on a target was measured: before, it was to become steady.
type from struct {
	Target string  `json:"target"`
	X      float64 `json:"x"`
}

// point is a target's figure: of a group, or at a place on the horizontal axis.
type point struct {
	Target string  `json:"target"`
	Group  string  `json:"group"`
	X      float64 `json:"x,omitempty"`
	Value  float64 `json:"value"`
	// Low and High are the ends of the interval, both Value where there is none.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Text is all that there is to say of the point, Short its figure.
	Text  string `json:"text"`
	Short string `json:"short,omitempty"`
	// Marked has the point stand out.
	Marked bool `json:"marked,omitempty"`
}

// tick is a labelled place on the horizontal axis. Minor ones are left out where there is little room.
type tick struct {
	X     float64 `json:"x"`
	Label string  `json:"label"`
	Minor bool    `json:"minor,omitempty"`
}

// Sizes of charts in pixels: a bar, the heading of a group of bars, the axis below, and a chart of lines.
const (
	barHeight     = 26
	headingHeight = 30
	axisHeight    = 44
	linesHeight   = 280
)

// barsHeight returns the height of a chart of groups of bars, and the part that the heading between two groups has of both
// together with the bars of one.
func barsHeight(groups, bars int) (height int, gap float64) {
	group := headingHeight + bars*barHeight
	return groups*group + axisHeight, float64(headingHeight) / float64(group)
}

// figure is a chart, how to read it, and the table of its figures.
type figure struct {
	Chart   *chart
	Caption string
	Note    string
	// Legend tells the targets apart, in charts that do not name them.
	Legend []target
	Table  table
}

// interval is a figure of repetitions: the median, and how far apart they are.
type interval struct {
	value, low, high int64
}

// in returns the interval as a point in a unit, and its text.
func (i interval) in(u wording.Unit, runs int32) point { return i.as(u, runs, u.Of) }

// percentileIn does so for percentiles, which may be beyond fio's histogram.
func (i interval) percentileIn(u wording.Unit, runs int32) point {
	return i.as(u, runs, func(ns int64) string {
		if v1alpha1.IsBeyondHistogram(ns) {
			return "> " + u.Of(ns)
		}
		return u.Of(ns)
	})
}

// as returns the interval as a point in a unit, with figures as they are printed.
func (i interval) as(u wording.Unit, runs int32, printed func(int64) string) point {
	p := point{Value: float64(i.value) / u.Size, Low: float64(i.low) / u.Size, High: float64(i.high) / u.Size, Short: printed(i.value)}
	p.Text = p.Short + " " + u.Name
	if runs > 1 {
		p.Text += " (" + printed(i.low) + "–" + printed(i.high) + ")"
	}
	return p
}

// sizes are the suffixes of fio's numbers: k is 1,024 unless kb_base says otherwise, which makes no difference to the
// order of values.
var sizes = map[string]float64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}

// numeric returns the number that a value of a matrix stands for, such as 4096 for 4k. It is positive, as an axis with
// powers of two needs.
func numeric(value string) (float64, bool) {
	text := strings.ToLower(value)
	digits := strings.TrimRight(text, "bikmgt")
	size, known := sizes[strings.TrimSuffix(strings.TrimSuffix(text[len(digits):], "b"), "i")]
	number, err := strconv.ParseFloat(digits, 64)
	if err != nil || !known || !(number > 0) || math.IsInf(number, 0) {
		return 0, false
	}
	return number * size, true
}

// nines returns the place of a percentile on an axis on which each further nine takes as much room: 90 is at 1, 99 at 2.
func nines(percentile float64) float64 { return -math.Log10(1 - percentile/100) }

// describe joins what is shown and of what, such as "Random writes: IOPS by target".
func describe(of, what string) string { return fmt.Sprintf("%s: %s", of, what) }
