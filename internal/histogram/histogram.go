// Package histogram holds latencies in the buckets that fio uses, so that what it says of several
// clients together is what fio would have said of them.
//
// fio (stat.h) keeps 29 groups of 64 buckets. The first two groups hold 0 to 127 ns exactly; each
// further group covers twice the range of the one before it, so that a bucket is never wider than
// 1/64 of its latency. The last group begins at 8.59 s; its last bucket also takes every latency above its
// own range, which ends at 17.18 s.
package histogram

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

const (
	// mantissaBits is the number of bits of a latency below its highest one that select its bucket.
	mantissaBits = 6
	// groupSize is the number of buckets in a group.
	groupSize = 1 << mantissaBits
	// groups is the number of groups.
	groups = 29

	// Buckets is the number of buckets.
	Buckets = groups * groupSize

	// MaxCoarsening is the largest number of bits that Coarsen takes: it leaves one bucket a group.
	MaxCoarsening = mantissaBits
)

// Histogram counts latencies by bucket. The zero value is empty and ready to use. Counts saturate at
// the largest uint64 instead of wrapping around.
type Histogram struct {
	counts [Buckets]uint64
	total  uint64
}

// Index returns the bucket, from 0 to Buckets-1, of a latency in nanoseconds.
func Index(ns uint64) int {
	highest := bits.Len64(ns) - 1
	if highest <= mantissaBits {
		return int(ns)
	}
	dropped := highest - mantissaBits
	index := (dropped+1)<<mantissaBits + int(ns>>dropped)&(groupSize-1)
	return min(index, Buckets-1)
}

// Value returns the latency in nanoseconds by which fio reports a bucket: the mean of its range. It
// panics if index is not between 0 and Buckets-1.
func Value(index int) uint64 {
	if index < 0 || index >= Buckets {
		panic(fmt.Sprintf("histogram: no bucket %d", index))
	}
	if index < 2*groupSize {
		return uint64(index)
	}
	dropped := index>>mantissaBits - 1
	lowest := uint64(groupSize+index%groupSize) << dropped
	return lowest + 1<<(dropped-1)
}

// FromBins returns the histogram of a "bins" object of fio's json+ output: counts by Value of their
// bucket. It is an error if a key is the value of no bucket, or the counts exceed an uint64 together.
func FromBins(bins map[uint64]uint64) (*Histogram, error) {
	h := &Histogram{}
	for value, count := range bins {
		index := Index(value)
		if Value(index) != value {
			return nil, fmt.Errorf("%d ns is not the value of a latency bucket of fio", value)
		}
		if count > math.MaxUint64-h.total {
			return nil, errTooMany
		}
		h.add(index, count)
	}
	return h, nil
}

// Add counts a latency in nanoseconds as often as count says.
func (h *Histogram) Add(ns, count uint64) {
	h.add(Index(ns), count)
}

// Merge adds the counts of o, which may be nil.
func (h *Histogram) Merge(o *Histogram) {
	if o == nil {
		return
	}
	for index, count := range o.counts {
		h.add(index, count)
	}
}

// Count returns the number of latencies counted.
func (h *Histogram) Count() uint64 {
	return h.total
}

// Equal says whether both count the same. A nil Histogram equals nil only.
func (h *Histogram) Equal(o *Histogram) bool {
	if h == nil || o == nil {
		return h == o
	}
	return *h == *o
}

// Percentile returns the latency in nanoseconds, as a bucket's Value, that p percent (0 < p <= 100) of
// the latencies do not exceed; 0 if the histogram is empty. Like fio it takes the first bucket at which
// the running count reaches p/100*Count.
func (h *Histogram) Percentile(p float64) uint64 {
	wanted := rank(p, h.total)
	var sum uint64
	last := 0
	for index, count := range h.counts {
		if count == 0 {
			continue
		}
		last = index
		sum = saturatingAdd(sum, count)
		if sum >= wanted {
			break
		}
	}
	return Value(last)
}

// Coarsen returns a copy in which each run of 2^bits neighbouring buckets of a group (0 <= bits <=
// MaxCoarsening) is merged into the bucket just above the run's middle. So a percentile moves by at
// most 2^(bits-1) buckets, or 2^(bits-1)/64 of itself. bits outside the bounds count as the nearest one.
func (h *Histogram) Coarsen(bits int) *Histogram {
	bits = min(max(bits, 0), MaxCoarsening)
	run := 1 << bits
	coarse := &Histogram{}
	for index, count := range h.counts {
		coarse.add(index&^(run-1)|run>>1, count)
	}
	return coarse
}

// LastBucket returns the bucket that takes all that is beyond the others, of a histogram that Coarsen made so many bits coarser.
func LastBucket(bits int) int {
	bits = min(max(bits, 0), MaxCoarsening)
	run := 1 << bits
	return (Buckets-1)&^(run-1) | run>>1
}

func (h *Histogram) add(index int, count uint64) {
	h.counts[index] = saturatingAdd(h.counts[index], count)
	h.total = saturatingAdd(h.total, count)
}

// rank returns the least count that is not below p percent of total, counted as fio does on x86: its compiler may
// reorder, and makes of (long double) p / 100.0 * total the product of p and total * 0.01L, each rounded to the 64 bits
// of that type's mantissa. A p outside of 0 to 100 counts as the nearest bound.
func rank(p float64, total uint64) uint64 {
	const mantissa = 64
	if math.IsNaN(p) {
		p = 0
	}
	share := new(big.Float).SetPrec(mantissa).Quo(big.NewFloat(1), big.NewFloat(100))
	share.Mul(share, new(big.Float).SetPrec(mantissa).SetUint64(total))
	share.Mul(share, big.NewFloat(min(max(p, 0), 100)))
	count, _ := share.Uint64()
	if !share.IsInt() {
		count++
	}
	return count
}

func saturatingAdd(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}
