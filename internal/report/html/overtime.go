package html

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/wording"
	"github.com/storagebench/storagebench/internal/series"
)

const (
	// maxTimeCharts is the most charts over time that a page has, and maxTimeLines the most lines in one of them: less than 2 MB of a page together.
	maxTimeCharts = 32
	maxTimeLines  = 12
)

// overTime are the charts of a workload over time.
type overTime struct {
	Figures []figure
	// Note says what is left out.
	Note string
}

// overTime returns the charts of a workload over time, as far as the page has room for them.
func (r *results) overTime(workload string) overTime {
	var out overTime
	left := 0
	for _, c := range r.of(workload) {
		for _, d := range directions {
			recorded := r.recorded(c, d)
			switch {
			case len(recorded) == 0:
			case r.timeCharts >= maxTimeCharts:
				left++
			default:
				figures := r.timeFigures(c, d, recorded)
				r.timeCharts += len(figures)
				out.Figures = append(out.Figures, figures...)
			}
		}
	}
	if left > 0 {
		out.Note = fmt.Sprintf("This page has room for about %d charts over time: those of %s more are left out here. kubectl storagebench report %s -o csv --series has all points.",
			maxTimeCharts, humanize.Plural(left, "case"), r.sb.Name)
	}
	return out
}

// timed is what a run did in one direction over its time.
type timed struct {
	target target
	run    *v1alpha1.Run
	of     *series.Series
	// section is what the direction is of.
	section *series.Section
	*series.Direction
	// again is how many runs of the same are before it.
	again int
}

// recorded returns what the runs of a case did in a direction over time, target by target and in their order.
func (r *results) recorded(c *compared, d direction) []timed {
	var all []timed
	for i := range c.Targets {
		target, again := r.target(c.Targets[i].Name), 0
		for _, o := range r.outcomes(c, target.Name) {
			of := r.series[o.Run.Name]
			if section := sectionAt(of, indexOf(o.Run, c)); section != nil && directionOf(section, d) != nil {
				all = append(all, timed{target, o.Run, of, section, directionOf(section, d), again})
				again++
			}
		}
	}
	return all
}

// indexOf returns the place that the section of a case has in a run's series, -1 if there is none. A run with a single result has one.
func indexOf(run *v1alpha1.Run, c *compared) int {
	if run.Result != nil {
		return 0
	}
	before := c.occurrence
	return slices.IndexFunc(run.Sections, func(s v1alpha1.SectionResult) bool {
		if s.Name == c.Section {
			before--
		}
		return before < 0
	})
}

// sectionAt returns a section of a series, nil if there is none at that place, or it has no points.
func sectionAt(s *series.Series, index int) *series.Section {
	if s == nil || index < 0 || index >= len(s.Sections) || s.Sections[index].Points() == 0 {
		return nil
	}
	return &s.Sections[index]
}

// directionOf returns a direction of a section, nil if it has none.
func directionOf(section *series.Section, d direction) *series.Direction {
	for name, recorded := range section.Directions() {
		if name == d.name {
			return recorded
		}
	}
	return nil
}

// timeFigures returns the chart of what runs did, and the one of their latencies if they were measured.
func (r *results) timeFigures(c *compared, d direction, recorded []timed) []figure {
	about := d.title
	if c.label != "" {
		about = c.label + ", " + d.name + "s"
	}
	shown := fewRuns(recorded)
	rates := r.timeFigure(about, describe(c.Workload+" "+c.label, d.title+" over time"), shown)
	rates.Chart.Metrics = r.rateMetrics(shown, d, r.isAlone(c, d))
	if r.isFirst(c, d) {
		rates.Table = happenedTable(describe(strings.TrimSpace(c.Workload+" "+c.label), withSummed("over time", shown[0].section)), shown)
	}
	rates.Note = strings.Join(strings.Fields(fallsOf(shown)+" "+fromNote(shown)+" "+notesOfRuns(shown, len(recorded)-len(shown))), " ")
	figures := []figure{rates}
	if bands := latencyBands(shown); len(bands) > 0 {
		f := r.timeFigure(about+", latency", describe(c.Workload+" "+c.label, d.title+", latency over time"), shown)
		f.Note = "Bands reach from P50, which is the line, to P99, of the first run of each target." + latencyNote(shown)
		f.Chart.Metrics = map[string]plotted{metricLatency: {Label: "Latency", Log: true, Lines: bands}}
		figures = append(figures, f)
	}
	return figures
}

// latencyNote says what points are that are put together.
func latencyNote(shown []timed) string {
	at := slices.IndexFunc(shown, isThinnedLatency)
	if at < 0 {
		return ""
	}
	return fmt.Sprintf(" Of %s, P50 is the middle one and P99 the highest.", seconds(shown[at].latencyLine().Step))
}

// isAlone says whether a case has no I/O of another direction, with which a limit would be shared.
func (r *results) isAlone(c *compared, d direction) bool {
	return !slices.ContainsFunc(directions, func(other direction) bool { return other != d && len(r.recorded(c, other)) > 0 })
}

// isFirst says whether a direction is the first one of a case.
func (r *results) isFirst(c *compared, d direction) bool {
	for _, other := range directions {
		if len(r.recorded(c, other)) > 0 {
			return other == d
		}
	}
	return false
}

// fewRuns returns as many runs as a chart has lines, as many of each target.
func fewRuns(recorded []timed) []timed {
	targets := map[string]bool{}
	for _, t := range recorded {
		targets[t.target.Name] = true
	}
	each := max(1, maxTimeLines/len(targets))
	few := slices.DeleteFunc(slices.Clone(recorded), func(t timed) bool { return t.again >= each })
	return few[:min(len(few), maxTimeLines)]
}

// notesOfRuns says which runs are which line, and how many are left out.
func notesOfRuns(shown []timed, left int) string {
	var notes []string
	if slices.ContainsFunc(shown, func(t timed) bool { return t.again > 0 }) {
		notes = append(notes, "Thick lines are the first run of each target, thin ones its repetitions.")
	}
	if at := slices.IndexFunc(shown, func(t timed) bool { return t.again == 0 && bandOf(&t.IOPS, 1) != nil }); at >= 0 {
		step := shown[at].line(len(shown[at].IOPS.Mean), shown[at].of.IntervalMilliseconds).Step
		notes = append(notes, fmt.Sprintf("Each point is the mean of %s, and bands reach from the least to the most of it.", seconds(step)))
	}
	if at := slices.IndexFunc(shown, isThinnedLatency); at >= 0 {
		notes = append(notes, fmt.Sprintf("A point of P99 is the highest one of %s.", seconds(shown[at].latencyLine().Step)))
	}
	if left > 0 {
		notes = append(notes, wording.Upper(humanize.Plural(left, "run")+" more are left out."))
	}
	return strings.Join(notes, " ")
}

// isThinnedLatency says whether a line of a run's latencies has points that are put together.
func isThinnedLatency(t timed) bool { return t.Latency != nil && thinnedBy(len(t.Latency.P50)) > 1 }

// timeFigure returns a chart of runs over time that has no metrics yet.
func (r *results) timeFigure(caption, title string, shown []timed) figure {
	end := 0.0
	f := figure{Caption: caption, Chart: &chart{Kind: kindTime, Title: title, Height: linesHeight, Targets: r.names()}}
	for _, t := range shown {
		end = max(end, float64(len(t.IOPS.Mean))*float64(t.of.IntervalMilliseconds)/1000)
		if !slices.Contains(f.Legend, t.target) {
			f.Legend = append(f.Legend, t.target)
		}
	}
	f.Chart.Ticks, f.Chart.XLabel = timeAxis(end)
	f.Chart.Span = &[2]float64{0, end}
	return f
}

// seconds prints seconds of a point.
func seconds(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) + " s" }
