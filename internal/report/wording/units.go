// Package wording has the words and units in which reports tell of figures, storage and workloads. All reports use it, so
// that a figure reads the same in a table, in a sentence and on a page.
package wording

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Multiple prints a ratio, such as 0.51x.
func Multiple(ratio string) string {
	if ratio == "" {
		return ""
	}
	return ratio + "x"
}

// Minute prints a time for people, in UTC.
func Minute(t *metav1.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// Latency prints nanoseconds as people read them: three significant digits and a unit, such as 5.34ms.
func Latency(ns int64) string {
	switch d := time.Duration(ns); {
	case d < time.Microsecond:
		return fmt.Sprintf("%dns", ns)
	case d < time.Millisecond:
		return humanize.ThreeDigits(float64(ns)/1e3) + "us"
	case d < time.Second:
		return humanize.ThreeDigits(float64(ns)/1e6) + "ms"
	default:
		return humanize.ThreeDigits(float64(ns)/1e9) + "s"
	}
}

// Percentile prints a percentile as latency does, or that it is beyond fio's histogram.
func Percentile(ns int64) string {
	if v1alpha1.IsBeyondHistogram(ns) {
		return ">17.1s"
	}
	return Latency(ns)
}

// AtMost says of a percentile what so many I/Os took.
func AtMost(ns int64) string {
	if v1alpha1.IsBeyondHistogram(ns) {
		return "at most a time beyond 17.1s, where fio's histogram ends"
	}
	return "at most " + Latency(ns)
}

// Bandwidth prints bytes per second in binary units, as fio does.
func Bandwidth(bytesPerSecond int64) string {
	return bandwidthIn(bytesPerSecond, 1024, "KiB/s", "MiB/s", "GiB/s")
}

// decimalBandwidth prints bytes per second in decimal units, as vendors do.
func decimalBandwidth(bytesPerSecond int64) string {
	return bandwidthIn(bytesPerSecond, 1000, "kB/s", "MB/s", "GB/s")
}

// bandwidthIn prints bytes per second in one of the units, each of which is a multiple of the one before.
func bandwidthIn(bytesPerSecond, multiple int64, units ...string) string {
	if bytesPerSecond < multiple {
		return fmt.Sprintf("%d B/s", bytesPerSecond)
	}
	unit, size := 0, multiple
	for unit < len(units)-1 && bytesPerSecond >= size*multiple {
		unit, size = unit+1, size*multiple
	}
	return humanize.ThreeDigits(float64(bytesPerSecond)/float64(size)) + " " + units[unit]
}

// BothBandwidths prints bytes per second in binary and decimal units, as fio does, such as 47.6 MiB/s (49.9 MB/s); once
// where these are the same.
func BothBandwidths(bytesPerSecond int64) string {
	binary, decimal := Bandwidth(bytesPerSecond), decimalBandwidth(bytesPerSecond)
	if binary == decimal {
		return binary
	}
	return fmt.Sprintf("%s (%s)", binary, decimal)
}

// Runtime prints for how long something ran, in whole seconds from 10 s on.
func Runtime(milliseconds int64) string {
	d := time.Duration(milliseconds) * time.Millisecond
	if d >= 10*time.Second {
		d = d.Round(time.Second)
	}
	return d.String()
}
