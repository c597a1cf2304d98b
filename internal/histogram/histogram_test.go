package histogram

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"testing"
)

func TestIndexAndValue(t *testing.T) {
	tests := []struct {
		ns    uint64
		index int
		value uint64
	}{
		{0, 0, 0},
		{1, 1, 1},
		{63, 63, 63},
		{64, 64, 64},
		{127, 127, 127},
		{128, 128, 129},
		{129, 128, 129},
		{130, 129, 131},
		{255, 191, 255},
		{256, 192, 258},
		{1_000_000, 954, 1_003_520},
		{5_342_000, 1105, 5_341_184},
		{8_589_934_591, 1791, 8_556_380_160},
		{8_589_934_592, 1792, 8_657_043_456},
		{17_179_869_183, 1855, 17_112_760_320},
		{17_179_869_184, 1855, 17_112_760_320},
		{math.MaxUint64, 1855, 17_112_760_320},
	}
	for _, tt := range tests {
		if got := Index(tt.ns); got != tt.index {
			t.Errorf("Index(%d) = %d, want %d", tt.ns, got, tt.index)
			continue
		}
		if got := Value(tt.index); got != tt.value {
			t.Errorf("Value(%d) = %d, want %d", tt.index, got, tt.value)
		}
	}
}

func TestEveryValueIsInItsBucket(t *testing.T) {
	for index := range Buckets {
		if got := Index(Value(index)); got != index {
			t.Fatalf("Index(Value(%d)) = %d", index, got)
		}
		if index > 0 && Value(index) <= Value(index-1) {
			t.Fatalf("Value(%d) = %d does not rise", index, Value(index))
		}
	}
}

func TestValuePanicsBeyondTheBuckets(t *testing.T) {
	for _, index := range []int{-1, Buckets} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Value(%d) did not panic", index)
				}
			}()
			Value(index)
		}()
	}
}

// TestRank compares with the loop of fio's calc_clat_percentiles, compiled for x86 with -ffast-math as fio is: rows of a
// percentile, a total, and the least running count that the loop took. A double differs, for example at 99.9 % of 1,000,
// and so does C without that flag, at 30 % of 100.
func TestRank(t *testing.T) {
	file, err := os.Open("testdata/ranks.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); rows++ {
		var p float64
		var total, want uint64
		if _, err := fmt.Sscan(lines.Text(), &p, &total, &want); err != nil {
			t.Fatal(err)
		}
		if got := rank(p, total); got != want {
			t.Errorf("rank(%v, %d) = %d, want %d", p, total, got, want)
		}
	}
	if rows != 240 {
		t.Errorf("%d rows, want 240", rows)
	}
}

// All that is beyond the histogram is in its last bucket, however coarse it is.
func TestLastBucket(t *testing.T) {
	var h Histogram
	h.Add(1<<40, 1)
	for bits := range MaxCoarsening + 1 {
		if got, want := Value(LastBucket(bits)), h.Coarsen(bits).Percentile(50); got != want {
			t.Errorf("coarser by %d bits it is %d, want %d", bits, got, want)
		}
	}
	if LastBucket(-1) != Buckets-1 || LastBucket(MaxCoarsening+1) != LastBucket(MaxCoarsening) {
		t.Error("bits outside of the bounds do not count as the nearest one")
	}
}

func TestPercentile(t *testing.T) {
	var h Histogram
	if got := h.Percentile(50); got != 0 {
		t.Errorf("of an empty histogram: %d, want 0", got)
	}
	for ns := uint64(1); ns <= 100; ns++ {
		h.Add(ns, 1)
	}
	for p, want := range map[float64]uint64{0.5: 1, 1: 1, 50: 50, 50.5: 51, 99: 99, 100: 100, math.NaN(): 1, -1: 1, 101: 100} {
		if got := h.Percentile(p); got != want {
			t.Errorf("Percentile(%v) = %d, want %d", p, got, want)
		}
	}
}

func TestFromBins(t *testing.T) {
	h, err := FromBins(map[uint64]uint64{5: 2, 129: 3, 17_112_760_320: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := &Histogram{}
	want.Add(5, 2)
	want.Add(128, 1)
	want.Add(129, 2)
	want.Add(1<<40, 1)
	if !h.Equal(want) {
		t.Errorf("count %d, median %d", h.Count(), h.Percentile(50))
	}
	for name, bins := range map[string]map[uint64]uint64{
		"no value":  {128: 1},
		"too large": {1 << 40: 1},
		"too many":  {1: math.MaxUint64, 2: 1},
	} {
		if _, err := FromBins(bins); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestMerge(t *testing.T) {
	a, b, both := &Histogram{}, &Histogram{}, &Histogram{}
	for ns := uint64(1); ns < 1<<34; ns = ns*3/2 + 1 {
		a.Add(ns, ns%7)
		b.Add(ns*2, ns%5)
		both.Add(ns, ns%7)
		both.Add(ns*2, ns%5)
	}
	a.Merge(b)
	a.Merge(nil)
	if !a.Equal(both) {
		t.Errorf("count %d, want %d; median %d, want %d", a.Count(), both.Count(), a.Percentile(50), both.Percentile(50))
	}
}

func TestCountsSaturate(t *testing.T) {
	var h Histogram
	h.Add(1, math.MaxUint64)
	h.Add(1, 1)
	h.Add(2, 5)
	if h.Count() != math.MaxUint64 || h.Percentile(100) != 1 {
		t.Errorf("count %d, 100th %d", h.Count(), h.Percentile(100))
	}
}

func TestEqual(t *testing.T) {
	var none *Histogram
	some := &Histogram{}
	some.Add(1, 1)
	if !none.Equal(nil) || none.Equal(some) || some.Equal(nil) || some.Equal(&Histogram{}) || !some.Equal(some) {
		t.Error("Equal is wrong")
	}
}

func TestCoarsen(t *testing.T) {
	h := sample()
	for bits := 0; bits <= MaxCoarsening; bits++ {
		coarse := h.Coarsen(bits)
		if coarse.Count() != h.Count() {
			t.Errorf("%d bits: count %d, want %d", bits, coarse.Count(), h.Count())
		}
		for p := 0.5; p <= 100; p += 0.5 {
			moved := Index(coarse.Percentile(p)) - Index(h.Percentile(p))
			if limit := 1 << bits >> 1; moved > limit || -moved > limit {
				t.Errorf("%d bits: percentile %v moved by %d buckets, at most %d may be", bits, p, moved, limit)
			}
		}
	}
	if !h.Coarsen(0).Equal(h) || !h.Coarsen(-1).Equal(h) || !h.Coarsen(9).Equal(h.Coarsen(MaxCoarsening)) {
		t.Error("bounds of bits")
	}
	occupied := 0
	for _, count := range h.Coarsen(MaxCoarsening).counts {
		if count > 0 {
			occupied++
		}
	}
	if occupied > groups {
		t.Errorf("%d buckets are left, want one a group at most", occupied)
	}
}

// sample is a histogram with many kinds of buckets.
func sample() *Histogram {
	h := &Histogram{}
	for i := range uint64(Buckets) {
		if i%3 != 0 {
			h.Add(Value(int(i)), i*i%1000)
		}
	}
	return h
}
