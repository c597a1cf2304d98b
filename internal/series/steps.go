package series

import (
	"math"
	"slices"
)

// fallOf returns how a rate fell and stayed lower, nil if it did not.
func fallOf(rates []float64, interval float64) *Fall {
	steps := stepsDown(rates)
	if len(steps) == 0 {
		return slowFallOf(rates)
	}
	last := steps[len(steps)-1]
	return &Fall{float64(last.at) * interval, mean(last.high), mean(last.low)}
}

// slowFallOf returns how a rate fell all the time, without a step, nil if it did not. The line that fits best has to fall by
// a fifth and by more than noise about it explains, and each third of the run has to be clearly lower than the one before.
func slowFallOf(rates []float64) *Fall {
	tenth := len(rates) / 10
	if tenth < minLevel || !declines(rates) {
		return nil
	}
	fall := &Fall{Before: mean(rates[:tenth]), After: mean(rates[len(rates)-tenth:])}
	if fall.After > fallShare*fall.Before {
		return nil
	}
	line := lineOf(rates)
	few := 1 + minPoints/float64(len(rates))
	noise := fallCertainty * few * line.error
	if -line.change < max((1-fallShare)*(line.mean-line.change/2), noise) {
		return nil
	}
	return fall
}

// declines reports whether each third of a run has at least a fifth of the whole decline.
func declines(rates []float64) bool {
	third := len(rates) / 3
	first, middle, last := mean(rates[:third]), mean(rates[third:len(rates)-third]), mean(rates[len(rates)-third:])
	const least = 0.2
	return min(first-middle, middle-last) > least*(first-last) && first > last
}

// riseOf returns how a rate rose and had been lower from the start, nil if it did not: it is the first step down of a rate that goes the other way through time.
func riseOf(rates []float64, interval float64) *Rise {
	back := slices.Clone(rates)
	slices.Reverse(back)
	steps := stepsDown(back)
	if len(steps) == 0 {
		return slowRiseOf(rates, interval)
	}
	first := steps[0]
	if mean(rates[:minLevel]) >= fallShare*mean(first.high) {
		return nil // it began as fast as it became, and was low in between
	}
	_, low := withoutEdge(back[:first.at], back[first.at:])
	return &Rise{float64(len(rates)-first.at) * interval, mean(low), mean(first.high)}
}

// slowRiseOf returns how a rate rose that has no point at which it did: it began lower than the noise of what it became explains.
func slowRiseOf(rates []float64, interval float64) *Rise {
	begin := rates[:len(rates)/10]
	steady := steadyFrom(rates)
	if len(begin) < minLevel || steady < len(begin) {
		return nil
	}
	level := rates[steady:]
	spread, alike := deviation(level)
	const chosen = 1.4 // the level was chosen for being even, so that it varies less than the rest
	few := 1 + minPoints/float64(len(level))
	low := min(mean(level)-chosen*few*fallCertainty*math.Hypot(errorOfMean(begin, spread, alike), errorOfMean(level, spread, alike)), fallShare*mean(level))
	if mean(begin) >= low || mean(begin[:minLevel]) >= fallShare*mean(level) {
		return nil
	}
	return &Rise{float64(steady) * interval, mean(rates[:steady]), mean(level)}
}

// step is a point at which a rate falls and stays lower, with the levels beside it.
type step struct {
	at        int
	high, low []float64
}

// stepsDown returns all steps at which a rate falls and stays lower.
func stepsDown(rates []float64) []step {
	var steps []step
	cuts := cutsOf(rates, minLevel, furtherCuts)
	ends := append(slices.Clone(cuts), len(rates))
	for i, at := range cuts {
		begin := 0
		if i > 0 {
			begin = cuts[i-1]
		}
		high, low := withoutEdge(rates[begin:at], rates[at:ends[i+1]])
		before, after := mean(high), mean(low)
		if staysLower(rates, ends[i:], before) && !isBurst(rates[:at], len(rates)-at, (before+after)/2) {
			steps = append(steps, step{at, high, low})
		}
	}
	return steps
}

// staysLower says whether all levels from the first of these ends on are clearly lower than the one before.
func staysLower(rates []float64, ends []int, before float64) bool {
	for i := 1; i < len(ends); i++ {
		if mean(rates[ends[i-1]:ends[i]]) > fallShare*before {
			return false
		}
	}
	return true
}

// isBurst says whether what is low for so many points at the end is like what was low before: storage that is throttled in bursts, which may end with one.
func isBurst(before []float64, points int, low float64) bool {
	longest, length := 0, 0
	for _, rate := range before {
		length++
		if rate > low {
			length = 0
		}
		longest = max(longest, length)
	}
	return points <= burstLengths*longest
}

// cutsOf returns the first points of all levels of a rate but the first one, none if it has only one. Both sides of a cut are cut again, so many times, for
// each level to vary by noise alone: without the points beside the cut, in which the rate may be between both levels, and into levels that are longer than
// a change takes. A cut has to divide levels that are clearly apart: by more than noise explains, of which neighbouring points may have
// the same.
func cutsOf(rates []float64, least, again int) []int {
	at := bestCut(rates, least)
	if at == 0 {
		return nil
	}
	var left, right []int
	if again > 0 {
		longer := max(least, len(rates)/20)
		left, right = cutsOf(rates[:at-1], longer, again-1), cutsOf(rates[at+1:], longer, again-1)
	}
	cuts := slices.Concat(left, []int{at})
	for _, cut := range right {
		cuts = append(cuts, at+1+cut)
	}
	if !areApart(rates, cuts, len(left)) {
		return nil
	}
	return cuts
}

// bestCut returns the point by which two levels of at least so many points explain rates best (least squares), 0 if there are too few.
func bestCut(rates []float64, least int) int {
	sum, squares := prefixSums(rates)
	best, at := math.Inf(1), 0
	for point := least; point <= len(rates)-least; point++ {
		left := squares[point] - sum[point]*sum[point]/float64(point)
		rest := sum[len(rates)] - sum[point]
		right := squares[len(rates)] - squares[point] - rest*rest/float64(len(rates)-point)
		if left+right < best {
			best, at = left+right, point
		}
	}
	return at
}

// areApart says whether the levels on both sides of one of the cuts are clearly apart.
func areApart(rates []float64, cuts []int, which int) bool {
	levels := levelsOf(rates, cuts)
	apart := math.Abs(mean(levels[which]) - mean(levels[which+1]))
	levels[which], levels[which+1] = withoutEdge(levels[which], levels[which+1])
	before, after := levels[which], levels[which+1]
	spread, alike := deviation(levels...)
	few := 1 + minPoints/float64(len(rates)) // of few points it is less known how they vary
	return apart > fallCertainty*few*math.Hypot(errorOfMean(before, spread, alike), errorOfMean(after, spread, alike))
}

func levelsOf(rates []float64, cuts []int) [][]float64 {
	var levels [][]float64
	begin := 0
	for _, end := range append(slices.Clone(cuts), len(rates)) {
		levels = append(levels, rates[begin:end])
		begin = end
	}
	return levels
}

// withoutEdge returns two levels without the points between which it fell, where such a point is between both: the rate fell in it, and it tells nothing of how
// much either level varies.
func withoutEdge(before, after []float64) ([]float64, []float64) {
	high, low := before[:len(before)-1], after[1:]
	most, least := max(mean(high), mean(low)), min(mean(high), mean(low))
	between := func(rate float64) bool { return rate < most && rate > least }
	first, last := after[0], before[len(before)-1]
	if len(after) > minLevel && between(first) {
		after = low
	}
	if len(before) > minLevel && between(last) {
		before = high
	}
	return before, after
}

func prefixSums(rates []float64) (sum, squares []float64) {
	sum, squares = make([]float64, len(rates)+1), make([]float64, len(rates)+1)
	for i, r := range rates {
		sum[i+1], squares[i+1] = sum[i]+r, squares[i]+r*r
	}
	return sum, squares
}

// deviation returns the standard deviation of levels as a share of their means, and how alike points are that follow each other, from 0 to less than 1.
func deviation(levels ...[]float64) (spread, alike float64) {
	points, squares, products := 0, 0.0, 0.0
	for _, rates := range levels {
		m := mean(rates)
		if m <= 0 {
			continue // what is nothing all the time does not vary
		}
		for i, r := range rates {
			squares += (r/m - 1) * (r/m - 1)
			if i > 0 {
				products += (r/m - 1) * (rates[i-1]/m - 1)
			}
		}
		points += len(rates)
	}
	if squares == 0 {
		return 0, 0
	}
	const most = 0.95
	return math.Sqrt(squares / float64(max(points-len(levels), 1))), min(max(products/squares, 0), most)
}

// errorOfMean returns the standard error of the mean of a level. Where points are like the ones before them there are fewer that tell something.
func errorOfMean(rates []float64, spread, alike float64) float64 {
	return mean(rates) * spread * math.Sqrt((1+alike)/(1-alike)/float64(len(rates)))
}
