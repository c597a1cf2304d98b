package histogram

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The encoding is a sequence of uvarints: the number of occupied buckets; for each of them, in rising
// order, how many empty buckets lie between it and the one before; then the counts in the same order.
// Indices and counts lie apart because each compresses better among its own kind.

var errTooMany = errors.New("latency counts exceed 64 bits")

// AppendBinary appends the encoded histogram to b. It never fails.
func (h *Histogram) AppendBinary(b []byte) ([]byte, error) {
	var occupied []int
	for index, count := range h.counts {
		if count != 0 {
			occupied = append(occupied, index)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(occupied)))
	next := 0
	for _, index := range occupied {
		b = binary.AppendUvarint(b, uint64(index-next))
		next = index + 1
	}
	for _, index := range occupied {
		b = binary.AppendUvarint(b, h.counts[index])
	}
	return b, nil
}

// UnmarshalBinary replaces h by the histogram that AppendBinary encoded as data, all of it. Any other
// input is an error and leaves h as it was. It allocates one histogram at most, whatever data says.
func (h *Histogram) UnmarshalBinary(data []byte) error {
	d := decoder{rest: data}
	occupied := d.uvarint(Buckets)
	indices := make([]int, 0, occupied)
	for next := uint64(0); uint64(len(indices)) < occupied && d.err == nil; {
		if next >= Buckets {
			return errors.New("histogram: more buckets than there are")
		}
		index := next + d.uvarint(Buckets-1-next)
		indices = append(indices, int(index))
		next = index + 1
	}
	decoded := &Histogram{}
	for _, index := range indices {
		count := d.uvarint(math.MaxUint64)
		switch {
		case d.err != nil:
			return d.err
		case count == 0:
			return fmt.Errorf("histogram: bucket %d is listed without a count", index)
		case count > math.MaxUint64-decoded.total:
			return errTooMany
		}
		decoded.add(index, count)
	}
	if d.err != nil {
		return d.err
	}
	if len(d.rest) != 0 {
		return fmt.Errorf("histogram: %d bytes after its end", len(d.rest))
	}
	*h = *decoded
	return nil
}

// decoder reads uvarints from rest until the first error.
type decoder struct {
	rest []byte
	err  error
}

// uvarint reads a number of at most limit in its shortest form, or sets err and returns 0.
func (d *decoder) uvarint(limit uint64) uint64 {
	if d.err != nil {
		return 0
	}
	v, n := binary.Uvarint(d.rest)
	switch {
	case n == 0:
		d.err = errors.New("histogram: cut short")
	case n < 0:
		d.err = errors.New("histogram: number of more than 64 bits")
	case n > 1 && d.rest[n-1] == 0:
		d.err = errors.New("histogram: number not in its shortest form")
	case v > limit:
		d.err = fmt.Errorf("histogram: %d where at most %d can be", v, limit)
	default:
		d.rest = d.rest[n:]
		return v
	}
	return 0
}
