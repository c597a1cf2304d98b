package series

import (
	"math"
	"slices"
	"testing"

	"github.com/storagebench/storagebench/internal/histogram"
)

func rate(end int64, perSecond float64) Sample {
	return Sample{EndMilliseconds: end, PerSecond: perSecond}
}

func one(ns uint64) *histogram.Histogram {
	h := &histogram.Histogram{}
	h.Add(ns, 1)
	return h
}

func TestBuilder(t *testing.T) {
	b := NewBuilder(1000, 1)
	early, late := b.Section("early"), b.Section("late")
	// Two jobs, of which one begins 400 ms later; it did nothing in its third second.
	early.AddRates("write", []Sample{rate(11_000, 100), rate(12_000, 100), rate(13_000, 100), rate(14_000, 100)}, nil)
	early.AddRates("write", []Sample{rate(11_400, 10), rate(12_400, 10), rate(14_400, 10)}, nil)
	early.AddHistogram("write", 11_300, one(5))
	early.AddHistogram("write", 12_900, one(7))
	early.AddHistogram("write", 99_000, one(9)) // after the last point
	late.AddRates("read", []Sample{rate(16_000, 7)}, []Sample{rate(16_000, 700)})
	r, err := b.Recording()
	if err != nil {
		t.Fatal(err)
	}
	if r.StartMilliseconds != 10_000 || r.Sections[1].OffsetMilliseconds != 5000 {
		t.Errorf("starts at %d, the second section %d ms later", r.StartMilliseconds, r.Sections[1].OffsetMilliseconds)
	}
	want := []float64{106, 110, 104, 106}
	got := r.Sections[0].Write
	if len(got.IOPS) != len(want) {
		t.Fatalf("points %v", got.IOPS)
	}
	for i := range want {
		if math.Abs(got.IOPS[i].Mean-want[i]) > 1e-9 {
			t.Errorf("point %d: %v IOPS, want %v", i, got.IOPS[i].Mean, want[i])
		}
	}
	if got.Latencies[0].MaxNanoseconds != 5 || got.Latencies[1].Histogram != nil || got.Latencies[2].MaxNanoseconds != 7 {
		t.Errorf("latencies %+v", got.Latencies)
	}
	if read := r.Sections[1].Read; len(read.IOPS) != 1 || read.Bytes[0].Mean != 700 {
		t.Errorf("reads %+v", read)
	}
	if err := r.Series().check(); err != nil {
		t.Error(err)
	}
}

// Of two jobs the first one has noted an interval more. The other did not finish its own: no point lacks a job that was at work. Another one has noted nothing for
// longer: it did nothing.
func TestBuilderEndsWithTheFirstOfThem(t *testing.T) {
	b := NewBuilder(1000, 1)
	s := b.Section("jobs")
	s.AddRates("write", []Sample{rate(11_000, 100), rate(12_000, 100), rate(13_000, 100)}, nil)
	s.AddRates("write", []Sample{rate(11_000, 100), rate(12_000, 100)}, nil)
	s.AddRates("read", []Sample{rate(11_000, 5)}, nil)
	r, err := b.Recording()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Sections[0].Write.IOPS; len(got) != 2 || got[1].Mean != 200 {
		t.Errorf("points %+v", got)
	}
	if got := r.Sections[0].Read.IOPS; len(got) != 2 || got[1].Mean != 0 {
		t.Errorf("points of reads %+v", got)
	}
}

// A clock that was set while jobs ran makes no series, and takes no memory for all the time between.
func TestBuilderOfTimesFarApart(t *testing.T) {
	b := NewBuilder(1000, 1)
	s := b.Section("jobs")
	s.AddRates("write", []Sample{rate(11_000, 100)}, nil)
	s.AddRates("write", []Sample{rate(4e18, 100)}, nil)
	s.AddHistogram("write", 4e18, one(5))
	if _, err := b.Recording(); err == nil {
		t.Error("there is a recording")
	}
}

// fio's intervals are a little longer than they are to be: what was steady stays so, without a gap or a bump.
func TestBuilderOfIntervalsThatDrift(t *testing.T) {
	b := NewBuilder(1000, 1)
	s := b.Section("job")
	var samples []Sample
	for i := range int64(3000) {
		samples = append(samples, rate(11_000+i*1001, 500))
	}
	s.AddRates("read", samples, samples)
	r, err := b.Recording()
	if err != nil {
		t.Fatal(err)
	}
	if got := len(r.Sections[0].Read.IOPS); got != 3003 {
		t.Errorf("%d points of 3,003 s", got)
	}
	for i, p := range r.Sections[0].Read.IOPS[:3002] {
		if math.Abs(p.Mean-500) > 1 {
			t.Fatalf("point %d: %v IOPS of 500", i, p.Mean)
		}
	}
}

func TestBuilderOfNothing(t *testing.T) {
	b := NewBuilder(1000, 1)
	b.Section("job").AddHistogram("read", 5, one(1))
	if _, err := b.Recording(); err == nil {
		t.Error("a series of no points")
	}
}

// Jobs that end when they are through with their files may end apart: for how long all were at work is known.
func TestWholePoints(t *testing.T) {
	b := NewBuilder(1000, 1)
	s := b.Section("job")
	long := []Sample{rate(11_000, 100), rate(12_000, 100), rate(13_000, 100), rate(14_000, 100)}
	s.AddRates("write", long, long)
	s.EndsWith(14_000)
	s.AddRates("write", long[:2], long[:2])
	s.EndsWith(12_000)
	r, err := b.Recording()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Series().Sections[0]; got.WholePoints != 2 || got.Points() != 4 {
		t.Errorf("%d points of %d with all jobs", got.WholePoints, got.Points())
	}
	if got := r.Thin(2).Sections[0].WholePoints; got != 1 {
		t.Errorf("thinned: %d", got)
	}
	later := *r
	later.StartMilliseconds += 1000
	merged, err := Merge([]*Recording{&later, r})
	if err != nil || merged.Sections[0].WholePoints != 2 {
		t.Errorf("merged: %d, %v", merged.Sections[0].WholePoints, err)
	}
}

// Storage that hangs has a rate of 0, at the start and at the end as well. The interval at the end that fio does not note is no hang.
func TestBuilderOfStorageThatHangs(t *testing.T) {
	samples := []Sample{rate(11_000, 100), rate(12_000, 100), rate(13_000, 100)}
	for name, tt := range map[string]struct {
		begin, end int64
		want       []float64
	}{
		"none":         {10_000, 13_990, []float64{100, 100, 100}},
		"at the end":   {9_990, 16_010, []float64{100, 100, 100, 0, 0, 0}},
		"at the start": {7_990, 13_500, []float64{0, 0, 100, 100, 100}},
	} {
		b := NewBuilder(1000, 1)
		s := b.Section("job")
		s.AddRates("write", samples, samples)
		s.Lasted(tt.begin, tt.end)
		s.AddHistogram("write", 12_900, one(7))
		r, err := b.Recording()
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, p := range r.Sections[0].Write.IOPS {
			got = append(got, p.Mean)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
		if err := r.Series().check(); err != nil {
			t.Error(err)
		}
	}
}
