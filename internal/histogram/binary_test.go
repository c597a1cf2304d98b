package histogram

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"math"
	"testing"
)

func TestBinaryRoundTrip(t *testing.T) {
	edges := &Histogram{}
	edges.Add(0, 1)
	edges.Add(math.MaxUint64, math.MaxUint64-1)
	full := &Histogram{}
	for i := range Buckets {
		full.Add(Value(i), uint64(i)+1)
	}
	for name, h := range map[string]*Histogram{"empty": {}, "sample": sample(), "edges": edges, "full": full} {
		data, err := h.AppendBinary([]byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		data, ok := bytes.CutPrefix(data, []byte("before"))
		if !ok {
			t.Fatalf("%s: not appended", name)
		}
		got := sample()
		if err := got.UnmarshalBinary(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !got.Equal(h) {
			t.Errorf("%s: count %d, want %d", name, got.Count(), h.Count())
		}
	}
}

func TestUnmarshalBinaryRefuses(t *testing.T) {
	numbers := func(values ...uint64) []byte {
		var data []byte
		for _, v := range values {
			data = binary.AppendUvarint(data, v)
		}
		return data
	}
	largest := uint64(math.MaxUint64)
	for name, data := range map[string][]byte{
		"nothing":                {},
		"more than the buckets":  numbers(Buckets + 1),
		"huge":                   numbers(largest),
		"indices missing":        numbers(1),
		"counts missing":         numbers(1, 0),
		"index beyond":           numbers(1, Buckets, 1),
		"index wraps around":     numbers(2, 0, largest, 1, 1),
		"indices add up beyond":  numbers(2, Buckets-1, 0, 1, 1),
		"no count":               numbers(1, 0, 0),
		"counts add up beyond":   numbers(2, 0, 0, largest, 1),
		"more after it":          numbers(1, 0, 1, 0),
		"not shortest":           {0x80, 0x00},
		"more than 64 bits":      bytes.Repeat([]byte{0xff}, 11),
		"cut in a number":        {1, 0, 0x80},
		"occupied but none left": numbers(Buckets),
	} {
		h := sample()
		if err := h.UnmarshalBinary(data); err == nil {
			t.Errorf("%s: no error", name)
		}
		if !h.Equal(sample()) {
			t.Errorf("%s: the histogram changed", name)
		}
	}
}

// TestBinaryIsCompact holds the encoding to what the termination message of a pod has room for: a curve as
// wide as measured ones (500 buckets) in less than 1,000 bytes.
func TestBinaryIsCompact(t *testing.T) {
	h := &Histogram{}
	for i := range 500 {
		x := float64(i-250) / 80
		h.Add(Value(900+i), uint64(1+4000*math.Exp(-x*x/2)))
	}
	data, err := h.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if packed.Len() > 1000 {
		t.Errorf("%d bytes, deflated %d", len(data), packed.Len())
	}
}

func FuzzHistogramUnmarshal(f *testing.F) {
	for _, h := range []*Histogram{{}, sample(), sample().Coarsen(3)} {
		data, err := h.AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var h Histogram
		if h.UnmarshalBinary(data) != nil {
			return
		}
		again, err := h.AppendBinary(nil)
		if err != nil || !bytes.Equal(data, again) {
			t.Errorf("%x decodes, but encodes as %x (%v)", data, again, err)
		}
		var sum uint64
		for _, count := range h.counts {
			sum += count
		}
		if sum != h.Count() {
			t.Errorf("count %d, of all buckets %d", h.Count(), sum)
		}
		h.Percentile(99.9)
	})
}
