package html

import (
	"math"
	"slices"

	"github.com/storagebench/storagebench/internal/report/wording"
	"github.com/storagebench/storagebench/internal/series"
)

// thinnedPoints is the most points of a line: more are not seen on a screen.
const thinnedPoints = 200

// rateMetrics returns IOPS, bandwidth and P99 of runs, each in the unit that fits its largest figure. Limits are shown where I/O of no
// other direction shares them.
func (r *results) rateMetrics(shown []timed, d direction, alone bool) map[string]plotted {
	metrics := map[string]plotted{
		metricIOPS:      ratePlot(shown, "IOPS", func(float64) wording.Unit { return wording.Unit{Name: "IOPS", Size: 1} }, func(d *series.Direction) *series.Rate { return &d.IOPS }),
		metricBandwidth: ratePlot(shown, "Bandwidth", unitOfRate, func(d *series.Direction) *series.Rate { return &d.BytesPerSecond }),
	}
	if p99 := percentilePlot(shown); len(p99.Lines) > 0 {
		metrics[metricP99] = p99
	}
	if alone { // limits and falls are of reads and writes together
		r.addRules(metrics, shown, d)
		for _, metric := range []string{metricIOPS, metricBandwidth} {
			p := metrics[metric]
			addDrops(&p, shown)
			addFroms(&p, shown)
			metrics[metric] = p
		}
	}
	return metrics
}

func unitOfRate(largest float64) wording.Unit {
	return wording.BandwidthUnit(int64(min(largest, math.MaxInt64/2)))
}

// ratePlot returns lines of a rate. The first run of each target has a band, where points are of more than one of fio's intervals.
func ratePlot(shown []timed, label string, unitOf func(largest float64) wording.Unit, of func(*series.Direction) *series.Rate) plotted {
	largest := 0.0
	for _, t := range shown {
		largest = max(largest, slices.Max(of(t.Direction).Mean))
	}
	u := unitOf(largest)
	if u.Name != label {
		label += " (" + u.Name + ")"
	}
	p := plotted{Label: label, unit: u}
	for _, t := range shown {
		rate := of(t.Direction)
		line := t.line(len(rate.Mean), t.of.IntervalMilliseconds)
		by := thinnedBy(len(rate.Mean))
		line.Y = in(u, thinned(rate.Mean, by, mean))
		if t.again == 0 {
			line.Low, line.High = bandOf(rate, by).in(u)
			line.Between = &[2]string{"least", "most"}
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}

// line returns the line of a run that has so many points of an interval, without its figures.
func (t *timed) line(points int, intervalMilliseconds int64) timeline {
	step := int64(thinnedBy(points)) * intervalMilliseconds
	return timeline{Target: t.target.Name, Name: t.run.Name, Faint: t.again > 0, Step: float64(step) / 1000}
}

// band is the least and the most of each point.
type band struct{ low, high []float64 }

// bandOf returns the band of a rate when points are put together, nil where each is of one of fio's intervals.
func bandOf(rate *series.Rate, by int) *band {
	if rate.Min == nil && by == 1 && thinnedBy(len(rate.Mean)) == 1 {
		return nil
	}
	low, high := rate.Min, rate.Max
	if low == nil {
		low, high = rate.Mean, rate.Mean
	}
	return &band{thinned(low, by, slices.Min[[]float64]), thinned(high, by, slices.Max[[]float64])}
}

// in returns the band in a unit.
func (b *band) in(u wording.Unit) (low, high []rounded) {
	if b == nil {
		return nil, nil
	}
	return in(u, b.low), in(u, b.high)
}

// percentilePlot returns lines of the 99th percentile.
func percentilePlot(shown []timed) plotted {
	p := plotted{Label: "99th percentile of latency", Log: true}
	for _, t := range shown {
		if l := t.Latency; l != nil {
			line := t.latencyLine()
			line.Y = latencies(thinned(l.P99, thinnedBy(len(l.P99)), slices.Max[[]int64]))
			p.Lines = append(p.Lines, line)
		}
	}
	return p
}

// latencyBands returns a line of P50 and a band up to P99 for the first run of each target.
func latencyBands(shown []timed) []timeline {
	var all []timeline
	for _, t := range shown {
		l := t.Latency
		if l == nil || t.again > 0 {
			continue
		}
		by := thinnedBy(len(l.P50))
		line := t.latencyLine()
		line.Y = latencies(thinned(l.P50, by, median))
		line.Low, line.High = line.Y, latencies(thinned(l.P99, by, slices.Max[[]int64]))
		line.Between = &[2]string{"P50", "P99"}
		all = append(all, line)
	}
	return all
}

// latencyLine returns the line of a run's latencies, which may have fewer points than its rates.
func (t *timed) latencyLine() timeline {
	return t.line(len(t.Latency.P50), t.of.IntervalMilliseconds*int64(t.of.LatencyPoints))
}

// latencies returns nanoseconds for a logarithmic axis. 0 is where no I/O ended.
func latencies(ns []int64) []rounded {
	all := make([]rounded, len(ns))
	for i, n := range ns {
		all[i] = rounded(n)
		if n <= 0 {
			all[i] = rounded(math.NaN())
		}
	}
	return all
}

// in returns figures in a unit.
func in(u wording.Unit, figures []float64) []rounded {
	all := make([]rounded, len(figures))
	for i, f := range figures {
		all[i] = rounded(f / u.Size)
	}
	return all
}

// thinnedBy returns how many points become one, so that a line has no more than thinnedPoints.
func thinnedBy(points int) int { return max(1, (points+thinnedPoints-1)/thinnedPoints) }

// thinned puts so many figures into one.
func thinned[T any](column []T, by int, together func([]T) T) []T {
	var all []T
	for some := range slices.Chunk(column, by) {
		all = append(all, together(some))
	}
	return all
}

func mean(some []float64) float64 {
	sum := 0.0
	for _, f := range some {
		sum += f
	}
	return sum / float64(len(some))
}

// median returns the middle one of figures, of those that are not 0 if there are any.
func median(some []int64) int64 {
	sorted := slices.DeleteFunc(slices.Sorted(slices.Values(some)), func(n int64) bool { return n == 0 })
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)/2]
}
