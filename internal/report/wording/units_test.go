package wording

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestUnits(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0ns", 999: "999ns", 1000: "1.00us", 9_995: "10.0us", 99_949: "99.9us", 99_950: "100us", 999_499: "999us", 5_342_000: "5.34ms", 8_590_000_000: "8.59s", 120_000_000_000: "120s",
	} {
		if got := Latency(ns); got != want {
			t.Errorf("latency(%d) is %s, want %s", ns, got, want)
		}
	}
	for b, want := range map[int64]string{
		0: "0 B/s", 999: "999 B/s", 1000: "1000 B/s (1.00 kB/s)", 49_951_000: "47.6 MiB/s (50.0 MB/s)", 1 << 30: "1.00 GiB/s (1.07 GB/s)",
	} {
		if got := BothBandwidths(b); got != want {
			t.Errorf("bothBandwidths(%d) is %s, want %s", b, got, want)
		}
	}
	for b, want := range map[int64]string{
		0: "0 B/s", 1023: "1023 B/s", 1024: "1.00 KiB/s", 49_951_000: "47.6 MiB/s", 1 << 30: "1.00 GiB/s", 1 << 41: "2048 GiB/s",
	} {
		if got := Bandwidth(b); got != want {
			t.Errorf("bandwidth(%d) is %s, want %s", b, got, want)
		}
	}
}

// TestIOPS: what a verdict tells apart looks different, and 0 % is only what was the same.
func TestIOPS(t *testing.T) {
	spread := func(low, median, high int64) string {
		return Deviation(&v1alpha1.Statistic{Median: median, Min: &low, Max: &high})
	}
	for _, test := range []struct{ got, want string }{
		{IOPS(3_048_400), "3048"},
		{IOPS(100_400), "100"},
		{IOPS(99_940), "99.9"},
		{IOPS(4_500), "4.5"},
		{IOPS(4_562), "4.56"},
		{IOPS(20), "0.02"},
		{IOPS(0), "0"},
		{Range(4_500, 5_100, "-"), "4.5-5.1"},
		{Range(45_011, 45_013, "-"), "45.011-45.013"},
		{Range(45_000, 45_000, "-"), "45-45"},
		{Range(3_000_100, 3_000_300, " to "), "3000 to 3000"},
		{spread(3_000_000, 3_000_000, 3_000_000), "0"},
		{spread(2_999_000, 3_000_000, 3_001_000), "<0.1"},
		{spread(4_480, 4_500, 4_520), "0.4"},
		{spread(1_549_000, 1_563_000, 1_830_000), "9"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestWords(t *testing.T) {
	end := &metav1.Time{Time: time.Date(2026, 11, 20, 10, 30, 0, 0, time.FixedZone("CET", 3600))}
	for _, test := range []struct{ got, want string }{
		{Minute(end), "2026-11-20 09:30 UTC"},
		{Minute(nil), ""},
		{Took(nil, end), ""},
		{Took(&metav1.Time{Time: end.Add(-90 * time.Second)}, end), "1m30s"},
		{Upper("épée"), "Épée"},
		{Upper(""), ""},
		{Upper("\xff"), "\xff"},
		{Bound("a name that nobody knows"), "a name that nobody knows"},
		{Bound(v1alpha1.BoundVolumeIOPS), "volume's IOPS"},
		{Parameters(map[string]string{"numjobs": "2", "bs": "4k"}), "bs=4k numjobs=2"},
		{Parameters(nil), ""},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
