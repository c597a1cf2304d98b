// Package series holds what a run did over its time: I/Os, bytes and latencies of each interval. A run's series is kept as gzipped JSON
// in a ConfigMap, never in the status. It is pure.
//
// A Recording is what is measured: rates and whole histograms, which can be merged and thinned. A Series is what is kept of it and
// shown: columns of figures.
package series

import (
	"iter"

	"github.com/storagebench/storagebench/internal/direction"
)

const (
	// Version is the version of the format. A reader refuses others.
	Version = 1
	// Key is the key of the series in the ConfigMap of a run that its log is in as well: status.runs[].logConfigMap.
	Key = "series.json.gz"
	// MaxBytes is the most that the series of a run takes, gzipped.
	MaxBytes = 64 << 10
	// MaxPoints is the most points that a column has.
	MaxPoints = 1000
	// MaxSections is the most results that a run has.
	MaxSections = 16
	// MaxClients is the most clients that a run has.
	MaxClients = 128
)

// Series is what a run did over its time. All of it is on one clock, that of its clients' nodes.
type Series struct {
	// Version is that of the format.
	Version int `json:"version"`
	// StartMilliseconds is when the first point begins, in milliseconds since 1970: the start of the first job of the first client.
	StartMilliseconds int64 `json:"startMilliseconds"`
	// IntervalMilliseconds is for how long each point of IOPS and bytes is.
	IntervalMilliseconds int64 `json:"intervalMilliseconds"`
	// LatencyPoints is how many of those points each point of latencies is for, 1 or more: fio keeps histograms less often where it would
	// take much memory for them.
	LatencyPoints int `json:"latencyPoints"`
	// Clients is how many clients are in it, 1 or more.
	Clients int `json:"clients"`
	// Sections are the results of the run, in the order of status.runs[].sections. A run with a single result has one.
	Sections []Section `json:"sections"`
}

// Section is what one result of a run did over its time.
type Section struct {
	// Name is that of the section of a job file.
	Name string `json:"name"`
	// OffsetMilliseconds is how long after the start of the series the section's first point begins: a section that waits for another
	// (stonewall) begins later.
	OffsetMilliseconds int64 `json:"offsetMilliseconds"`
	// WholePoints is for how many points all jobs were at work, where each ends when it is through with its files. 0: for all.
	WholePoints int `json:"wholePoints,omitempty"`
	// FromPoint is the first point that the result is of. Those before it are of the same load before that was steady. 0: it is of all.
	FromPoint int `json:"fromPoint,omitempty"`
	// Read, Write and Trim are nil where there was no such I/O. All have the same number of points.
	Read  *Direction `json:"read,omitempty"`
	Write *Direction `json:"write,omitempty"`
	Trim  *Direction `json:"trim,omitempty"`
}

// Direction is what I/Os of one direction did.
type Direction struct {
	// IOPS are I/Os a second, BytesPerSecond the bytes that they moved. Where no I/O ended it is 0.
	IOPS           Rate `json:"iops"`
	BytesPerSecond Rate `json:"bytesPerSecond"`
	// Latency is of the completion of I/Os, nil where fio measured none (gtod_reduce, disable_clat).
	Latency *Latency `json:"latency,omitempty"`
}

// Rate is a rate in columns, a value a point, in 4 significant digits. A series that was thinned has several of fio's intervals in a
// point; then Min and Max are those of the slowest and of the fastest, otherwise both are nil: they are Mean.
type Rate struct {
	Mean []float64 `json:"mean"`
	Min  []float64 `json:"min,omitempty"`
	Max  []float64 `json:"max,omitempty"`
}

// Latency is in columns of nanoseconds, a value for LatencyPoints points. Where no I/O ended all are 0.
type Latency struct {
	Mean []int64 `json:"meanNanoseconds"`
	P50  []int64 `json:"p50Nanoseconds"`
	P99  []int64 `json:"p99Nanoseconds"`
	Max  []int64 `json:"maxNanoseconds"`
	// Histograms are what one of several clients sends to be merged. What is kept has none.
	Histograms [][]uint64 `json:"histograms,omitempty"`
}

// Directions yields the directions of a section, by fio's names and in fio's order.
func (s *Section) Directions() iter.Seq2[string, *Direction] {
	return direction.Present(s.Read, s.Write, s.Trim)
}

// Summed says which directions a figure of all is of, such as "reads and writes together"; "" if there is one.
func (s *Section) Summed() string { return direction.Summed(s.Read, s.Write, s.Trim) }

// Points returns how many points the section has.
func (s *Section) Points() int {
	for _, d := range s.Directions() {
		return len(d.IOPS.Mean)
	}
	return 0
}

// Seconds returns when a point of a section begins, in seconds since the series began.
func (s *Series) Seconds(section *Section, point int) float64 {
	return float64(section.OffsetMilliseconds+int64(point)*s.IntervalMilliseconds) / 1000
}

// Lowest returns the least of a rate in a point.
func (r *Rate) Lowest(point int) float64 {
	if r.Min == nil {
		return r.Mean[point]
	}
	return r.Min[point]
}

// Highest returns the most of a rate in a point.
func (r *Rate) Highest(point int) float64 {
	if r.Max == nil {
		return r.Mean[point]
	}
	return r.Max[point]
}
