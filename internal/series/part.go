package series

import (
	"errors"
	"fmt"

	"github.com/storagebench/storagebench/internal/histogram"
)

const (
	// coarsening is by how many bits the histograms are coarser that a client sends: its percentiles are off by 3 % at most.
	coarsening = 2
	// maxPartHistograms is the most histograms that one of several clients sends: whoever merges them has 15 KB of memory for each.
	maxPartHistograms = 600
)

// EncodePart returns what one of several clients did, with histograms, from which those of all together are made. It is thinned until
// it takes no more than MaxBytes.
func EncodePart(r *Recording) ([]byte, error) {
	for r.Points() > MaxPoints || r.histograms() > maxPartHistograms && r.Points() > 1 {
		r = r.Thin(2)
	}
	for {
		s := r.columns()
		s.addHistograms(r)
		data, err := Encode(s)
		if err == nil || !isTooLarge(err) || r.Points() < 2 {
			return data, err
		}
		r = r.Thin(2)
	}
}

// DecodePart returns what EncodePart made these bytes of, which may come from anybody.
func DecodePart(data []byte) (*Recording, error) {
	s, err := Decode(data)
	if err != nil {
		return nil, err
	}
	if n := s.histograms(); n > maxPartHistograms {
		return nil, fmt.Errorf("the series has %d histograms, and may have %d", n, maxPartHistograms)
	}
	r := &Recording{
		StartMilliseconds: s.StartMilliseconds, IntervalMilliseconds: s.IntervalMilliseconds, LatencyPoints: s.LatencyPoints, Clients: s.Clients,
	}
	for i := range s.Sections {
		from := &s.Sections[i]
		section := RecordedSection{Name: from.Name, OffsetMilliseconds: from.OffsetMilliseconds, WholePoints: from.WholePoints, FromPoint: from.FromPoint}
		for name, d := range from.Directions() {
			recorded, err := d.recorded()
			if err != nil {
				return nil, fmt.Errorf("section %d of the series: %s: %w", i+1, name, err)
			}
			*section.place(name) = recorded
		}
		r.Sections = append(r.Sections, section)
	}
	return r, nil
}

func (s *Series) addHistograms(r *Recording) {
	for i := range r.Sections {
		for name, d := range r.Sections[i].Directions() {
			to := *s.Sections[i].place(name)
			if to.Latency == nil {
				continue
			}
			to.Latency.Histograms = make([][]uint64, len(to.Latency.Mean))
			for point, l := range d.Latencies {
				to.Latency.Histograms[point] = sparse(l.Histogram)
			}
		}
	}
}

// sparse returns how many buckets are empty before each that is occupied, and how many I/Os that has.
func sparse(h *histogram.Histogram) []uint64 {
	pairs := []uint64{}
	if h == nil {
		return pairs
	}
	next := 0
	for index, count := range h.Coarsen(coarsening).Occupied() {
		pairs = append(pairs, uint64(index-next), count)
		next = index + 1
	}
	return pairs
}

func (d *Direction) recorded() (*Recorded, error) {
	recorded := &Recorded{IOPS: d.IOPS.ranges(), Bytes: d.BytesPerSecond.ranges()}
	if d.Latency == nil {
		return recorded, nil
	}
	if len(d.Latency.Histograms) != len(d.Latency.Mean) {
		return nil, errors.New("it has no histograms")
	}
	for point, pairs := range d.Latency.Histograms {
		h, err := dense(pairs)
		if err != nil {
			return nil, err
		}
		l := Latencies{}
		if h.Count() > 0 {
			l = Latencies{Histogram: h, MeanNanoseconds: float64(d.Latency.Mean[point]), MaxNanoseconds: uint64(max(0, d.Latency.Max[point]))}
		}
		recorded.Latencies = append(recorded.Latencies, l)
	}
	return recorded, nil
}

func dense(pairs []uint64) (*histogram.Histogram, error) {
	h := &histogram.Histogram{}
	next := uint64(0)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] >= histogram.Buckets || next+pairs[i] >= histogram.Buckets {
			return nil, errors.New("it has more buckets than there are")
		}
		index := next + pairs[i]
		h.Add(histogram.Value(int(index)), pairs[i+1])
		next = index + 1
	}
	return h, nil
}

func (r *Rate) ranges() []Range {
	ranges := make([]Range, len(r.Mean))
	for i, mean := range r.Mean {
		ranges[i] = Range{r.Lowest(i), mean, r.Highest(i)}
	}
	return ranges
}

// histograms returns how many points of latencies there are in all.
func (r *Recording) histograms() (all int) {
	for i := range r.Sections {
		for _, d := range r.Sections[i].Directions() {
			all += len(d.Latencies)
		}
	}
	return all
}

func (s *Series) histograms() (all int) {
	for i := range s.Sections {
		for _, d := range s.Sections[i].Directions() {
			if d.Latency != nil {
				all += len(d.Latency.Histograms)
			}
		}
	}
	return all
}
