// Package expectation holds results to what is expected of them: by spec.expectations, and by the presets that workloads have. It is
// pure: the same results and the same spec give the same findings.
package expectation

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Unit is what a metric is counted in.
type Unit int

// The units of metrics. Of latencies less is better, of the others more.
const (
	// Latency is in nanoseconds.
	Latency Unit = iota
	// IOPS are I/Os per second, in thousandths: of large I/Os there are few a second, and 4.5 are not 5.
	IOPS
	// Bandwidth is in bytes per second.
	Bandwidth
)

// Metric is a figure of results, such as sync.p99.
type Metric struct {
	// Part is what of the result it is about: read, write, trim, sync, metadata or total. Figure is what of that, such as p99.
	Part, Figure string
	Unit         Unit
}

// figures are those of a direction in the order of the API; words are what people call them.
var figures = []struct {
	name, words string
	unit        Unit
}{
	{"iops", "IOPS", IOPS}, {"bandwidth", "bandwidth", Bandwidth},
	{"mean", "mean", Latency}, {"p50", "p50", Latency}, {"p90", "p90", Latency}, {"p95", "p95", Latency}, {"p99", "p99", Latency},
	{"p999", "p99.9", Latency}, {"p9999", "p99.99", Latency}, {"max", "maximum", Latency},
}

// Metrics returns all metrics, in the order of the API.
func Metrics() []Metric {
	var all []Metric
	for _, part := range v1alpha1.Operations() {
		for _, f := range figures {
			if hasFigure(part, f.unit) {
				all = append(all, Metric{Part: part, Figure: f.name, Unit: f.unit})
			}
		}
	}
	return all
}

// hasFigure says whether a part of results has figures of a unit: syncs are no I/Os, operations on files move no bytes, and latencies of
// several directions have no total.
func hasFigure(part string, u Unit) bool {
	switch part {
	case v1alpha1.OperationSync:
		return u == Latency
	case v1alpha1.OperationMetadata:
		return u != Bandwidth
	case v1alpha1.OperationTotal:
		return u != Latency
	default:
		return true
	}
}

// FindMetric returns the metric of a name.
func FindMetric(name string) (Metric, bool) {
	for _, m := range Metrics() {
		if m.String() == name {
			return m, true
		}
	}
	return Metric{}, false
}

// String is the metric's name in the API, such as sync.p99.
func (m Metric) String() string { return m.Part + "." + m.Figure }

// Words are what people call the metric, such as "fdatasync p99", where sync is what the workload calls.
func (m Metric) Words(sync string) string {
	part := m.Part
	if part == v1alpha1.OperationSync {
		part = sync
	}
	return part + " " + m.figureWords()
}

// figureWords are what people call the figure, such as "p99.9".
func (m Metric) figureWords() string {
	for _, f := range figures {
		if f.name == m.Figure {
			return f.words
		}
	}
	return m.Figure
}

// Text is a value of the metric for people, such as 14 ms. Of fewer than 100 IOPS it has three digits, such as 4.5, and of more
// it is a whole number.
func (m Metric) Text(value int64) string {
	switch m.Unit {
	case IOPS:
		return humanize.Milli(value)
	case Bandwidth:
		return humanize.Scaled(float64(value), 1024, " B/s", " KiB/s", " MiB/s", " GiB/s")
	default:
		return humanize.Scaled(float64(value), 1000, " ns", " us", " ms", " s")
	}
}

// Number is a value of the metric for programs, in I/Os per second, bytes per second or nanoseconds.
func (m Metric) Number(value int64) float64 {
	if m.Unit == IOPS {
		return float64(value) / milli
	}
	return float64(value)
}

// exact is a value with all its digits.
func (m Metric) exact(value int64) string {
	return strconv.FormatFloat(m.Number(value), 'f', -1, 64) + map[Unit]string{Latency: " ns", Bandwidth: " B/s"}[m.Unit]
}

// milli is how many thousandths make one.
const milli = 1000

// lessIsBetter says which way the metric is good.
func (m Metric) lessIsBetter() bool { return m.Unit == Latency }

// in returns the figures of a result that the metric is one of, nil if it has none.
func (m Metric) in(r *v1alpha1.Result) *v1alpha1.Figures {
	if m.Part == v1alpha1.OperationTotal {
		return r.Total()
	}
	return r.Of(m.Part)
}

// Of returns the metric of a result, false if that has none.
func (m Metric) Of(r *v1alpha1.Result) (int64, bool) {
	f := m.in(r)
	if f == nil {
		return 0, false
	}
	switch m.Figure {
	case "iops":
		return f.MilliIOPS, true
	case "bandwidth":
		return f.BytesPerSecond, true
	case "mean":
		return f.Mean(), f.Latency != nil
	}
	if f.CompletionLatency == nil {
		return 0, false
	}
	return distributionFigure(f.CompletionLatency, m.Figure)
}

// isPercentile says whether the metric is read from a histogram.
func (m Metric) isPercentile() bool {
	return slices.Contains([]string{"p50", "p90", "p95", "p99", "p999", "p9999"}, m.Figure)
}

// measuredText is a value that was measured, for people: what is beyond fio's histogram is not known any better.
func (m Metric) measuredText(value int64) string {
	if m.isPercentile() && v1alpha1.IsBeyondHistogram(value) {
		return "beyond 17.1 s"
	}
	return m.Text(value)
}

// bucketPercent returns how wide the widest buckets are that the metric of the results was read from, 0 for what is no percentile.
func (m Metric) bucketPercent(results []*v1alpha1.Result) float64 {
	if !m.isPercentile() {
		return 0
	}
	widest := 0.0
	for _, r := range results {
		if d := m.distribution(r); d != nil {
			widest = max(widest, analysis.BucketPercent(d))
		}
	}
	return widest
}

// distribution returns the latencies that a percentile is of, nil if the result has none.
func (m Metric) distribution(r *v1alpha1.Result) *v1alpha1.LatencyDistribution {
	if f := m.in(r); f != nil {
		return f.CompletionLatency
	}
	return nil
}

// distributionFigure returns a figure of a distribution of latencies.
func distributionFigure(d *v1alpha1.LatencyDistribution, figure string) (int64, bool) {
	switch figure {
	case "p50":
		return d.P50Nanoseconds, true
	case "p90":
		return d.P90Nanoseconds, true
	case "p95":
		return d.P95Nanoseconds, true
	case "p99":
		return d.P99Nanoseconds, true
	case "p999":
		return d.P999Nanoseconds, true
	case "p9999":
		return d.P9999Nanoseconds, true
	case "max":
		return d.MaxNanoseconds, true
	}
	panic(fmt.Sprintf("figure %q is not one of a distribution", figure))
}
