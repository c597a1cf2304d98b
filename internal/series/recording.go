package series

import (
	"errors"
	"iter"

	"github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/internal/sizelimit"
)

// Recording is what one or more clients measured of a run over its time, before it is cut down to columns.
type Recording struct {
	// StartMilliseconds, IntervalMilliseconds, LatencyPoints and Clients are as in Series.
	StartMilliseconds    int64
	IntervalMilliseconds int64
	LatencyPoints        int
	Clients              int
	Sections             []RecordedSection
}

// RecordedSection is what one result of a run did. WholePoints and FromPoint are as in Section.
type RecordedSection struct {
	Name               string
	OffsetMilliseconds int64
	WholePoints        int
	FromPoint          int
	Read, Write, Trim  *Recorded
}

// Directions yields the directions of a section.
func (s *RecordedSection) Directions() iter.Seq2[string, *Recorded] {
	return direction.Present(s.Read, s.Write, s.Trim)
}

// Recorded is what I/Os of one direction did: as many IOPS as Bytes, and a Latencies for every LatencyPoints of them, nil if none were measured.
type Recorded struct {
	IOPS, Bytes []Range
	Latencies   []Latencies
}

// Range is a rate: its mean over an interval, and the least and the most of shorter intervals in it.
type Range struct{ Min, Mean, Max float64 }

// Steady returns a rate that was the same all the time, as far as is known.
func Steady(rate float64) Range { return Range{rate, rate, rate} }

// Latencies are those of the I/Os that ended in an interval.
type Latencies struct {
	// Histogram is nil where no I/O ended.
	Histogram *histogram.Histogram
	// MeanNanoseconds is the mean of them.
	MeanNanoseconds float64
	// MaxNanoseconds is the longest of them.
	MaxNanoseconds uint64
}

// NewLatencies returns what a histogram says of I/Os. It keeps the histogram.
func NewLatencies(h *histogram.Histogram) Latencies {
	if h == nil || h.Count() == 0 {
		return Latencies{}
	}
	return Latencies{Histogram: h, MeanNanoseconds: h.Mean(), MaxNanoseconds: h.Percentile(100)}
}

// add counts the I/Os of others in. It leaves the histograms of both as they are.
func (l Latencies) add(o Latencies) Latencies {
	if l.Histogram == nil {
		return o
	}
	if o.Histogram == nil {
		return l
	}
	mine, others := float64(l.Histogram.Count()), float64(o.Histogram.Count())
	both := &histogram.Histogram{}
	both.Merge(l.Histogram)
	both.Merge(o.Histogram)
	return Latencies{
		Histogram:       both,
		MeanNanoseconds: (l.MeanNanoseconds*mine + o.MeanNanoseconds*others) / (mine + others),
		MaxNanoseconds:  max(l.MaxNanoseconds, o.MaxNanoseconds),
	}
}

// Points returns how many points the longest section has.
func (r *Recording) Points() int {
	points := 0
	for i := range r.Sections {
		points = max(points, r.Sections[i].points())
	}
	return points
}

func (s *RecordedSection) points() int {
	points := 0
	for _, d := range s.Directions() {
		points = max(points, len(d.IOPS), len(d.Bytes))
	}
	return points
}

// Series returns the columns of a recording. What is more than MaxPoints or MaxBytes is thinned before.
func (r *Recording) Series() *Series {
	for r.Points() > MaxPoints {
		r = r.Thin((r.Points() + MaxPoints - 1) / MaxPoints)
	}
	return r.columns()
}

// Fit returns the encoded series of a recording, thinned until it takes no more than MaxBytes, and the series that is encoded.
func (r *Recording) Fit() (*Series, []byte, error) {
	for {
		s := r.Series()
		data, err := Encode(s)
		if err == nil || !isTooLarge(err) || r.Points() < 2 {
			return s, data, err
		}
		r = r.Thin(2)
	}
}

func isTooLarge(err error) bool {
	_, large := errors.AsType[sizelimit.SizeError](err)
	return large
}
