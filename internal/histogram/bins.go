package histogram

import "iter"

// Bins returns the counts of the occupied buckets by their Value, as fio's json+ output has them: FromBins makes the
// same histogram of them again.
func (h *Histogram) Bins() map[uint64]uint64 {
	bins := map[uint64]uint64{}
	for index, count := range h.counts {
		if count != 0 {
			bins[Value(index)] = count
		}
	}
	return bins
}

// Mean returns the mean of the latencies in nanoseconds, of which each counts as its bucket's Value: half a bucket off at most, which is
// 0.8 %. It is 0 if the histogram is empty.
func (h *Histogram) Mean() float64 {
	sum := 0.0
	for index, count := range h.counts {
		if count != 0 {
			sum += float64(Value(index)) * float64(count)
		}
	}
	if h.total == 0 {
		return 0
	}
	return sum / float64(h.total)
}

// Occupied yields the buckets that have counted something, in their order, and how much.
func (h *Histogram) Occupied() iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		for index, count := range h.counts {
			if count != 0 && !yield(index, count) {
				return
			}
		}
	}
}
