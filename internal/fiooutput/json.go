package fiooutput

import (
	"fmt"
	"math"
	"strconv"

	"github.com/storagebench/storagebench/internal/histogram"
)

// This file has fio's JSON document as fio prints it.

// jsonReport is fio's JSON document, as far as it is read.
type jsonReport struct {
	Version string            `json:"fio version"`
	Options map[string]string `json:"global options"`
	Jobs    []jsonJob         `json:"jobs"`
}

type jsonJob struct {
	Name       string            `json:"jobname"`
	GroupID    jsonInteger       `json:"groupid"`
	JobStart   jsonInteger       `json:"job_start"`
	Error      jsonInteger       `json:"error"`
	Options    map[string]string `json:"job options"`
	Read       *jsonDirection    `json:"read"`
	Write      *jsonDirection    `json:"write"`
	Trim       *jsonDirection    `json:"trim"`
	Mixed      *jsonDirection    `json:"mixed"`
	Sync       *jsonSync         `json:"sync"`
	JobRuntime jsonInteger       `json:"job_runtime"`
	UserCPU    jsonReal          `json:"usr_cpu"`
	SystemCPU  jsonReal          `json:"sys_cpu"`
	Steady     *jsonSteady       `json:"steadystate"`
	Switches   jsonInteger       `json:"ctx"`

	LatencyTarget jsonInteger `json:"latency_target"`
	LatencyDepth  jsonInteger `json:"latency_depth"`
}

type jsonDirection struct {
	Bytes    jsonInteger  `json:"io_bytes"`
	IOs      jsonInteger  `json:"total_ios"`
	ShortIOs jsonInteger  `json:"short_ios"`
	DropIOs  jsonInteger  `json:"drop_ios"`
	Runtime  jsonInteger  `json:"runtime"`
	IOPS     jsonReal     `json:"iops"`
	Submit   *jsonLatency `json:"slat_ns"`
	Latency  *jsonLatency `json:"lat_ns"`
	Complete *jsonLatency `json:"clat_ns"`

	// Before fio 3.0, latencies are in microseconds and have these names.
	OldSubmit   *jsonLatency `json:"slat"`
	OldLatency  *jsonLatency `json:"lat"`
	OldComplete *jsonLatency `json:"clat"`
}

// jsonSteady is what fio's option steadystate found.
type jsonSteady struct {
	Criterion string      `json:"ss"`
	Attained  jsonInteger `json:"attained"`
}

// jsonSync is about all calls that sync. Its total_ios counts those of fsync only, so that it is 0 with fdatasync.
type jsonSync struct {
	Latency *jsonLatency `json:"lat_ns"`
}

type jsonLatency struct {
	Count  jsonInteger            `json:"N"`
	Min    jsonInteger            `json:"min"`
	Max    jsonInteger            `json:"max"`
	Mean   jsonReal               `json:"mean"`
	Stddev jsonReal               `json:"stddev"`
	Bins   map[uint64]jsonInteger `json:"bins"`

	// Percentiles are those of percentile_list, by percent such as 99.500000.
	Percentiles map[string]jsonInteger `json:"percentile"`
}

// jsonInteger is a number that fio prints as a whole one. What is none, as nan, counts as 0.
type jsonInteger int64

func (i *jsonInteger) UnmarshalJSON(text []byte) error {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		*i = jsonInteger(n)
		return nil
	}
	var r jsonReal
	if err := r.UnmarshalJSON(text); err != nil {
		return err
	}
	const limit = 1 << 62
	*i = jsonInteger(min(max(float64(r), -limit), limit))
	return nil
}

// jsonReal is a number that fio prints with a fraction. What is none, as nan, counts as 0.
type jsonReal float64

func (r *jsonReal) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*r = 0
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(f, 0) {
		return fmt.Errorf("%q where fio prints a number", text)
	}
	*r = jsonReal(f)
	return nil
}

// direction returns nil if there was no I/O.
func (d *jsonDirection) direction() (*Direction, error) {
	if d.IOs <= 0 {
		return nil, nil
	}
	latency, err := d.Latency.stats()
	if err != nil {
		return nil, fmt.Errorf("latency: %w", err)
	}
	complete, err := d.Complete.stats()
	if err != nil {
		return nil, fmt.Errorf("completion latency: %w", err)
	}
	submit, err := d.Submit.stats()
	if err != nil {
		return nil, fmt.Errorf("submission latency: %w", err)
	}
	direction := &Direction{
		SubmissionLatency: submit,
		IOs:               int64(d.IOs), Bytes: int64(d.Bytes), ShortIOs: int64(d.ShortIOs), DropIOs: int64(d.DropIOs),
		RuntimeMilliseconds: int64(d.Runtime), Latency: latency, CompletionLatency: complete,
	}
	direction.setRates()
	return direction, nil
}

// stats returns nil if nothing was measured.
func (s *jsonSync) stats() (*LatencyStats, error) {
	if s == nil {
		return nil, nil
	}
	stats, err := s.Latency.stats()
	if err != nil {
		return nil, fmt.Errorf("latency of syncs: %w", err)
	}
	return stats, nil
}

// countAs has latencies be as many as I/Os where fio does not tell how many they are: before 3.18 it does not. Without any, their greatest is 0.
func (l *jsonLatency) countAs(ios jsonInteger) {
	if l != nil && l.count() == 0 && l.Max > 0 {
		l.Count = ios
	}
}

// count is the number of latencies. Where fio does not tell it, it is what the bins count.
func (l *jsonLatency) count() int64 {
	if l == nil {
		return 0
	}
	if l.Count != 0 {
		return int64(l.Count)
	}
	total := int64(0)
	for _, n := range l.Bins {
		total = plus(total, max(int64(n), 0))
	}
	return total
}

// stats returns nil if nothing was measured.
func (l *jsonLatency) stats() (*LatencyStats, error) {
	if l.count() <= 0 {
		return nil, nil
	}
	stats := &LatencyStats{
		Count: l.count(), MinNanoseconds: int64(l.Min), MaxNanoseconds: int64(l.Max),
		MeanNanoseconds: float64(l.Mean), StddevNanoseconds: float64(l.Stddev),
	}
	if len(l.Bins) == 0 {
		stats.Histogram = l.histogramOfPercentiles()
		return stats, nil
	}
	bins := make(map[uint64]uint64, len(l.Bins))
	for value, count := range l.Bins {
		if count < 0 {
			return nil, fmt.Errorf("%d I/Os of %d ns", count, value)
		}
		bins[value] = uint64(count)
	}
	var err error
	stats.Histogram, err = histogram.FromBins(bins)
	return stats, err
}
