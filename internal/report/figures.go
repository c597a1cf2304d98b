package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// figure is a column of a table of results.
type figure struct {
	column

	// yields is the column's turn to give way where there is no room for all, from 1; one with 0 stays.
	yields int
	// cell returns what the column has of a row, "" if that is nothing.
	cell func(*row, Style) string
}

// left returns a column with texts.
func left(name string, cell func(*row, Style) string) figure {
	return figure{column: column{name, text.AlignLeft}, cell: cell}
}

// right returns a column with numbers.
func right(name string, cell func(*row, Style) string) figure {
	return figure{column: column{name, text.AlignRight}, cell: cell}
}

// yielding returns the columns with their turns to give way: the first that is named goes first, and those that are not
// named stay.
func yielding(columns []figure, names ...string) []figure {
	for i := range columns {
		columns[i].yields = slices.Index(names, columns[i].name) + 1
	}
	return columns
}

// ofFigures returns a cell that is empty where there are no results.
func ofFigures(cell func(*row) string) func(*row, Style) string {
	return func(r *row, _ Style) string {
		if r.figures == nil {
			return ""
		}
		return cell(r)
	}
}

// ofRates returns a cell that is empty where there are no results, and of syncs, which have no rate.
func ofRates(cell func(*row) string) func(*row, Style) string {
	return ofFigures(func(r *row) string {
		if r.figures.MilliIOPS == nil {
			return ""
		}
		return cell(r)
	})
}

// bandwidthCell returns a cell with the median bandwidth, which is empty where there are no results, and of what moves no bytes.
func bandwidthCell(words func(int64) string) func(*row, Style) string {
	return ofFigures(func(r *row) string {
		if r.figures.BytesPerSecond == nil {
			return ""
		}
		return words(r.figures.BytesPerSecond.Median)
	})
}

// medianIn returns a cell with the median of what fio may not have taken.
func medianIn(of func(*v1alpha1.FiguresComparison) *v1alpha1.Statistic, words func(int64) string) func(*row, Style) string {
	return ofFigures(func(r *row) string {
		s := of(r.figures)
		if s == nil {
			return "-"
		}
		return words(s.Median)
	})
}

// Latencies that comparisons have.
var (
	meanOf = func(c *v1alpha1.FiguresComparison) *v1alpha1.Statistic { return c.MeanNanoseconds }
	p50Of  = func(c *v1alpha1.FiguresComparison) *v1alpha1.Statistic { return c.P50Nanoseconds }
	p90Of  = func(c *v1alpha1.FiguresComparison) *v1alpha1.Statistic { return c.P90Nanoseconds }
	p99Of  = func(c *v1alpha1.FiguresComparison) *v1alpha1.Statistic { return c.P99Nanoseconds }
)

// identity are the columns that say what a row is of.
func identity() []figure {
	return []figure{
		left("WORKLOAD", func(r *row, _ Style) string { return r.workload }),
		left("PARAMETERS", func(r *row, _ Style) string { return r.parameters }),
		left("TARGET", func(r *row, _ Style) string { return r.target }),
		left("BENCHMARK", func(r *row, _ Style) string { return r.benchmark }),
		left("I/O", stateOrIO),
	}
}

// stateOrIO prints the direction, or the state of runs without a result.
func stateOrIO(r *row, style Style) string {
	if r.state == v1alpha1.RunFailed {
		return style.paint(text.FgRed, r.io)
	}
	return r.io
}

// shortFigures are the columns that say most, for the width of a screen.
func shortFigures(baseline string) []figure {
	columns := append(identity(),
		right("IOPS", iopsCell),
		right("PER CLIENT", perClientCell),
		right("BANDWIDTH", bandwidthCell(wording.Bandwidth)),
		right("MEAN", medianIn(meanOf, wording.Latency)),
		right("P50", medianIn(p50Of, wording.Percentile)),
		right("P90", medianIn(p90Of, wording.Percentile)),
		right("P99", medianIn(p99Of, wording.Percentile)),
		right(versus("", baseline), ofFigures(func(r *row) string { return wording.Multiple(r.figures.MilliIOPS.Multiple()) })),
		left("VERDICT", verdictCell),
		left("LIMITED BY", limitedByCell),
	)
	return yielding(columns, "P90", "MEAN", "PER CLIENT", "P50", "BANDWIDTH", "P99", "LIMITED BY")
}

// wideFigures are all columns.
func wideFigures(baseline string) []figure {
	columns := append(identity(),
		right("RUNS", ofFigures(func(r *row) string { return strconv.Itoa(int(r.repetitions)) })),
		right("IOPS", iopsCell),
		right("RANGE", ofRates(rangeCell)),
		right("95% CI", ofRates(intervalCell)),
		right("PER CLIENT", perClientCell),
		right("BANDWIDTH", bandwidthCell(wording.BothBandwidths)),
		right("MEAN", medianIn(meanOf, wording.Latency)),
		right("STDDEV", stddevCell),
		right("P50", medianIn(p50Of, wording.Percentile)),
		right("P90", medianIn(p90Of, wording.Percentile)),
		right("P95", percentileOf(func(d *v1alpha1.LatencyDistribution) int64 { return d.P95Nanoseconds })),
		right("P99", medianIn(p99Of, wording.Percentile)),
		right("P99.9", percentileOf(func(d *v1alpha1.LatencyDistribution) int64 { return d.P999Nanoseconds })),
		right("P99.99", percentileOf(func(d *v1alpha1.LatencyDistribution) int64 { return d.P9999Nanoseconds })),
		right("MAX", maxCell),
		left("CPU", cpuCell),
		right(versus("", baseline), ofFigures(func(r *row) string { return wording.Multiple(r.figures.MilliIOPS.Multiple()) })),
		right(versus("P99 ", baseline), ofFigures(func(r *row) string { return wording.Multiple(r.figures.P99Nanoseconds.Multiple()) })),
		right("95% CI VS", ofFigures(ratioIntervalCell)),
		right("P-VALUE", ofFigures(func(r *row) string { return r.figures.Judged().PValue })),
		right("CORRECTED", ofFigures(func(r *row) string { return r.figures.Judged().AdjustedPValue })),
		right("SHOWN FROM", ofFigures(shownFromCell)),
		left("VERDICT", verdictCell),
		left("LIMITED BY", limitedByCell),
		right("USED", usedCell),
	)
	return yielding(columns,
		versus("P99 ", baseline), "SHOWN FROM", "CORRECTED", "STDDEV", "P95", "CPU", "P99.99", "MAX", "PER CLIENT", "RANGE", "RUNS", "95% CI",
		"P90", "MEAN", "P-VALUE", "95% CI VS", "P99.9", "USED", "P50", "BANDWIDTH", "P99", "LIMITED BY")
}

// versus is the head of a column of ratios.
func versus(what, baseline string) string { return strings.ToUpper(what + "vs " + baseline) }

// iopsCell prints the median, and of several runs how far they are from it: half of their range.
func iopsCell(r *row, style Style) string {
	if r.figures == nil || r.figures.MilliIOPS == nil {
		return ""
	}
	s := r.figures.MilliIOPS
	if r.repetitions < 2 || s.Median == 0 {
		return wording.IOPS(s.Median)
	}
	return fmt.Sprintf("%s %s%s%%", wording.IOPS(s.Median), style.plusMinus(), wording.Deviation(s))
}

// rangeCell prints the least and the greatest IOPS of several runs.
func rangeCell(r *row) string {
	if r.repetitions < 2 {
		return ""
	}
	return wording.Range(r.figures.MilliIOPS.Least(), r.figures.MilliIOPS.Most(), "-")
}

// intervalCell prints the confidence interval of the IOPS.
func intervalCell(r *row) string {
	if s := r.figures.MilliIOPS; s.ConfidenceLow != nil && s.ConfidenceHigh != nil {
		return wording.Range(*s.ConfidenceLow, *s.ConfidenceHigh, "-")
	}
	return ""
}

// ratioIntervalCell prints the interval of the ratio that the row's verdict is on.
func ratioIntervalCell(r *row) string {
	s := r.figures.Judged()
	if s.RatioLow == "" || s.RatioHigh == "" {
		return ""
	}
	return s.RatioLow + "-" + s.RatioHigh
}

// shownFromCell prints from which difference on there would have been a verdict.
func shownFromCell(r *row) string {
	s := r.figures.Judged()
	if s.DetectablePercent == 0 {
		return ""
	}
	return fmt.Sprintf("%d%%", s.DetectablePercent)
}

// verdictCell prints the verdict on what the row is judged by, which latency that is where it could be IOPS, and whether
// the difference is a small one.
func verdictCell(r *row, style Style) string {
	if r.figures == nil {
		return ""
	}
	var notes []string
	if r.figures.JudgedBy != "" && r.figures.Verdict() != v1alpha1.VerdictTooFewRuns {
		notes = append(notes, string(r.figures.JudgedBy))
	}
	if r.figures.Judged().IsSmall(r.figures.Verdict()) {
		notes = append(notes, "within 5 %")
	}
	verdict := style.verdict(r.figures.Verdict())
	if len(notes) == 0 {
		return verdict
	}
	return fmt.Sprintf("%s (%s)", verdict, strings.Join(notes, ", "))
}

// limitedByCell prints what held most results back, and of how many of them if not of all.
func limitedByCell(r *row, _ Style) string {
	name, times := cases.MostFrequent(r.bounds)
	if times == len(r.bounds) || times == 0 {
		return name
	}
	return fmt.Sprintf("%s (%d/%d)", name, times, len(r.bounds))
}

// usedCell prints how much of the limit was used that held most results back.
func usedCell(r *row, _ Style) string {
	used, known := cases.Used(r.bounds)
	if !known {
		return ""
	}
	return fmt.Sprintf("%d%%", used)
}

// cpuCell prints how much of a CPU each of fio's jobs took, the medians of the results, as fio does.
func cpuCell(r *row, _ Style) string {
	if !r.first {
		return ""
	}
	var user, system []int64
	for _, result := range r.results {
		if result.CPU != nil {
			user, system = append(user, int64(result.CPU.UserPercent)), append(system, int64(result.CPU.SystemPercent))
		}
	}
	if len(user) == 0 {
		return ""
	}
	return fmt.Sprintf("usr=%d%% sys=%d%%", cases.Median(user), cases.Median(system))
}

// maxCell prints the greatest latency of all results.
func maxCell(r *row, _ Style) string {
	most := int64(-1)
	for _, d := range r.distributions() {
		if d != nil {
			most = max(most, d.MaxNanoseconds)
		}
	}
	if most < 0 {
		return noLatency(r)
	}
	return wording.Latency(most)
}

// percentileOf returns a cell with the median of a percentile that comparisons do not have, over the results; - if one of
// them lacks it.
func percentileOf(of func(*v1alpha1.LatencyDistribution) int64) func(*row, Style) string {
	return func(r *row, _ Style) string {
		var all []int64
		for _, d := range r.distributions() {
			if d == nil {
				return noLatency(r)
			}
			all = append(all, of(d))
		}
		if len(all) == 0 {
			return noLatency(r)
		}
		return wording.Percentile(cases.MedianPercentile(all))
	}
}

// stddevCell prints the median of the standard deviation of the latency, over the results; - if one of them lacks it, as those
// of syncs and of metadata do.
func stddevCell(r *row, _ Style) string {
	var all []int64
	for _, io := range r.resultFigures() {
		if io.Latency == nil || !v1alpha1.IsData(r.io) {
			return noLatency(r)
		}
		all = append(all, io.Latency.StddevNanoseconds)
	}
	if len(all) == 0 {
		return noLatency(r)
	}
	return wording.Latency(cases.Median(all))
}

// noLatency is "-" for results without a latency, and "" where there are no results at all.
func noLatency(r *row) string {
	if r.figures == nil {
		return ""
	}
	return "-"
}

// perClientCell prints how far the clients' IOPS in one direction are apart, such as 4 x 798-812 (0.9%): how many clients
// there are, the IOPS of the slowest and the fastest of all results, and the largest coefficient of variation that a result has. It is ""
// if each result is of one client.
func perClientCell(r *row, _ Style) string {
	var all *v1alpha1.ClientSpread
	largest := 0.0
	for _, io := range r.resultFigures() {
		if io.PerClient == nil {
			continue
		}
		if all == nil {
			all = io.PerClient.DeepCopy()
		}
		all.MinMilliIOPS, all.MaxMilliIOPS = min(all.MinMilliIOPS, io.PerClient.MinMilliIOPS), max(all.MaxMilliIOPS, io.PerClient.MaxMilliIOPS)
		if variation, err := strconv.ParseFloat(io.PerClient.CoefficientOfVariation, 64); err == nil {
			largest = max(largest, variation)
		}
	}
	if all == nil {
		return ""
	}
	clients := int32(0)
	for _, result := range r.results {
		clients = max(clients, result.Clients)
	}
	return fmt.Sprintf("%d x %s (%.1f%%)", clients, wording.Range(all.MinMilliIOPS, all.MaxMilliIOPS, "-"), 100*largest)
}
