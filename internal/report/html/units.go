package html

import (
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// count prints a number with commas between thousands, such as 3,048.
func count(n int64) string { return withCommas(strconv.FormatInt(n, 10)) }

// withCommas puts commas between the thousands of the whole number that a text begins with.
func withCommas(text string) string {
	number := strings.TrimLeft(text, "-")
	rest := strings.TrimLeft(number, "0123456789")
	start, end := len(text)-len(number), len(text)-len(rest)
	for at := end - 3; at > start; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// unit is what figures are shown in: each is divided by size.
type unit struct {
	name string
	size float64
}

// of prints a figure without its unit.
func (u unit) of(n int64) string {
	if u.size == 1 {
		return count(n)
	}
	return withCommas(humanize.ThreeDigits(float64(n) / u.size))
}

// with prints a figure with its unit.
func (u unit) with(n int64) string { return u.of(n) + " " + u.name }

// latencyUnit returns the unit for nanoseconds that reach a figure.
func latencyUnit(ns int64) unit {
	switch {
	case ns < int64(time.Microsecond):
		return unit{"ns", 1}
	case ns < int64(time.Millisecond):
		return unit{"µs", 1e3}
	case ns < int64(time.Second):
		return unit{"ms", 1e6}
	default:
		return unit{"s", 1e9}
	}
}

// bandwidthUnit returns the binary unit for bytes per second that reach a figure, as fio chooses it.
func bandwidthUnit(bytesPerSecond int64) unit {
	switch {
	case bytesPerSecond < 1<<10:
		return unit{"B/s", 1}
	case bytesPerSecond < 1<<20:
		return unit{"KiB/s", 1 << 10}
	case bytesPerSecond < 1<<30:
		return unit{"MiB/s", 1 << 20}
	default:
		return unit{"GiB/s", 1 << 30}
	}
}

// decimalBandwidth prints bytes per second in the decimal units that fio and vendors give as well.
func decimalBandwidth(bytesPerSecond int64) string {
	switch {
	case bytesPerSecond < 1e6:
		return unit{"kB/s", 1e3}.with(bytesPerSecond)
	case bytesPerSecond < 1e9:
		return unit{"MB/s", 1e6}.with(bytesPerSecond)
	default:
		return unit{"GB/s", 1e9}.with(bytesPerSecond)
	}
}

// latency prints nanoseconds, such as 5.34 ms.
func latency(ns int64) string { return latencyUnit(ns).with(ns) }

// percentileText prints a percentile as latency does, or that it is beyond fio's histogram.
func percentileText(ns int64) string {
	if v1alpha1.IsBeyondHistogram(ns) {
		return "> 17.1 s"
	}
	return latency(ns)
}

// bandwidth prints bytes per second, such as 47.6 MiB/s.
func bandwidth(bytesPerSecond int64) string {
	return bandwidthUnit(bytesPerSecond).with(bytesPerSecond)
}

// instant prints a time for people, in UTC; "" if it is unset.
func instant(t *metav1.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2 January 2006, 15:04 UTC")
}

// took prints how long something took, such as 1m30s; "" if that is not known.
func took(start, end *metav1.Time) string {
	if start.IsZero() || end.IsZero() {
		return ""
	}
	return end.Sub(start.Time).Round(time.Second).String()
}

// plural prints a number of things, such as 2 runs.
func plural(n int, thing string) string { return withCommas(humanize.Plural(n, thing)) }
