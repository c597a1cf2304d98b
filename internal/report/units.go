// Package report shows a benchmark's status to people.
package report

import (
	"fmt"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

// latency prints nanoseconds as people read them: three significant digits and a unit, such as 5.34ms.
func latency(ns int64) string {
	switch d := time.Duration(ns); {
	case d < time.Microsecond:
		return fmt.Sprintf("%dns", ns)
	case d < time.Millisecond:
		return legible.ThreeDigits(float64(ns)/1e3) + "us"
	case d < time.Second:
		return legible.ThreeDigits(float64(ns)/1e6) + "ms"
	default:
		return legible.ThreeDigits(float64(ns)/1e9) + "s"
	}
}

// percentile prints a percentile as latency does, or that it is beyond fio's histogram.
func percentile(ns int64) string {
	if v1alpha1.IsBeyondHistogram(ns) {
		return ">17.1s"
	}
	return latency(ns)
}

// atMost says of a percentile what so many I/Os took.
func atMost(ns int64) string {
	if v1alpha1.IsBeyondHistogram(ns) {
		return "at most a time beyond 17.1s, where fio's histogram ends"
	}
	return "at most " + latency(ns)
}

// bandwidth prints bytes per second in binary units, as fio does.
func bandwidth(bytesPerSecond int64) string {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	switch {
	case bytesPerSecond < kib:
		return fmt.Sprintf("%d B/s", bytesPerSecond)
	case bytesPerSecond < mib:
		return legible.ThreeDigits(float64(bytesPerSecond)/kib) + " KiB/s"
	case bytesPerSecond < gib:
		return legible.ThreeDigits(float64(bytesPerSecond)/mib) + " MiB/s"
	default:
		return legible.ThreeDigits(float64(bytesPerSecond)/gib) + " GiB/s"
	}
}

// bothBandwidths prints bytes per second in binary and decimal units, as fio does, such as 47.6 MiB/s (49.9 MB/s); once
// where these are the same.
func bothBandwidths(bytesPerSecond int64) string {
	binary, decimal := bandwidth(bytesPerSecond), decimalBandwidth(bytesPerSecond)
	if binary == decimal {
		return binary
	}
	return fmt.Sprintf("%s (%s)", binary, decimal)
}

// decimalBandwidth prints bytes per second in decimal units, as vendors do.
func decimalBandwidth(bytesPerSecond int64) string {
	const kb, mb, gb = 1e3, 1e6, 1e9
	switch {
	case bytesPerSecond < kb:
		return fmt.Sprintf("%d B/s", bytesPerSecond)
	case bytesPerSecond < mb:
		return legible.ThreeDigits(float64(bytesPerSecond)/kb) + " kB/s"
	case bytesPerSecond < gb:
		return legible.ThreeDigits(float64(bytesPerSecond)/mb) + " MB/s"
	default:
		return legible.ThreeDigits(float64(bytesPerSecond)/gb) + " GB/s"
	}
}

// runtime prints for how long something ran, in whole seconds from 10 s on.
func runtime(milliseconds int64) string {
	d := time.Duration(milliseconds) * time.Millisecond
	if d >= 10*time.Second {
		d = d.Round(time.Second)
	}
	return d.String()
}
