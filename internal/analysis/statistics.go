// Package analysis says what results mean: how the targets do beside each other, what held a result back,
// and what may mislead whoever reads it. It is pure: the same results give the same statements.
//
// Medians and their confidence intervals are those of golang.org/x/perf/benchmath without any assumption on the distribution: order
// statistics. What assumes more says so: contrast.go.
package analysis

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// confidenceLevel is the least confidence of the interval that is given with a median.
	confidenceLevel = 0.95
	// significance is the corrected p-value below which a difference is not put down to chance.
	significance = 0.05
	// minRuns is the fewest results of each side that are judged: of fewer too little is known of how much they vary, and of 3 and 3 even the
	// clearest order has p = 2/20.
	minRuns = 4
	// minDifferencePercent is the difference of medians above which it matters, but of percentiles.
	minDifferencePercent = 1
	// maxRatioBytes is the length of a ratio that the API holds.
	maxRatioBytes = 16
)

// better says which of two figures is faster.
type better bool

const (
	moreIsFaster better = true
	lessIsFaster better = false
)

// StatisticOf returns the statistic of at least one value, without what depends on a baseline. One value is its median alone.
func StatisticOf(values []int64) v1alpha1.Statistic {
	summary := benchmath.AssumeNothing.Summary(sampleOf(values), confidenceLevel)
	s := v1alpha1.Statistic{Median: whole(summary.Center)}
	if len(values) > 1 {
		s.Min, s.Max = new(slices.Min(values)), new(slices.Max(values))
	}
	if !math.IsInf(summary.Lo, 0) && !math.IsInf(summary.Hi, 0) {
		s.ConfidenceLow, s.ConfidenceHigh = new(whole(summary.Lo)), new(whole(summary.Hi))
	}
	return s
}

// statisticOf is StatisticOf of what the yardstick is for. Where the median rests on a percentile beyond fio's histogram, it is beyond that as
// well: half of the way to what nobody knows would look like a figure.
func (y yardstick) statisticOf(values []int64) v1alpha1.Statistic {
	s := StatisticOf(values)
	if y.isHistogram() && v1alpha1.IsMedianBeyondHistogram(values) {
		s.Median = v1alpha1.BeyondHistogramNanoseconds
	}
	return s
}

// ratio returns one median as a multiple of another, "" where one of them is only known to be beyond fio's histogram.
func (y yardstick) ratio(own, base int64) string {
	if y.isHistogram() && (v1alpha1.IsBeyondHistogram(own) || v1alpha1.IsBeyondHistogram(base)) {
		return ""
	}
	return ratio(own, base)
}

// pValue returns the p-value of the two-sided Mann-Whitney U test, exact up to 50 values of each, with ties
// up to 25.
//
// Where ties and unequal numbers of values make the distribution of U asymmetric, benchmath doubles the
// first one's tail whichever of the two has the smaller U, and can so exceed 1. The order here is the one in
// which that is the right tail.
func pValue(a, b []int64) float64 {
	if above(a, b) > 0 {
		a, b = b, a
	}
	return min(benchmath.AssumeNothing.Compare(sampleOf(a), sampleOf(b)).P, 1)
}

// above returns in how many more pairs the value of a is greater than in how many it is smaller: twice the
// distance of a's U from its mean.
func above(a, b []int64) int {
	sum := 0
	for _, x := range a {
		for _, y := range b {
			sum += cmp.Compare(x, y)
		}
	}
	return sum
}

// ratio returns own as a multiple of base: two digits after the point, and below 0.1 three significant ones.
// It is empty if base is 0, and in scientific notation if it were too long otherwise.
func ratio(own, base int64) string {
	if base == 0 {
		return ""
	}
	return ratioText(float64(own)/float64(base), 2)
}

// ratioText prints a ratio with so many digits after the point, and below 0.1 with three significant ones.
func ratioText(quotient float64, digits int) string {
	// From the rounded quotient, so that 0.09999 is 0.10.
	_, exponent, _ := strings.Cut(strconv.FormatFloat(quotient, 'e', 2, 64), "e")
	if n, err := strconv.Atoi(exponent); err == nil && n < -1 {
		digits = 2 - n
	}
	if text := strconv.FormatFloat(quotient, 'f', digits, 64); len(text) <= maxRatioBytes {
		return text
	}
	return strconv.FormatFloat(quotient, 'e', 2, 64)
}

// sampleOf copies values, which benchmath sorts.
func sampleOf(values []int64) *benchmath.Sample {
	floats := make([]float64, len(values))
	for i, value := range values {
		floats[i] = float64(value)
	}
	return benchmath.NewSample(floats, &benchmath.DefaultThresholds)
}
