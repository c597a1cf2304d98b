package html

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestUnits(t *testing.T) {
	for want, got := range map[string]string{
		"0":                                 count(0),
		"999":                               count(999),
		"1,000":                             count(1000),
		"12,345,678":                        count(12_345_678),
		"-1,234":                            count(-1234),
		"-123":                              count(-123),
		"999 ns":                            latency(999),
		"1.00 µs":                           latency(1000),
		"90.0 ms":                           latency(90_000_000),
		"470 µs":                            latency(470_400),
		"2.50 s":                            latency(2_500_000_000),
		"1,500 s":                           latency(1_500_000_000_000),
		"1,023 B/s":                         bandwidth(1023),
		"47.6 MiB/s":                        bandwidth(49_938_432),
		"1.00 GiB/s":                        bandwidth(1 << 30),
		"0.50 kB/s":                         decimalBandwidth(500),
		"100 MiB/s":                         bandwidth(105_381_888), // 100.5 of them, which the table rounds likewise
		"131 MB/s":                          decimalBandwidth(131_072_000),
		"1.07 GB/s":                         decimalBandwidth(1 << 30),
		"1 run":                             plural(1, "run"),
		"1,200 runs":                        plural(1200, "run"),
		"20 November 2026, 09:30 UTC":       instant(&metav1.Time{Time: time.Date(2026, 11, 20, 10, 30, 0, 0, time.FixedZone("CET", 3600))}),
		"no time: " + instant(nil):          "no time: ",
		"no end: " + took(nil, nil):         "no end: ",
		"Épée":                              sentence("épée"),
		"no words: " + sentence(""):         "no words: ",
		"\xff":                              sentence("\xff"),
		"A name that nobody knows":          sentence(boundWords("a name that nobody knows")),
		"Volume's IOPS":                     sentence(boundWords("VolumeIOPS")),
		"bs=4k numjobs=2":                   parameters(map[string]string{"numjobs": "2", "bs": "4k"}),
		"no parameters: " + parameters(nil): "no parameters: ",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNumeric(t *testing.T) {
	for value, want := range map[string]float64{
		"1": 1, "16": 16, "4k": 4096, "4K": 4096, "1m": 1 << 20, "2Gi": 2 << 30, "1gib": 1 << 30, "8kb": 8192, "512b": 512, "0.5": 0.5, "1t": 1 << 40,
		"": 0, "0": 0, "-4": 0, "k": 0, "4kk": 0, "4k,8k": 0, "randread": 0, "1e400": 0, "inf": 0, "nan": 0,
	} {
		got, ok := numeric(value)
		if got != want || ok != (want > 0) {
			t.Errorf("%q is %v, %t; want %v", value, got, ok, want)
		}
	}
}

func TestNines(t *testing.T) {
	for percentile, want := range map[float64]float64{50: 0.30103, 90: 1, 99: 2, 99.9: 3, 99.99: 4} {
		if got := nines(percentile); math.Abs(got-want) > 1e-5 {
			t.Errorf("%v is at %v, want %v", percentile, got, want)
		}
	}
}

func TestOmitEmpty(t *testing.T) {
	full := table{Caption: "c", Columns: []column{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}, Rows: []row{
		{text("1"), text(""), cell{Sub: "2"}, cell{Target: &target{}}}, {text(""), text(""), text(""), text("")},
	}}
	want := table{Caption: "c", Columns: []column{{Name: "a"}, {Name: "c"}, {Name: "d"}}, Rows: []row{
		{text("1"), cell{Sub: "2"}, cell{Target: &target{}}}, {text(""), text(""), text("")},
	}}
	if diff := cmp.Diff(want, full.omitEmpty()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// TestTargets: as many as a benchmark can have look different from each other.
func TestTargets(t *testing.T) {
	seen := map[[3]int]int{}
	for i := range 16 {
		look := [3]int{target{Index: i}.Color(), target{Index: i}.Symbol(), target{Index: i}.Dash()}
		if other, known := seen[look]; known {
			t.Errorf("targets %d and %d look alike", other, i)
		}
		seen[look] = i
	}
}
