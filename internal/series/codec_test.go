package series

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/internal/sizelimit"
)

// noisy returns a recording with figures like those of real storage, which hardly repeat.
func noisy(points, sections int) *Recording {
	random := rand.New(rand.NewPCG(1, 2))
	r := &Recording{StartMilliseconds: 1_700_000_000_000, IntervalMilliseconds: 1000, LatencyPoints: 1, Clients: 1}
	for range sections {
		section := RecordedSection{Name: "job"}
		for _, d := range []**Recorded{&section.Read, &section.Write} {
			*d = noisyDirection(random, points)
		}
		r.Sections = append(r.Sections, section)
	}
	return r
}

func noisyDirection(random *rand.Rand, points int) *Recorded {
	d, some := &Recorded{}, noisyLatencies(random, 50)
	for range points {
		rate := 3000 + 200*random.NormFloat64()
		d.IOPS = append(d.IOPS, Range{rate * 0.9, rate, rate * 1.1})
		d.Bytes = append(d.Bytes, Range{rate * 3686.4, rate * 4096, rate * 4505.6})
		d.Latencies = append(d.Latencies, some[random.IntN(len(some))])
	}
	return d
}

// noisyLatencies returns latencies of so many intervals.
func noisyLatencies(random *rand.Rand, intervals int) []Latencies {
	var all []Latencies
	for range intervals {
		var h histogram.Histogram
		for range 100 {
			h.Add(uint64(5e6*math.Exp(random.NormFloat64()/2)), 1)
		}
		all = append(all, NewLatencies(&h))
	}
	return all
}

func TestRoundTrip(t *testing.T) {
	want := noisy(100, 2).Series()
	want.Sections[1].OffsetMilliseconds = 5000
	data, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What is more than a ConfigMap is to hold is thinned until it fits, whatever its size.
func TestFit(t *testing.T) {
	for name, r := range map[string]*Recording{
		"a minute":      noisy(60, 1),
		"1,000 points":  noisy(1000, 1),
		"3 hours":       noisy(10_800, 1),
		"many sections": noisy(400, MaxSections),
	} {
		s, data, err := r.Fit()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%s: %d bytes, %d points of %d ms", name, len(data), s.Sections[0].Points(), s.IntervalMilliseconds)
		if len(data) > MaxBytes || s.Sections[0].Points() > MaxPoints {
			t.Errorf("%s: %d bytes, %d points", name, len(data), s.Sections[0].Points())
		}
		if got, err := Decode(data); err != nil || len(got.Sections) != len(r.Sections) {
			t.Errorf("%s: decoded: %v", name, err)
		}
	}
}

func TestEncodeRefusesWhatIsTooLarge(t *testing.T) {
	if _, err := Encode(noisy(1000, MaxSections).Series()); !errors.As(err, new(sizelimit.SizeError)) {
		t.Errorf("the error is %v", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	change := func(change func(*Series)) []byte {
		s := noisy(10, 1).Series()
		change(s)
		return zipped(t, s)
	}
	write := func(s *Series) *Direction { return s.Sections[0].Write }
	for name, data := range map[string][]byte{
		"nothing":            nil,
		"no gzip":            []byte("{}"),
		"no JSON":            zipped(t, "x"),
		"a bomb":             zipped(t, strings.Repeat(" ", maxText+1)),
		"too many bytes":     make([]byte, MaxBytes+1),
		"another version":    change(func(s *Series) { s.Version++ }),
		"before 1970":        change(func(s *Series) { s.StartMilliseconds = -1 }),
		"after all time":     change(func(s *Series) { s.StartMilliseconds = math.MaxInt64 }),
		"no interval":        change(func(s *Series) { s.IntervalMilliseconds = 0 }),
		"a long interval":    change(func(s *Series) { s.IntervalMilliseconds = maxInterval + 1 }),
		"no latency points":  change(func(s *Series) { s.LatencyPoints = 0 }),
		"no clients":         change(func(s *Series) { s.Clients = 0 }),
		"many clients":       change(func(s *Series) { s.Clients = MaxClients + 1 }),
		"no sections":        change(func(s *Series) { s.Sections = nil }),
		"many sections":      change(func(s *Series) { s.Sections = make([]Section, MaxSections+1) }),
		"a long name":        change(func(s *Series) { s.Sections[0].Name = strings.Repeat("x", maxName+1) }),
		"a negative offset":  change(func(s *Series) { s.Sections[0].OffsetMilliseconds = -1 }),
		"many points":        zipped(t, noisy(MaxPoints+1, 1).columns()),
		"no mean":            change(func(s *Series) { write(s).IOPS.Mean = nil }),
		"a short mean":       change(func(s *Series) { write(s).IOPS.Mean = write(s).IOPS.Mean[1:] }),
		"a short max":        change(func(s *Series) { write(s).BytesPerSecond.Max = []float64{1} }),
		"min alone":          change(func(s *Series) { write(s).IOPS.Max = nil }),
		"a negative rate":    change(func(s *Series) { write(s).IOPS.Mean[3] = -1 }),
		"a rate beyond all":  change(func(s *Series) { write(s).IOPS.Mean[3] = 1e300 }),
		"a short latency":    change(func(s *Series) { write(s).Latency.P99 = []int64{1} }),
		"a negative latency": change(func(s *Series) { write(s).Latency.P99[1] = -1 }),
		"points of another":  change(func(s *Series) { s.LatencyPoints = 2 }),
	} {
		if _, err := Decode(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func zipped(t *testing.T, v any) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestSignificant(t *testing.T) {
	for v, want := range map[float64]float64{0: 0, 1: 1, 2999.6: 3000, 12345678: 12350000, 0.123456: 0.1235, math.Inf(1): 0} {
		if got := significant(v); got != want {
			t.Errorf("significant(%v) = %v, want %v", v, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, err := Encode(noisy(5, 1).Series())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			return
		}
		_, err = Encode(s)
		if err != nil && !errors.As(err, new(sizelimit.SizeError)) {
			t.Errorf("what was decoded does not encode: %v", err)
		}

		for i := range s.Sections {
			for _, d := range s.Sections[i].Directions() {
				for point := range s.Sections[i].Points() {
					d.IOPS.Lowest(point)
					d.BytesPerSecond.Highest(point)
				}
			}
		}
	})
}
