package histogram

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
