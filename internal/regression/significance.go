package regression

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// likeness is how much a run is taken to be like the one before: the autocorrelation phi of AR(1), for which all error rates are meant. A
// history is too short to tell less from it.
const likeness = 0.5

// resolution is the least standard deviation of logarithms: percentiles come from buckets that are 1.6 % wide.
const resolution = 0.005

// segment is a range of values without a change. The end is excluded.
type segment struct{ start, end int }

func (s segment) len() int { return s.end - s.start }

// meanVariance is the variance of the mean of n values of variance 1 that are alike.
func meanVariance(n int) float64 {
	sum, power := 1.0, 1.0
	for k := 1; k < n; k++ {
		power *= likeness
		sum += 2 * (1 - float64(k)/float64(n)) * power
	}
	return sum / float64(n)
}

// differenceVariance is the variance of the difference of the means of m values and of the n values after them.
func differenceVariance(m, n int) float64 {
	g := func(n int) float64 { return likeness * (1 - math.Pow(likeness, float64(n))) / (1 - likeness) }
	covariance := g(m) * g(n) / likeness / float64(m*n)
	return meanVariance(m) + meanVariance(n) - 2*covariance
}

// noise is how much values vary within segments.
type noise struct {
	deviation float64
	// freedom is how many independent values it was estimated from, less those for the means.
	freedom float64
}

// noiseOf estimates the noise within segments. A value that is far off counts as one that is less far off: of storage, one run in many meets
// a neighbour, and is to hide no change.
func noiseOf(values []float64, segments []segment) noise {
	residuals := residualsOf(values, segments)
	most := clipAt * 1.4826 * medianOfAbsolute(residuals)
	most = max(most, clipAt*resolution)
	sum, weight, count := 0.0, 0.0, 0
	for _, r := range residuals {
		r = min(max(r, -most), most)
		sum += r * r
	}
	for _, s := range segments {
		n := s.len()
		weight += float64(n) * (1 - meanVariance(n))
		count += n - 1
	}
	// Values that are alike tell less of their variance than as many others.
	const worth = (1 - likeness*likeness) / (1 + likeness*likeness)
	return noise{
		deviation: max(math.Sqrt(sum/weight), resolution),
		freedom:   max(float64(count)*worth, 1),
	}
}

// clipAt is how many standard deviations off a value counts at most.
const clipAt = 4

// residualsOf returns the values less the mean of their segment.
func residualsOf(values []float64, segments []segment) []float64 {
	residuals := make([]float64, 0, len(values))
	for _, s := range segments {
		level := mean(values[s.start:s.end])
		for _, v := range values[s.start:s.end] {
			residuals = append(residuals, v-level)
		}
	}
	return residuals
}

// step is the difference between two segments.
type step struct {
	// size is the difference of logarithms, and p the probability of one that is as large by chance.
	size, p float64
}

// stepBetween compares two segments that follow each other.
func stepBetween(values []float64, before, after segment, within noise) step {
	left, right := values[before.start:before.end], values[after.start:after.end]
	levelBefore, levelAfter := median(left), median(right)
	size := nearerZero(mean(right)-mean(left), levelAfter-levelBefore)
	if !lasts(left, right, size) {
		return step{size: size, p: 1}
	}
	t := math.Abs(size) / (within.deviation * math.Sqrt(differenceVariance(before.len(), after.len())))
	return step{size: size, p: 2 * stats.TDist{V: within.freedom}.CDF(-t)}
}

// lasts says whether the values after a step are on its far side, all but a few: one value that is far off moves a mean, and is no change
// that lasts. Of a young level the last value has to be there still: where a run is like the one before, what happened to one fades away.
func lasts(left, right []float64, size float64) bool {
	level := median(left)
	few, most := len(right)/5, 0.0
	for _, v := range right {
		made := (v - level) / size
		most = max(most, made)
		if made < share {
			few--
		}
	}
	fades := len(right) <= young && (right[len(right)-1]-level)/size < share*most
	return few >= 0 && !fades
}

// young is up to how many runs a level may be one run that fades away.
const young = 5

// share is how much of the step a value has to have made to be on its far side.
const share = 0.5

// nearerZero returns the one of two differences that is nearer to 0, and 0 if one is up and one is down.
func nearerZero(a, b float64) float64 {
	if a*b <= 0 {
		return 0
	}
	if math.Abs(a) < math.Abs(b) {
		return a
	}
	return b
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

func medianOfAbsolute(values []float64) float64 {
	absolute := make([]float64, len(values))
	for i, v := range values {
		absolute[i] = math.Abs(v)
	}
	return median(absolute)
}
