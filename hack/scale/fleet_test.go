package main

import (
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// counted returns a family that has counted so many up to each bound, the counts cumulative.
func counted(counts map[float64]uint64) *dto.MetricFamily {
	h := &dto.Histogram{}
	for bound, count := range counts {
		h.Bucket = append(h.Bucket, &dto.Bucket{UpperBound: new(bound), CumulativeCount: new(count)})
	}
	return &dto.MetricFamily{Metric: []*dto.Metric{{Histogram: h}}}
}

// What was counted before does not count.
func TestQuantile(t *testing.T) {
	before := counted(map[float64]uint64{0.01: 0, 0.1: 1000, 1: 1000})
	after := counted(map[float64]uint64{0.01: 98, 0.1: 1099, 1: 1100})
	for share, want := range map[float64]time.Duration{0.5: 10 * time.Millisecond, 0.98: 10 * time.Millisecond, 0.99: 100 * time.Millisecond, 1: time.Second} {
		if got := quantile(before, after, share); got != want {
			t.Errorf("%.2f took up to %s, want %s", share, got, want)
		}
	}
	if got := quantile(nil, nil, 0.99); got != 0 {
		t.Errorf("of nothing it is %s", got)
	}
	if got := within(before, after, 100*time.Millisecond); got != 0.99 {
		t.Errorf("%.2f are within 100 ms", got)
	}
	if got := within(nil, nil, time.Second); got != 0 {
		t.Errorf("of nothing %.2f are", got)
	}
}

func TestCheckFleets(t *testing.T) {
	const mib = 1 << 20
	alone := func() *fleet {
		return &fleet{active: 1, startupPasses: 0, idle: usage{peakBytes: 40 * mib}, busy: usage{peakBytes: 45 * mib}, calls: 40}
	}
	of := func(change func(*fleet)) *fleet {
		f := &fleet{ended: 9900, schedules: 495, active: 100, startupPasses: 10_400, idle: usage{peakBytes: 120 * mib}, busy: usage{peakBytes: 200 * mib}, calls: 4000}
		change(f)
		return f
	}
	for name, test := range map[string]struct {
		many *fleet
		want string
	}{
		"as it should be": {of(func(*fleet) {}), ""},
		"memory":          {of(func(f *fleet) { f.busy.peakBytes = 257 * mib }), "the operator takes 257 MiB"},
		"what is kept":    {of(func(f *fleet) { f.idle.peakBytes = 250 * mib }), "keeps 22243 bytes"},
		"many looks":      {of(func(f *fleet) { f.startupPasses = 20_000 }), "makes 20000 passes over 10395 objects"},
		"calls":           {of(func(f *fleet) { f.calls = 4500 }), "calls a run grow from 10.0 alone to 11.2"},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkFleets([]*fleet{alone(), test.many})
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestFleetTable(t *testing.T) {
	got := fleetTable([]*fleet{{active: 1, calls: 40, p99: 50 * time.Millisecond}, {ended: 9900, active: 100, calls: 4400}})
	for _, want := range []string{"| benchmarks that have ended | 0 | 9900 |", "| calls a run | 10.0 | 11.0 |", "| a pass: p99, at most ms | 50 | 0 |"} {
		if !strings.Contains(got, want) {
			t.Errorf("no line %q in:\n%s", want, got)
		}
	}
}
