package series

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/histogram"
)

// steps returns a recording of writes at these rates, each point with one I/O of as many nanoseconds as its number from 1.
func steps(start int64, rates ...float64) *Recording {
	d := &Recorded{}
	for i, rate := range rates {
		d.IOPS = append(d.IOPS, Steady(rate))
		d.Bytes = append(d.Bytes, Steady(rate*10))
		var h histogram.Histogram
		h.Add(uint64(i+1), 1)
		d.Latencies = append(d.Latencies, NewLatencies(&h))
	}
	return &Recording{
		StartMilliseconds: start, IntervalMilliseconds: 1000, LatencyPoints: 1, Clients: 1,
		Sections: []RecordedSection{{Name: "job", Write: d}},
	}
}

func TestThin(t *testing.T) {
	thin := steps(0, 10, 20, 0, 30, 50).Thin(2)
	if got, want := thin.Sections[0].Write.IOPS, []Range{{10, 15, 20}, {0, 15, 30}, {50, 50, 50}}; !cmp.Equal(got, want) {
		t.Errorf("IOPS %v, want %v", got, want)
	}
	if thin.IntervalMilliseconds != 2000 || thin.LatencyPoints != 1 {
		t.Errorf("points of %d ms, a latency for %d", thin.IntervalMilliseconds, thin.LatencyPoints)
	}
	var maxima []uint64
	for _, l := range thin.Sections[0].Write.Latencies {
		maxima = append(maxima, l.MaxNanoseconds)
	}
	if want := []uint64{2, 4, 5}; !cmp.Equal(maxima, want) {
		t.Errorf("longest latencies %v, want %v", maxima, want)
	}
}

// Whatever is thinned in however many steps, points of latencies stay whole points of rates, and cover the same I/Os.
func TestThinKeepsPointsOfLatenciesWhole(t *testing.T) {
	for _, latencyPoints := range []int{1, 2, 3, 4, 6, 10} {
		for _, by := range []int{1, 2, 3, 4, 5, 7, 12} {
			r := noisy(60, 1)
			r = r.thinLatencies(latencyPoints)
			thin := r.Thin(by)
			if err := thin.Series().check(); err != nil {
				t.Errorf("a latency for %d points, thinned by %d: %v", latencyPoints, by, err)
			}
			if got, want := counted(thin), counted(r); got != want {
				t.Errorf("a latency for %d points, thinned by %d: %d I/Os of %d", latencyPoints, by, got, want)
			}
		}
	}
}

func counted(r *Recording) (sum uint64) {
	for _, d := range r.Sections[0].Directions() {
		for _, l := range d.Latencies {
			if l.Histogram != nil {
				sum += l.Histogram.Count()
			}
		}
	}
	return sum
}

func TestMerge(t *testing.T) {
	a, b := steps(10_000, 100, 100, 100), steps(11_020, 5, 5, 5) // the second began a second later, but for 20 ms
	merged, err := Merge([]*Recording{b, a})
	if err != nil {
		t.Fatal(err)
	}
	if merged.StartMilliseconds != 10_000 || merged.Clients != 2 {
		t.Errorf("it starts at %d and has %d clients", merged.StartMilliseconds, merged.Clients)
	}
	want := []Range{Steady(100), Steady(105), Steady(105), Steady(5)}
	if got := merged.Sections[0].Write.IOPS; !cmp.Equal(got, want) {
		t.Errorf("IOPS %v, want %v", got, want)
	}
	if l := merged.Sections[0].Write.Latencies[1]; l.Histogram.Count() != 2 || l.MaxNanoseconds != 2 || l.MeanNanoseconds != 1.5 {
		t.Errorf("latencies of the second point: %d I/Os, mean %v, longest %d", l.Histogram.Count(), l.MeanNanoseconds, l.MaxNanoseconds)
	}
	if a.Sections[0].Write.IOPS[1] != Steady(100) || a.Sections[0].Write.Latencies[1].Histogram.Count() != 1 {
		t.Error("a client's own recording has changed")
	}
}

func TestMergeOfDifferentIntervals(t *testing.T) {
	coarse := steps(0, 10, 10)
	coarse.IntervalMilliseconds = 2000
	merged, err := Merge([]*Recording{steps(0, 1, 2, 3, 4), coarse})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := merged.Sections[0].Write.IOPS, []Range{{11, 11.5, 12}, {13, 13.5, 14}}; !cmp.Equal(got, want) {
		t.Errorf("IOPS %v, want %v", got, want)
	}
	coarse.IntervalMilliseconds = 1500
	if _, err := Merge([]*Recording{steps(0, 1, 2), coarse}); err == nil {
		t.Error("points of 1.5 s and of 1 s were merged")
	}
	if _, err := Merge([]*Recording{steps(0, 1), steps(1<<60, 1)}); err == nil {
		t.Error("series of different times were merged")
	}
	other := steps(0, 1)
	other.Sections[0].Name = "other"
	if _, err := Merge([]*Recording{steps(0, 1), other}); err == nil {
		t.Error("series of different sections were merged")
	}
}

// Clients whose histograms are of other sections, directions or times have as many together as each of them.
func TestMergedHistogramsAreBounded(t *testing.T) {
	part := func(at int) *Recording {
		r := &Recording{StartMilliseconds: 1, IntervalMilliseconds: 1000, LatencyPoints: 1, Clients: 1}
		for i := range 16 {
			section := RecordedSection{Name: strconv.Itoa(i)}
			if i == at {
				section.Read = noisyDirection(rand.New(rand.NewPCG(1, 2)), maxPartHistograms)
			}
			r.Sections = append(r.Sections, section)
		}
		return r
	}
	all := part(0)
	for i := range 15 {
		var err error
		if all, err = Merge([]*Recording{all, part(i + 1)}); err != nil {
			t.Fatal(err)
		}
		if n := all.histograms(); n > maxMergedHistograms {
			t.Fatalf("%d histograms of %d clients", n, i+2)
		}
	}
	if all.Points() < 2 {
		t.Errorf("%d points", all.Points())
	}
}
