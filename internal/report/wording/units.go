// Package wording has the words and units in which reports tell of figures, storage and workloads. All reports use it, so
// that a figure reads the same in a table, in a sentence and on a page.
package wording

import (
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Unit is a unit that figures are divided by Size for.
type Unit struct {
	Name string
	Size float64
}

// Rate is the unit of IOPS, which figures have in thousandths.
var Rate = Unit{"IOPS", 1000}

// Of prints a figure without its unit, in three digits.
func (u Unit) Of(n int64) string {
	if u.Size == 1 {
		return strconv.FormatInt(n, 10)
	}
	return humanize.ThreeDigits(float64(n) / u.Size)
}

// fit returns the largest of the units of which a figure is at least one, or the first one.
func fit(figure int64, units ...Unit) Unit {
	best := units[0]
	for _, u := range units[1:] {
		if float64(figure) >= u.Size {
			best = u
		}
	}
	return best
}

// LatencyUnit returns the unit for nanoseconds up to a figure.
func LatencyUnit(ns int64) Unit {
	return fit(ns, Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9})
}

// BandwidthUnit returns the binary unit for bytes per second up to a figure, as fio chooses it.
func BandwidthUnit(bytesPerSecond int64) Unit {
	return fit(bytesPerSecond, Unit{"B/s", 1}, Unit{"KiB/s", 1 << 10}, Unit{"MiB/s", 1 << 20}, Unit{"GiB/s", 1 << 30})
}

// Latency prints nanoseconds, such as 5.34ms.
func Latency(ns int64) string {
	u := LatencyUnit(ns)
	return u.Of(ns) + u.Name
}

// Percentile prints a percentile as Latency does, or that it is beyond fio's histogram.
func Percentile(ns int64) string {
	if v1alpha1.IsBeyondHistogram(ns) {
		return ">17.1s"
	}
	return Latency(ns)
}

// AtMost tells of a percentile what so many I/Os took.
func AtMost(ns int64) string {
	if v1alpha1.IsBeyondHistogram(ns) {
		return "at most a time beyond 17.1s, where fio's histogram ends"
	}
	return "at most " + Latency(ns)
}

// Bandwidth prints bytes per second in binary units, such as 47.6 MiB/s.
func Bandwidth(bytesPerSecond int64) string {
	u := BandwidthUnit(bytesPerSecond)
	return u.Of(bytesPerSecond) + " " + u.Name
}

// DecimalBandwidth prints bytes per second in decimal units, as vendors do.
func DecimalBandwidth(bytesPerSecond int64) string {
	u := fit(bytesPerSecond, Unit{"B/s", 1}, Unit{"kB/s", 1e3}, Unit{"MB/s", 1e6}, Unit{"GB/s", 1e9})
	return u.Of(bytesPerSecond) + " " + u.Name
}

// BothBandwidths prints bytes per second in both, as fio does, such as 47.6 MiB/s (49.9 MB/s); once where they are equal.
func BothBandwidths(bytesPerSecond int64) string {
	binary, decimal := Bandwidth(bytesPerSecond), DecimalBandwidth(bytesPerSecond)
	if binary == decimal {
		return binary
	}
	return fmt.Sprintf("%s (%s)", binary, decimal)
}

// IOPS prints thousandths of IOPS: as a whole number from 100 on, and below that in three digits. So two figures that a
// verdict tells apart, which takes 1 %, look different.
func IOPS(milli int64) string {
	if milli >= wholeFrom {
		return strconv.FormatInt(v1alpha1.WholeIOPS(milli), 10)
	}
	return humanize.Significant(float64(milli) / Rate.Size)
}

// PerSecond prints whole IOPS with their unit.
func PerSecond(iops int64) string { return fmt.Sprintf("%d IOPS", iops) }

// wholeFrom is from how many thousandths on IOPS are whole numbers: 99.95, which is 100 in three digits.
const wholeFrom = 99_950

// Range prints the ends of an interval of thousandths of IOPS, with as many digits below 100 as tell them apart.
func Range(low, high int64, between string) string {
	least, most := IOPS(low), IOPS(high)
	if least == most && low != high && high < wholeFrom {
		least, most = exactly(low), exactly(high)
	}
	return least + between + most
}

func exactly(milli int64) string { return strconv.FormatFloat(float64(milli)/Rate.Size, 'f', -1, 64) }

// Deviation prints half of the range of a statistic in percent of its median, which is not 0. A small one has a
// decimal, so that 0 means that all repetitions did the same.
func Deviation(s *v1alpha1.Statistic) string {
	switch percent := 100 * (float64(s.Most()) - float64(s.Least())) / 2 / float64(s.Median); {
	case percent == 0:
		return "0"
	case percent < 0.05:
		return "<0.1"
	case percent < 0.5:
		return strconv.FormatFloat(percent, 'f', 1, 64)
	default:
		return strconv.FormatFloat(percent, 'f', 0, 64)
	}
}

// Runtime prints for how long something ran, in whole seconds from 10 s on.
func Runtime(milliseconds int64) string {
	d := time.Duration(milliseconds) * time.Millisecond
	if d >= 10*time.Second {
		d = d.Round(time.Second)
	}
	return d.String()
}

// Multiple prints a ratio, such as 0.51x.
func Multiple(ratio string) string {
	if ratio == "" {
		return ""
	}
	return ratio + "x"
}

// Minute prints a time for people, in UTC; "" if it is unset.
func Minute(t *metav1.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// Took prints how long something took, such as 1m30s; "" if that is not known.
func Took(start, end *metav1.Time) string {
	if start.IsZero() || end.IsZero() {
		return ""
	}
	return end.Sub(start.Time).Round(time.Second).String()
}
