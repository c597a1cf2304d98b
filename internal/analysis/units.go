package analysis

import (
	"math"

	"github.com/storagebench/storagebench/internal/legible"
)

// percent rounds a share to percent, bounded by 0 and what the API holds.
func percent(share float64) int32 {
	if !(share > 0) { // nor is NaN
		return 0
	}
	return int32(min(math.Round(share*100), math.MaxInt32))
}

// whole rounds a figure that is not negative, bounded by what the API holds.
func whole(f float64) int64 {
	switch {
	case !(f > 0): // nor is NaN
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	}
	return int64(math.Round(f))
}

const mib = 1 << 20

// scaled prints a number in the largest unit of which it is at least one; each unit is so many times the one
// before it.
func scaled(f, times float64, units ...string) string {
	for len(units) > 1 && f >= times {
		f, units = f/times, units[1:]
	}
	return legible.Significant(f) + units[0]
}

func duration(ns float64) string {
	return scaled(ns, 1000, "ns", "us", "ms", "s")
}

func size(bytes int64) string {
	return scaled(float64(bytes), 1024, " B", " KiB", " MiB", " GiB", " TiB")
}
