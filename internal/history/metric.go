package history

import (
	"slices"
	"strings"
)

// Metric is a figure that is kept. The names are those of expectations. Numbers are part of the encoding: new metrics come last.
type Metric uint8

// The metrics.
const (
	ReadIOPS Metric = iota
	ReadP50
	ReadP99
	WriteIOPS
	WriteP50
	WriteP99
	TrimIOPS
	TrimP50
	TrimP99
	SyncP99
	MetadataIOPS
	MetadataP50
	MetadataP99
	metricCount
)

// MetricCount is how many metrics there are.
const MetricCount = int(metricCount)

var metricNames = [metricCount]string{
	"read.iops", "read.p50", "read.p99",
	"write.iops", "write.p50", "write.p99",
	"trim.iops", "trim.p50", "trim.p99",
	"sync.p99",
	"metadata.iops", "metadata.p50", "metadata.p99",
}

// Metrics returns all metrics.
func Metrics() []Metric {
	all := make([]Metric, metricCount)
	for i := range all {
		all[i] = Metric(i)
	}
	return all
}

// MetricNamed returns the metric of a name such as sync.p99, false if none is kept under it.
func MetricNamed(name string) (Metric, bool) {
	i := slices.Index(metricNames[:], name)
	return Metric(max(i, 0)), i >= 0
}

// Most returns the largest value of the metric.
func (m Metric) Most() int64 {
	if m.IsLatency() {
		return MaxLatency
	}
	return MaxRate
}

// Parts returns the operation that the metric is about, and what of it: iops, or a percentile of its latency such as p99.
func (m Metric) Parts() (operation, figure string) {
	operation, figure, _ = strings.Cut(m.String(), ".")
	return operation, figure
}

// String is the metric's name, such as sync.p99.
func (m Metric) String() string {
	if m >= metricCount {
		return "unknown"
	}
	return metricNames[m]
}

// IsLatency says whether the metric is in nanoseconds, of which less is better. The others are operations per second,
// in thousandths.
func (m Metric) IsLatency() bool { return !strings.HasSuffix(m.String(), ".iops") }
