// Package expectation holds results to what is expected of them: by spec.expectations, and by the presets that workloads have. It is
// pure: the same results and the same spec give the same findings.
package expectation

import (
	"fmt"
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

// Unit is what a metric is counted in.
type Unit int

// The units of metrics. Of latencies less is better, of the others more.
const (
	// Latency is in nanoseconds.
	Latency Unit = iota
	// IOPS are I/Os per second.
	IOPS
	// Bandwidth is in bytes per second.
	Bandwidth
)

// Parts of results that are no direction of I/O.
const (
	partSync  = "sync"
	partTotal = "total"
)

// Metric is a figure of results, such as sync.p99.
type Metric struct {
	// Part is what of the result it is about: read, write, trim, sync or total. Figure is what of that, such as p99.
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
	for _, part := range []string{v1alpha1.DirectionRead, v1alpha1.DirectionWrite, v1alpha1.DirectionTrim, partSync, partTotal} {
		for _, f := range figures {
			// What is synced are no I/Os, and latencies of several directions have no total.
			if (part == partSync && f.unit != Latency) || (part == partTotal && f.unit == Latency) {
				continue
			}
			all = append(all, Metric{Part: part, Figure: f.name, Unit: f.unit})
		}
	}
	return all
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
	if part == partSync {
		part = sync
	}
	for _, f := range figures {
		if f.name == m.Figure {
			return part + " " + f.words
		}
	}
	return part + " " + m.Figure
}

// Text is a value of the metric for people, such as 14 ms.
func (m Metric) Text(value int64) string {
	switch m.Unit {
	case IOPS:
		return strconv.FormatInt(value, 10)
	case Bandwidth:
		return legible.Scaled(float64(value), 1024, " B/s", " KiB/s", " MiB/s", " GiB/s")
	default:
		return legible.Scaled(float64(value), 1000, " ns", " us", " ms", " s")
	}
}

// lessIsBetter says which way the metric is good.
func (m Metric) lessIsBetter() bool { return m.Unit == Latency }

// Of returns the metric of a result, false if that has none.
func (m Metric) Of(r *v1alpha1.Result) (int64, bool) {
	switch m.Part {
	case partTotal:
		return m.total(r)
	case partSync:
		if r.Sync != nil {
			return syncFigure(r.Sync, m.Figure)
		}
		return 0, false
	default:
		if io := r.Direction(m.Part); io != nil {
			return ioFigure(io, m.Figure)
		}
		return 0, false
	}
}

// total adds up what can be added up.
func (m Metric) total(r *v1alpha1.Result) (sum int64, measured bool) {
	for _, io := range r.Directions() {
		value, ok := ioFigure(io, m.Figure)
		sum, measured = sum+value, measured || ok
	}
	return sum, measured
}

// ioFigure returns a figure of a direction.
func ioFigure(io *v1alpha1.IOResult, figure string) (int64, bool) {
	switch figure {
	case "iops":
		return io.IOPS, true
	case "bandwidth":
		return io.BytesPerSecond, true
	case "mean":
		if io.Latency == nil {
			return 0, false
		}
		return io.Latency.MeanNanoseconds, true
	}
	if io.CompletionLatency == nil {
		return 0, false
	}
	return distributionFigure(io.CompletionLatency, figure)
}

// syncFigure returns a figure of the latency of fsync and fdatasync.
func syncFigure(s *v1alpha1.SyncResult, figure string) (int64, bool) {
	if figure == "mean" {
		return s.MeanNanoseconds, true
	}
	if s.Latency == nil {
		return 0, false
	}
	return distributionFigure(s.Latency, figure)
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
