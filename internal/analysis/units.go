package analysis

import (
	"math"

	"github.com/storagebench/storagebench/internal/humanize"
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

func duration(ns float64) string {
	return humanize.Scaled(ns, 1000, "ns", "us", "ms", "s")
}

func size(bytes int64) string {
	return humanize.Scaled(float64(bytes), 1024, " B", " KiB", " MiB", " GiB", " TiB")
}
