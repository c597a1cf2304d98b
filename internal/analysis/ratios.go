package analysis

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/mathx"
	"github.com/aclements/go-moremath/stats"
)

const (
	// robustRuns is the fewest results of each side from which on trimmed means are compared as well.
	robustRuns = 8
	// trimmedShare is the share of the results that a trimmed mean leaves out at either end.
	trimmedShare = 0.2
	// welchShare and yuenShare are the shares of all errors that the tests of means and of trimmed means may make where
	// both are made. Their sum is 1, so that both together are wrong no more often than one alone would be.
	welchShare, yuenShare = 0.8, 0.2
)

// ratios are tests of the same ratio. A difference is found where one of them finds it.
type ratios []logRatio

// logRatio is the logarithm of a ratio of means, by one test.
type logRatio struct {
	difference float64
	// deviation is the standard deviation of the difference, more than 0, and freedom its degrees of freedom: halfway between the estimate of
	// Satterthwaite and the least that they can be. The estimate itself varies with few runs. By it alone 8 % of benchmarks have a wrong
	// verdict where one target varies five times as much as the other.
	deviation, freedom float64
	// grain is that of the yardstick.
	grain float64
	// share is the share of all errors that the test may make, 1 where it is the only one.
	share float64
}

// ratiosOf returns none where a value has no logarithm.
func ratiosOf(own, base []int64, y yardstick, depend dependences) ratios {
	if !y.haveLogarithms(own) || !y.haveLogarithms(base) {
		return nil
	}
	least := y.leastDeviation()
	welch := between(depend.own.widen(momentsOf(own, least), len(own)), depend.base.widen(momentsOf(base, least), len(base)))
	welch.grain, welch.share = y.grain, 1
	if min(len(own), len(base)) < robustRuns {
		return ratios{welch}
	}
	yuen := between(
		depend.own.widen(trimmedMomentsOf(own, least), len(own)), depend.base.widen(trimmedMomentsOf(base, least), len(base)))
	yuen.grain, yuen.share = y.grain, yuenShare
	welch.share = welchShare
	return ratios{welch, yuen}
}

// dependences are those of the runs of a target and of the baseline.
type dependences struct{ own, base dependence }

// moments are a mean of logarithms, and the variance of that mean with its degrees of freedom.
type moments struct{ mean, variance, freedom float64 }

// between returns the difference of two means.
func between(own, base moments) logRatio {
	sum := own.variance + base.variance
	estimate := sum * sum / (own.variance*own.variance/own.freedom + base.variance*base.variance/base.freedom)
	return logRatio{
		difference: own.mean - base.mean, deviation: math.Sqrt(sum),
		freedom: (estimate + min(own.freedom, base.freedom)) / 2,
	}
}

// logarithmsOf returns the logarithms of values in ascending order, so that the order of the values changes nothing.
func logarithmsOf(values []int64) []float64 {
	logarithms := make([]float64, len(values))
	for i, value := range slices.Sorted(slices.Values(values)) {
		logarithms[i] = math.Log(float64(value))
	}
	return logarithms
}

// momentsOf returns the mean of the logarithms of values. Their variance is at least that of a standard deviation.
func momentsOf(values []int64, leastDeviation float64) moments {
	logarithms := logarithmsOf(values)
	n := float64(len(values))
	mean, squares := meanAndSquares(logarithms)
	return moments{mean, max(squares/(n-1), leastDeviation*leastDeviation) / n, n - 1}
}

// trimmedMomentsOf returns the trimmed mean of the logarithms of values (Yuen, 1974). Its variance is from the winsorized
// values: those that are left out count as the next one that is not.
func trimmedMomentsOf(values []int64, leastDeviation float64) moments {
	logarithms := logarithmsOf(values)
	n, out := len(logarithms), int(trimmedShare*float64(len(logarithms)))
	mean, _ := meanAndSquares(logarithms[out : n-out])
	for i := range out {
		logarithms[i], logarithms[n-1-i] = logarithms[out], logarithms[n-1-out]
	}
	_, squares := meanAndSquares(logarithms)
	left := float64(n - 2*out)
	variance := max(squares/float64(n-1), leastDeviation*leastDeviation)
	return moments{mean, variance * float64(n-1) / (left * (left - 1)), left - 1}
}

// meanAndSquares returns the mean of values, and the sum of the squares of their distances from it.
func meanAndSquares(values []float64) (mean, squares float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, squares
}

// p returns the p-value of the test, as if it made all errors.
func (r *logRatio) p() float64 {
	return min(beyond(max(math.Abs(r.difference)-r.grain, 0)/r.deviation, r.freedom)/r.share, 1)
}

// decisive returns the test with the least p-value.
func (all ratios) decisive() *logRatio {
	first := &all[0]
	for i := range all {
		if all[i].p() < first.p() {
			first = &all[i]
		}
	}
	return first
}

// interval returns the ends of the interval of the ratio that has the confidence level: what the intervals of all tests
// have in common. If they have nothing, it is that of the decisive test.
func (all ratios) interval() (low, high float64) {
	low, high = all[0].interval()
	for i := range all {
		l, h := all[i].interval()
		low, high = max(low, l), min(high, h)
	}
	if low > high {
		return all.decisive().interval()
	}
	return low, high
}

func (r *logRatio) interval() (low, high float64) {
	half := quantile((1-confidenceLevel)*r.share, r.freedom)*r.deviation + r.grain
	return math.Exp(r.difference - half), math.Exp(r.difference + half)
}

// detectablePercent returns the smallest difference that is found with the power, at a level of significance.
func (all ratios) detectablePercent(level float64) float64 {
	least := all[0].detectablePercent(level)
	for i := range all {
		least = min(least, all[i].detectablePercent(level))
	}
	return least
}

func (r *logRatio) detectablePercent(level float64) float64 {
	found := quantile(level*r.share, r.freedom) + quantile(2*(1-power), r.freedom)
	return (math.Exp(found*r.deviation+r.grain) - 1) * 100
}

// RatioInterval returns the interval of at least 95 % in which the ratio of a target's values to a baseline's lies, as Statistic has it. bucketPercent is
// that of percentiles, 0 of other figures: BucketPercent. It is false below 4 values of either, and where one of them has no logarithm.
func RatioInterval(own, base []int64, bucketPercent float64) (low, high float64, known bool) {
	if min(len(own), len(base)) < minRuns {
		return 0, 0, false
	}
	r := ratiosOf(own, base, yardstick{bucketPercent: bucketPercent}, dependences{})
	if len(r) == 0 {
		return 0, 0, false
	}
	low, high = r.interval()
	return low, high, true
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
