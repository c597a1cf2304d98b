package wording

import (
	"testing"
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
