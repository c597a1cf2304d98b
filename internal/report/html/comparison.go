package html

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// statistics are the figures of one operation that bars and scaling curves show.
type statistics struct {
	// iops are in thousandths and nil of syncs, bandwidth is in bytes per second and also nil of metadata, and p99 is in
	// nanoseconds and nil if it was not taken.
	iops, bandwidth, p99 *v1alpha1.Statistic
	runs                 int32
}

// statisticsOf returns the figures of a target of one operation, false if it has none.
func statisticsOf(t *v1alpha1.TargetComparison, d direction) (statistics, bool) {
	f := t.Of(d.name)
	if f == nil || f.MilliIOPS == nil && f.P99Nanoseconds == nil {
		return statistics{}, false
	}
	return statistics{f.MilliIOPS, f.BytesPerSecond, f.P99Nanoseconds, t.Runs}, true
}

// place is where a target's statistics are in a chart.
type place struct {
	point
	statistics
}

// metricsOf returns what can be shown of the statistics, each in the unit that fits its largest figure. Intervals are
// those of confidence if all have them.
func metricsOf(places []place) map[string]plotted {
	confident := hasConfidence(places)
	metrics := map[string]plotted{}
	add := func(metric, label string, unitOf func(int64) wording.Unit, in func(interval, wording.Unit, int32) point, pick func(statistics) *v1alpha1.Statistic) {
		var largest int64
		for _, p := range places {
			if s := pick(p.statistics); s != nil {
				largest = max(largest, s.Median)
			}
		}
		u := unitOf(largest)
		var points []point
		for _, p := range places {
			s := pick(p.statistics)
			if s == nil {
				continue
			}
			at := in(intervalOf(s, confident), u, p.runs)
			at.Target, at.Group, at.X = p.Target, p.Group, p.X
			at.Text = strings.TrimSpace(p.Target+" "+p.Text) + "\n" + at.Text
			points = append(points, at)
		}
		if len(points) > 0 {
			metrics[metric] = plotted{Label: fmt.Sprintf(label, u.Name), Points: points}
		}
	}
	add(metricIOPS, "%s", func(int64) wording.Unit { return wording.Rate }, interval.in, func(s statistics) *v1alpha1.Statistic { return s.iops })
	add(metricBandwidth, "Bandwidth (%s)", wording.BandwidthUnit, interval.in, func(s statistics) *v1alpha1.Statistic { return s.bandwidth })
	add(metricP99, "99th percentile of latency (%s)", wording.LatencyUnit, interval.percentileIn, func(s statistics) *v1alpha1.Statistic { return s.p99 })
	if _, rates := metrics[metricIOPS]; !rates && len(metrics) > 0 {
		return map[string]plotted{metricLatency: metrics[metricP99]} // which is shown whatever the reader chooses
	}
	return metrics
}

// hasConfidence says whether there is a confidence interval of each figure.
func hasConfidence(places []place) bool {
	for _, p := range places {
		for _, s := range []*v1alpha1.Statistic{p.iops, p.bandwidth, p.p99} {
			if s != nil && (s.ConfidenceLow == nil || s.ConfidenceHigh == nil) {
				return false
			}
		}
	}
	return len(places) > 0
}

// intervalOf returns the median with its confidence interval, or with the range of the repetitions.
func intervalOf(s *v1alpha1.Statistic, confident bool) interval {
	if confident && s.ConfidenceLow != nil && s.ConfidenceHigh != nil {
		return interval{s.Median, *s.ConfidenceLow, *s.ConfidenceHigh}
	}
	return interval{s.Median, s.Least(), s.Most()}
}

// intervalNote says what an interval in a chart is.
func intervalNote(places []place, interval string) string {
	var most int32
	for _, p := range places {
		most = max(most, p.runs)
	}
	switch {
	case most < 2:
		return "Each figure is of one run: how much it varies is not known."
	case hasConfidence(places):
		return fmt.Sprintf("Medians of up to %d runs; %s are the median's confidence interval of 95 %%.", most, interval)
	default:
		return fmt.Sprintf("Medians of up to %d runs; %s reach from the smallest to the largest.", most, interval)
	}
}

// bars returns the chart of one direction of a workload, nil if it has no I/O in it.
func (r *results) bars(workload string, d direction) *figure {
	var places []place
	var groups []string
	shown := map[string]bool{}
	for _, c := range r.of(workload) {
		before := len(places)
		for i := range c.Targets {
			if s, ok := statisticsOf(&c.Targets[i], d); ok {
				places = append(places, place{point{Target: c.Targets[i].Name, Group: c.label, Text: c.label}, s})
				shown[c.Targets[i].Name] = true
			}
		}
		if len(places) > before {
			groups = append(groups, c.label)
		}
	}
	if len(places) == 0 {
		return nil
	}
	height, gap := barsHeight(len(groups), len(shown))
	return &figure{
		Caption: d.title,
		Note:    intervalNote(places, "whiskers"),
		Chart: &chart{
			Kind: kindBars, Title: describe(workload, d.title+" by target"), Height: height, GroupGap: gap,
			Targets: r.names(), Groups: groups, Metrics: metricsOf(places),
		},
	}
}

// comparisonTable returns all figures of a workload, a row for each direction of each target.
func (r *results) comparisonTable(workload string) table {
	t := table{
		Caption: "Figures of " + workload,
		Columns: []column{
			{Name: "Parameters"}, {Name: "Target"}, {Name: "I/O"},
			{Name: "IOPS", Number: true}, {Name: "Bandwidth", Number: true},
			{Name: "Mean", Number: true, Hint: "mean latency from submission to completion; of sync without percentiles also as a multiple of the baseline's"},
			{Name: "P50", Number: true, Hint: "median of completion latency"}, {Name: "P90", Number: true, Hint: "90th percentile of completion latency"},
			{Name: "P99", Number: true, Hint: "99th percentile of completion latency; below it as a multiple of the baseline's, and the interval in which that is with a confidence of 95 %, if there is one"},
			{Name: "vs " + r.baseline, Number: true, Hint: "IOPS as a multiple of the baseline's, and the interval in which it is with a confidence of 95 %"},
			{Name: "Verdict", Hint: "on IOPS; of sync, and where both did the workload's own rate, on P99; p is corrected for the number of comparisons"}, {Name: "Limited by"},
		},
	}
	for _, c := range r.of(workload) {
		first := true
		for i := range c.Targets {
			for _, own := range r.targetRows(c, &c.Targets[i]) {
				if !first {
					own[0].Class = "repeated"
				}
				first = false
				t.Rows = append(t.Rows, own)
			}
		}
	}
	return t.omitEmpty()
}

// targetRows returns the rows of a target in a comparison: its directions, its syncs, and the directions' sum if there are several. What
// held it back is on the first one.
func (r *results) targetRows(c *compared, t *v1alpha1.TargetComparison) []row {
	bound := boundCell(r.outcomes(c, t.Name))
	name := r.target(t.Name)
	var rows []row
	add := func(io string, figures ...cell) {
		own := append(row{heading(c.label), {Text: name.Name, Target: &name}, {Text: io, Class: "short"}}, figures...)
		rows = append(rows, append(own, bound))
		bound = cell{}
	}
	for i := range t.Figures {
		f := &t.Figures[i]
		mean, p99 := figureCell(f.MeanNanoseconds, wording.Latency), beside(figureCell(f.P99Nanoseconds, wording.Percentile), f.P99Nanoseconds)
		if f.Judged() == f.MeanNanoseconds && f.JudgedBy == "" {
			mean = beside(mean, f.MeanNanoseconds) // of syncs without percentiles
		}
		add(f.Name, rate(f.MilliIOPS, t.Runs), speed(f.BytesPerSecond), mean, figureCell(f.P50Nanoseconds, wording.Percentile), figureCell(f.P90Nanoseconds, wording.Percentile), p99,
			ratio(f.MilliIOPS), verdictOn(verdictCell(f.Judged()), f.JudgedBy))
	}
	return rows
}

// rate is a cell with IOPS, and of several runs the range; empty of syncs, which have none.
func rate(s *v1alpha1.Statistic, runs int32) cell {
	if s == nil {
		return cell{Number: true}
	}
	c := number(wording.IOPS(s.Median))
	switch {
	case s.ConfidenceLow != nil && s.ConfidenceHigh != nil:
		c.Sub = wording.Range(*s.ConfidenceLow, *s.ConfidenceHigh, "–")
	case runs > 1:
		c.Sub = wording.Range(s.Least(), s.Most(), "–")
	}
	return c
}

// speed is a cell with bandwidth in both units that fio prints; empty of syncs and of metadata, which have none.
func speed(s *v1alpha1.Statistic) cell {
	if s == nil {
		return cell{Number: true}
	}
	return cell{Text: wording.Bandwidth(s.Median), Sub: wording.DecimalBandwidth(s.Median), Number: true}
}

// figureCell is a cell with the median of a figure, empty where there is none.
func figureCell(s *v1alpha1.Statistic, words func(int64) string) cell {
	if s == nil {
		return cell{Number: true}
	}
	return number(words(s.Median))
}

// beside adds to a latency what multiple of the baseline's it is, and the interval in which that is, if there is one.
func beside(c cell, s *v1alpha1.Statistic) cell {
	if s.Multiple() == "" {
		return c
	}
	r := ratio(s)
	c.Sub = strings.TrimSpace(r.Text + " " + r.Sub)
	return c
}

// ratio is a cell with a multiple of the baseline's figure and the interval in which it is, or with what is there instead of a number.
func ratio(s *v1alpha1.Statistic) cell {
	multiple := s.Multiple()
	if multiple == "" {
		return cell{Number: true}
	}
	if _, err := strconv.ParseFloat(multiple, 64); err != nil {
		return text(multiple)
	}
	c := number(multiple + "x")
	if s.RatioLow != "" && s.RatioHigh != "" {
		c.Sub = s.RatioLow + "–" + s.RatioHigh
	}
	return c
}

// verdictCell says how a target does beside the baseline, in words, with a sign and a class, and how sure that is.
func verdictCell(s *v1alpha1.Statistic) cell {
	if s == nil {
		return cell{}
	}
	v := s.Verdict
	c := cell{Text: cmp.Or(verdictWords[v], string(v)), Class: verdictClasses[v]}
	if s.IsSmall(v) {
		c.Text += " (within 5 %)"
	}
	if p := cmp.Or(s.AdjustedPValue, s.PValue); p != "" && c.Text != "" {
		c.Sub = "p = " + p
	}
	if s.DetectablePercent > 0 && c.Text != "" {
		c.Sub = fmt.Sprintf("%d %% would show", s.DetectablePercent)
	}
	return c
}

// verdictOn adds to a verdict the latency that it is on, if it is on one instead of IOPS.
func verdictOn(c cell, by v1alpha1.JudgedBy) cell {
	if by != "" {
		c.Text += fmt.Sprintf(" (%s)", by)
	}
	return c
}

// verdictWords are verdicts with a sign that needs no colour.
var verdictWords = map[v1alpha1.Verdict]string{
	v1alpha1.VerdictFaster:     "▲ Faster",
	v1alpha1.VerdictSlower:     "▼ Slower",
	v1alpha1.VerdictSame:       "= Same",
	v1alpha1.VerdictNotShown:   "Not shown",
	v1alpha1.VerdictTooFewRuns: "Too few runs",
}

// verdictClasses are the classes of style.css for verdicts.
var verdictClasses = map[v1alpha1.Verdict]string{
	v1alpha1.VerdictFaster:     "faster",
	v1alpha1.VerdictSlower:     "slower",
	v1alpha1.VerdictSame:       "same",
	v1alpha1.VerdictNotShown:   "unsure",
	v1alpha1.VerdictTooFewRuns: "unsure",
}

// boundCell tells what held most of the results back, how much of that limit was used, and of how many results it is true
// if not of all.
func boundCell(outcomes []cases.Outcome) cell {
	bounds := cases.Bounds(outcomes)
	most, times := cases.MostFrequent(bounds)
	if times == 0 {
		return cell{}
	}
	c := cell{Text: wording.Upper(wording.Bound(most))}
	used, known := cases.Used(bounds)
	switch {
	case times < len(bounds):
		c.Sub = fmt.Sprintf("%d of %s", times, humanize.Plural(len(bounds), "run"))
	case known:
		c.Sub = fmt.Sprintf("%d %% used", used)
	}
	return c
}
