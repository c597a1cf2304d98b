package analysis

import (
	"math"
	"slices"
	"strconv"

	"github.com/aclements/go-moremath/mathx"
	"github.com/aclements/go-moremath/stats"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Why verdicts are made as they are. TestVerdictsInSimulation counts how often they are wrong.
//
// Figures are compared by their logarithms, because storage is so many times as fast as other storage, and varies in proportion to how
// fast it is. Of two targets these are compared by Welch's t-test, which lets each vary as much as it does. It assumes that logarithms
// are roughly normal, or that both targets are of one shape: then their difference is symmetric, and outliers hide differences rather
// than make some. It is wrong more often where the figures of one target are skewed and vary much more than the other's.
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
	// ratio is nil where there is no logarithm of a value.
	ratio *logRatio
}

// contrastOf compares at least minRuns values of each side.
func contrastOf(own, base []int64, y yardstick) contrast {
	c := contrast{yardstick: y, own: y.statisticOf(own).Median, base: y.statisticOf(base).Median}
	if c.ratio = logRatioOf(own, base, y); c.ratio == nil {
		c.p = pValue(own, base)
		return c
	}
	c.p = beyond(max(math.Abs(c.ratio.difference)-c.ratio.grain, 0)/c.ratio.deviation, c.ratio.freedom)
	return c
}

// logRatio is the logarithm of a ratio of geometric means.
type logRatio struct {
	difference float64
	// deviation is the standard deviation of the difference, more than 0, and freedom its degrees of freedom: halfway between the estimate of
	// Satterthwaite and the least that they can be. The estimate itself varies with few runs. By it alone 8 % of benchmarks have a wrong
	// verdict where one target varies five times as much as the other.
	deviation, freedom float64
	// grain is that of the yardstick.
	grain float64
}

// logRatioOf returns nil where a value has no logarithm.
func logRatioOf(own, base []int64, y yardstick) *logRatio {
	if !y.haveLogarithms(own) || !y.haveLogarithms(base) {
		return nil
	}
	ownMean, ownVariance := momentsOf(own, y.leastDeviation())
	baseMean, baseVariance := momentsOf(base, y.leastDeviation())
	// The variances are those of the means.
	ownVariance, baseVariance = ownVariance/float64(len(own)), baseVariance/float64(len(base))
	sum := ownVariance + baseVariance
	estimate := sum * sum / (ownVariance*ownVariance/float64(len(own)-1) + baseVariance*baseVariance/float64(len(base)-1))
	least := float64(min(len(own), len(base)) - 1)
	return &logRatio{difference: ownMean - baseMean, deviation: math.Sqrt(sum), freedom: (estimate + least) / 2, grain: y.grain}
}

// momentsOf returns the mean of the logarithms of values, and their variance, which is at least that of a standard deviation. The order of the
// values changes nothing.
func momentsOf(values []int64, leastDeviation float64) (mean, variance float64) {
	logarithms := make([]float64, len(values))
	for i, value := range slices.Sorted(slices.Values(values)) {
		logarithms[i] = math.Log(float64(value))
		mean += logarithms[i]
	}
	mean /= float64(len(values))
	for _, l := range logarithms {
		variance += (l - mean) * (l - mean)
	}
	return mean, max(variance/float64(len(values)-1), leastDeviation*leastDeviation)
}

// interval returns the ends of the interval of the ratio that has the confidence level.
func (r *logRatio) interval() (low, high float64) {
	half := quantile(1-confidenceLevel, r.freedom)*r.deviation + r.grain
	return math.Exp(r.difference - half), math.Exp(r.difference + half)
}

// detectablePercent returns the smallest difference that is found with the power, at a level of significance.
func (r *logRatio) detectablePercent(level float64) float64 {
	return (math.Exp((quantile(level, r.freedom)+quantile(2*(1-power), r.freedom))*r.deviation+r.grain) - 1) * 100
}

// agrees says whether the ratio is on the same side of 1 as that of the medians.
func (c *contrast) agrees() bool {
	return c.ratio == nil || (c.ratio.difference > 0) == (c.own > c.base)
}

// isSame says whether the interval of the ratio lies within the margin.
func (c *contrast) isSame() bool {
	if c.ratio == nil {
		return false
	}
	low, high := c.ratio.interval()
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
	if c.ratio == nil {
		return 0
	}
	percent := max(c.ratio.detectablePercent(level), c.leastPercent())
	return int32(min(math.Ceil(percent), maxDetectablePercent))
}

// RatioInterval returns the interval of at least 95 % in which the ratio of a target's values to a baseline's lies, as Statistic has it. bucketPercent is
// that of percentiles, 0 of other figures: BucketPercent. It is false below 4 values of either, and where one of them has no logarithm.
func RatioInterval(own, base []int64, bucketPercent float64) (low, high float64, known bool) {
	if min(len(own), len(base)) < minRuns {
		return 0, 0, false
	}
	r := logRatioOf(own, base, yardstick{bucketPercent: bucketPercent})
	if r == nil {
		return 0, 0, false
	}
	low, high = r.interval()
	return low, high, true
}

// BucketPercent returns how wide the buckets are that percentiles were read from.
func BucketPercent(d *v1alpha1.LatencyDistribution) float64 {
	return max(bucketPercent, float64(d.BucketPercent))
}

// beyond is the probability that Student's t is as far from 0 as a value, on either side.
func beyond(t, freedom float64) float64 {
	return mathx.BetaInc(freedom/(freedom+t*t), freedom/2, 0.5)
}

// quantile returns the t for which beyond is a probability of less than 1/2. It takes Newton's steps on the logarithms of both: there beyond
// falls ever more steeply, so that after the first step each next one is nearer.
func quantile(probability, freedom float64) float64 {
	const (
		steps = 100
		near  = 1e-12
		// far is the longest step: beyond it the probability may be too small for a number.
		far = 0.7
	)
	t := 2.0
	for range steps {
		p := beyond(t, freedom)
		slope := -2 * t * stats.TDist{V: freedom}.PDF(t) / p
		step := math.Log(probability/p) / slope
		t *= math.Exp(min(max(step, -far), far))
		if math.Abs(step) < near {
			break
		}
	}
	return t
}

// intervalText prints an end of the interval of a ratio: with three digits after the point, one more than the ratio.
func intervalText(end float64) string { return ratioText(end, 3) }

// pText prints a p-value.
func pText(p float64) string { return strconv.FormatFloat(p, 'g', 3, 64) }
