package analysis

import (
	"math"
	"slices"
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Why verdicts are made as they are. TestVerdictsInSimulation counts how often they are wrong.
//
// Figures are compared by their logarithms, because storage is so many times as fast as other storage, and varies in proportion to how
// fast it is. Of two targets these are compared by Welch's t-test, which lets each vary as much as it does. It assumes that logarithms
// are roughly normal, or that both targets are of one shape: then their difference is symmetric, and outliers hide differences rather
// than make some. It is wrong more often where the figures of one target are skewed and vary much more than the other's.
//
// An outlier does hide: one run of six that is three times as slow hides a difference of 50 %. From robustRuns on, Yuen's test stands beside Welch's: of
// trimmed means, which leave out the fifth of the runs at either end. Both together make as many errors as one would: of the 5 %, Welch's test may
// make 4 and Yuen's 1 (Bonferroni). Fewer runs have too few left to trim: leave_one_out.go says what hides behind one of them.
//
// A test by ranks assumes less, and shows nothing here: of 4 and 4 runs its least p is 2/70, of 6 and 6 it is 2/924. Corrected for
// 24 verdicts neither is below 0.05. It remains for what has no logarithm.
//
// Runs are not paired by their repetition, though what drifts is common to a repetition's runs. Pairs have half the degrees of freedom: of 6
// repetitions a difference of two standard deviations is found in less than 80 % of cases. The order of targets is balanced over
// repetitions, so that a drift is in the spread of both targets, and hides differences but makes none. Pairs would also lose what failed
// on one target, and two benchmarks have none.

const (
	// bucketPercent is how wide a bucket of fio's histogram is at most, in percent of the latency that it stands for: 1 of 64.5.
	bucketPercent = 1.55
	// bucketsApart is by how many buckets percentiles have to differ: by one they differ where a latency moves across its edge.
	bucketsApart = 2
	// leastDeviation is the least standard deviation that is believed of rates and means, as a share of them: a few runs can agree by
	// chance. fio counts in whole milliseconds, which are 0.1 % of a second.
	leastDeviation = 0.001
	// power is how often a difference is found that counts as detectable.
	power = 0.8
	// maxDetectablePercent is the most that the API holds.
	maxDetectablePercent = 100_000
)

// yardstick says what differences of a figure mean.
type yardstick struct {
	better better
	// bucketPercent is how wide the buckets are that the figure was read from, 0 for what is not from a histogram.
	bucketPercent float64
	// grain is by how much the ratio can be wrong because what was measured is known in whole units, as a share of it. It is the same in each run, and
	// no number of them makes it less. 0 if it does not matter.
	grain float64
}

// isHistogram says whether the figure is a percentile.
func (y yardstick) isHistogram() bool { return y.bucketPercent > 0 }

// leastPercent is the difference above which medians matter.
func (y yardstick) leastPercent() float64 {
	if y.isHistogram() {
		return bucketsApart * y.bucketPercent
	}
	return max(minDifferencePercent, y.grain*100)
}

// differ says whether two medians differ by more than is worth a verdict: of the baseline, or of the smaller of two percentiles, because coarse
// buckets can be as wide as a latency.
func (y yardstick) differ(own, base int64) bool {
	of := float64(base)
	if y.isHistogram() {
		of = float64(min(own, base))
	}
	return math.Abs(float64(own)-float64(base))*100 > y.leastPercent()*of
}

// leastDeviation is the least standard deviation that is believed: of percentiles that of what is anywhere in a bucket.
func (y yardstick) leastDeviation() float64 {
	if y.isHistogram() {
		return y.bucketPercent / 100 / math.Sqrt(12)
	}
	return leastDeviation
}

// haveLogarithms says whether all values are more than 0, and none is a percentile that is only known to be beyond the histogram.
func (y yardstick) haveLogarithms(values []int64) bool {
	return !slices.ContainsFunc(values, func(v int64) bool {
		return v <= 0 || y.isHistogram() && v1alpha1.IsBeyondHistogram(v)
	})
}

// contrast is how a figure of a target differs from the baseline's.
type contrast struct {
	yardstick

	// own and base are the medians.
	own, base int64
	// p is the p-value of this figure alone.
	p float64
	// ratios are the tests of the ratio. There is none where a value has no logarithm.
	ratios ratios
}

// contrastOf compares at least minRuns values of each side.
func contrastOf(own, base []int64, y yardstick, depend dependences) contrast {
	c := contrast{yardstick: y, own: y.statisticOf(own).Median, base: y.statisticOf(base).Median}
	if c.ratios = ratiosOf(own, base, y, depend); len(c.ratios) == 0 {
		c.p = pValue(own, base)
		return c
	}
	c.p = c.ratios.decisive().p()
	return c
}

// agrees reports whether the ratio is on the same side of 1 as that of the medians.
func (c *contrast) agrees() bool {
	return len(c.ratios) == 0 || (c.ratios.decisive().difference > 0) == (c.own > c.base)
}

// isSame reports whether the interval of the ratio lies within the margin.
func (c *contrast) isSame() bool {
	if len(c.ratios) == 0 {
		return false
	}
	low, high := c.ratios.interval()
	return low >= 1/sameRatio && high <= sameRatio
}

// verdict returns the verdict of the contrast with a corrected p-value.
func (c *contrast) verdict(p float64) v1alpha1.Verdict {
	switch {
	case p < significance && c.agrees() && c.differ(c.own, c.base):
		if (c.own > c.base) == bool(c.better) {
			return v1alpha1.VerdictFaster
		}
		return v1alpha1.VerdictSlower
	case c.isSame():
		return v1alpha1.VerdictSame
	default:
		return v1alpha1.VerdictNotShown
	}
}

// detectable returns the smallest difference that would have been found at a level of significance, in whole percent; 0 if it is not known.
func (c *contrast) detectable(level float64) int32 {
	if len(c.ratios) == 0 {
		return 0
	}
	percent := max(c.ratios.detectablePercent(level), c.leastPercent())
	return int32(min(math.Ceil(percent), maxDetectablePercent))
}

// BucketPercent returns how wide the buckets are that percentiles were read from.
func BucketPercent(d *v1alpha1.LatencyDistribution) float64 {
	return max(bucketPercent, float64(d.BucketPercent))
}

// intervalText prints an end of the interval of a ratio: with three digits after the point, one more than the ratio.
func intervalText(end float64) string { return ratioText(end, 3) }

// pText prints a p-value.
func pText(p float64) string { return strconv.FormatFloat(p, 'g', 3, 64) }
