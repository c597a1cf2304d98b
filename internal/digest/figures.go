package digest

import (
	"errors"

	"github.com/fxamacker/cbor/v2"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/histogram"
)

// Percentiles are the percentiles of a distribution of latencies, in the order of v1alpha1.LatencyDistribution.Percentiles.
var Percentiles = [...]float64{50, 90, 95, 99, 99.9, 99.99}

// Figures are what was measured of one kind of operation: what the status says of it, and what it takes to merge the
// figures of several clients. Latencies are in whole nanoseconds: a pooled mean is less than 1 ns off.
type Figures struct {
	v1alpha1.Figures
	// ShortIOs were completed in part, and DroppedIOs were never issued.
	ShortIOs, DroppedIOs int64
	// LatencyCount is the number of operations that Latency is of, 0 without Latency.
	LatencyCount int64
	// Histogram has fio's buckets; coarser ones (Report.Coarsening) in a report that would not fit otherwise, and nil where
	// even those would not. CompletionLatency of what a runner reports is that of the full histogram all the same.
	Histogram *histogram.Histogram
}

// SetLatency sets the mean latency of so many operations.
func (f *Figures) SetLatency(count, mean, stddev int64) {
	f.Latency, f.LatencyCount = &v1alpha1.Latency{MeanNanoseconds: mean, StddevNanoseconds: stddev}, count
}

// SetHistogram sets the distribution of latencies to what a histogram counts, from the least to the greatest.
func (f *Figures) SetHistogram(least, greatest int64, h *histogram.Histogram) {
	f.Histogram = h
	f.CompletionLatency = &v1alpha1.LatencyDistribution{MinNanoseconds: least, MaxNanoseconds: greatest}
	for i, percentile := range f.CompletionLatency.Percentiles() {
		*percentile = int64(h.Percentile(Percentiles[i]))
	}
}

// wireFigures are figures without their histogram. What a kind of operation does not have takes no room.
type wireFigures struct {
	Name           string            `cbor:"1,keyasint,omitempty"`
	Count          int64             `cbor:"2,keyasint,omitempty"`
	Bytes          int64             `cbor:"3,keyasint,omitempty"`
	MilliIOPS      int64             `cbor:"4,keyasint,omitempty"`
	BytesPerSecond int64             `cbor:"5,keyasint,omitempty"`
	Latency        *wireLatency      `cbor:"6,keyasint,omitempty"`
	Distribution   *wireDistribution `cbor:"7,keyasint,omitempty"`
	ShortIOs       int64             `cbor:"8,keyasint,omitempty"`
	DroppedIOs     int64             `cbor:"9,keyasint,omitempty"`
	Submission     int64             `cbor:"10,keyasint,omitempty"`
}

type wireLatency struct {
	_            struct{} `cbor:",toarray"`
	Mean, Stddev int64
	// Untimed is how many operations have no latency, as a rule none.
	Untimed int64
}

// wireDistribution has the histogram's buckets that the percentiles fall into: fio's percentiles have no other values, and
// an index takes fewer bytes than nanoseconds.
type wireDistribution struct {
	_        struct{} `cbor:",toarray"`
	Min, Max int64
	Buckets  [len(Percentiles)]int64
}

// MarshalCBOR implements cbor.Marshaler.
func (f *Figures) MarshalCBOR() ([]byte, error) {
	w := wireFigures{
		Name: f.Name, Count: f.Count, Bytes: f.Bytes, MilliIOPS: f.MilliIOPS, BytesPerSecond: f.BytesPerSecond,
		ShortIOs: f.ShortIOs, DroppedIOs: f.DroppedIOs,
	}
	if l := f.Latency; l != nil {
		w.Latency = &wireLatency{Mean: l.MeanNanoseconds, Stddev: l.StddevNanoseconds, Untimed: f.Count - f.LatencyCount}
		w.Submission = l.SubmissionNanoseconds
	}
	if d := f.CompletionLatency; d != nil {
		w.Distribution = &wireDistribution{Min: d.MinNanoseconds, Max: d.MaxNanoseconds}
		for i, percentile := range d.Percentiles() {
			w.Distribution.Buckets[i] = int64(histogram.Index(uint64(*percentile)))
		}
	}
	return cbor.Marshal(w)
}

// UnmarshalCBOR implements cbor.Unmarshaler.
func (f *Figures) UnmarshalCBOR(data []byte) error {
	var w wireFigures
	if err := strict.Unmarshal(data, &w); err != nil {
		return err
	}
	*f = Figures{ShortIOs: w.ShortIOs, DroppedIOs: w.DroppedIOs, Figures: v1alpha1.Figures{
		Name: w.Name, Count: w.Count, Bytes: w.Bytes, MilliIOPS: w.MilliIOPS, BytesPerSecond: w.BytesPerSecond,
	}}
	if l := w.Latency; l != nil {
		f.SetLatency(w.Count-l.Untimed, l.Mean, l.Stddev)
		f.Latency.SubmissionNanoseconds = w.Submission
	}
	if w.Distribution == nil {
		return nil
	}
	f.CompletionLatency = &v1alpha1.LatencyDistribution{MinNanoseconds: w.Distribution.Min, MaxNanoseconds: w.Distribution.Max}
	for i, percentile := range f.CompletionLatency.Percentiles() {
		if !within(w.Distribution.Buckets[i], 0, histogram.Buckets-1) {
			return errors.New("a percentile that fio cannot tell")
		}
		*percentile = int64(histogram.Value(int(w.Distribution.Buckets[i])))
	}
	return nil
}
