package series

import (
	"math"
	"slices"
)

const (
	// minPoints is how many points a series has to have for anything to be said of it, minLevel how many each of two levels has to last.
	minPoints, minLevel = 10, 3
	// fallShare is what a rate that fell is of what it was before, at most.
	fallShare = 0.8
	// fallCertainty is how many standard errors two levels have to be apart, and dropCertainty how many standard deviations a point. On stationary noise,
	// also where neighbouring seconds are alike, that is less than 1 false alarm in 1,000 runs (TestNoFalseAlarms).
	fallCertainty, dropCertainty, steadyCertainty = 7, 5, 4
	// slowShare is what a rate that dropped is of the best that was usual, at most.
	slowShare = 0.5
	// usualShare is the share of points in which the rate was no more than the best that was usual: a few that are far above it are not.
	usualShare = 0.75
	// minWindow is how many points a window has at least of which the mean is looked at.
	minWindow = 5
	// minDrop is how many points a drop has at least.
	minDrop = 2
	// steadyShare is by how much a rate may differ from what it was at the end to be as steady.
	steadyShare = 0.1
	// maxDrops is the most drops that are told.
	maxDrops = 3
)

// Summary is what a person needs to know of a result's rate over time: I/Os a second, of all directions together.
type Summary struct {
	// FirstTenth and LastTenth are the rates in the first and in the last tenth of the time.
	FirstTenth, LastTenth float64
	// SteadySeconds is from when on the rate was what it was at the end; -1 if it was not steady there either.
	SteadySeconds float64
	// Fall is when and how far the rate fell and stayed lower, nil if it did not.
	Fall *Fall
	// Drops are the longest times in which the rate was less than half of the best that was usual, in their order. SlowPercent is the share of all.
	Drops       []Drop
	SlowPercent float64
}

// Fall is a rate that became lower for the rest of the run.
type Fall struct{ Seconds, Before, After float64 }

// Drop is a time in which a rate was low: when it began, how long it was, and the mean rate in it.
type Drop struct{ Seconds, Length, Rate float64 }

// Summarize says what there is to know of a section; nil if it has too few points.
func (s *Series) Summarize(section *Section) *Summary {
	rates := section.total()
	if len(rates) < minPoints {
		return nil
	}
	interval := float64(s.IntervalMilliseconds) / 1000
	tenth := max(1, len(rates)/10)
	summary := &Summary{
		FirstTenth: mean(rates[:tenth]), LastTenth: mean(rates[len(rates)-tenth:]),
		SteadySeconds: -1,
	}
	if point := steadyFrom(rates); point >= 0 {
		summary.SteadySeconds = float64(point) * interval
	}
	if point := fallsAt(rates); point > 0 {
		summary.Fall = &Fall{float64(point) * interval, mean(rates[:point]), mean(rates[point:])}
	}
	summary.addDrops(rates, interval)
	return summary
}

// IsEventful says whether there is something to tell: it was not the same all the time.
func (s *Summary) IsEventful(seconds float64) bool {
	const early = 0.1
	return s.Fall != nil || len(s.Drops) > 0 || s.SteadySeconds > early*seconds && s.FirstTenth < fallShare*s.LastTenth
}

// total returns the I/Os a second of all directions, as long as all jobs were at work.
func (s *Section) total() []float64 {
	points := s.Points()
	if s.WholePoints > 0 {
		points = min(points, s.WholePoints)
	}
	total := make([]float64, points)
	for _, d := range s.Directions() {
		for i := range total {
			total[i] += d.IOPS.Mean[i]
		}
	}
	return total
}

// fallsAt returns the first point of the lower level of a rate that fell and stayed lower, 0 if it did not. The point is that by which two levels explain the
// rates best (least squares). They have to be clearly apart: by a fifth, and by more than noise explains, of which neighbouring points may have the
// same.
func fallsAt(rates []float64) int {
	sum, squares := prefixSums(rates)
	best, at := math.Inf(1), 0
	for point := minLevel; point <= len(rates)-minLevel; point++ {
		left := squares[point] - sum[point]*sum[point]/float64(point)
		rest := sum[len(rates)] - sum[point]
		right := squares[len(rates)] - squares[point] - rest*rest/float64(len(rates)-point)
		if left+right < best {
			best, at = left+right, point
		}
	}
	before, after := rates[:at], rates[at:]
	if at == 0 || mean(after) > fallShare*mean(before) {
		return 0
	}
	apart := mean(before) - mean(after)
	before, after = withoutEdge(before, after)
	spread, alike := deviation(before, after)
	few := 1 + minPoints/float64(len(rates)) // of few points it is less known how they vary
	if apart < fallCertainty*few*math.Hypot(errorOfMean(before, spread, alike), errorOfMean(after, spread, alike)) {
		return 0
	}
	return at
}

// withoutEdge returns two levels without the points between which it fell, where such a point is between both: the rate fell in it, and it tells nothing of how
// much either level varies.
func withoutEdge(before, after []float64) ([]float64, []float64) {
	high, low := before[:len(before)-1], after[1:]
	between := func(rate float64) bool { return rate < mean(high) && rate > mean(low) }
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
		m := max(mean(rates), math.SmallestNonzeroFloat32)
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

// noise returns by how much points differ that follow each other, as a standard deviation. What happens now and then does not count.
func noise(rates []float64) float64 {
	var steps []float64
	for i := 1; i < len(rates); i++ {
		steps = append(steps, math.Abs(rates[i]-rates[i-1]))
	}
	slices.Sort(steps)
	const normal = 1.4826 / math.Sqrt2 // of the median of absolute differences
	return normal * quantile(steps, 0.5)
}

// steadyFrom returns the point from which on the rate was what it was in the last third of the run, -1 if it was not steady in that either. It looks at
// means of windows, of which noise allows some difference.
func steadyFrom(rates []float64) int {
	const third = 3
	last := rates[len(rates)-len(rates)/third:]
	window, end := min(max(minWindow, len(rates)/10), len(last)), mean(last)
	spread, alike := deviation(last)
	allowed := max(steadyShare*end, steadyCertainty*errorOfMean(last[:window], spread, alike))
	from := len(rates) - window // of the window that is looked at
	for ; from >= 0; from-- {
		if math.Abs(mean(rates[from:from+window])-end) > allowed {
			break
		}
	}
	switch {
	case from < 0:
		return 0
	case from+1 > len(rates)-len(last):
		return -1
	}
	// Of the window that was not steady, what follows its last point that is off is.
	off := from + window
	for off > 0 && off > from && math.Abs(rates[off-1]-end) <= allowed {
		off--
	}
	return max(off, 0)
}

// addDrops finds the times in which the rate was low.
func (s *Summary) addDrops(rates []float64, interval float64) {
	sorted := slices.Sorted(slices.Values(rates))
	usual := quantile(sorted, usualShare)
	if s.Fall != nil {
		usual = max(usual, s.Fall.Before) // also of a run that was slow for most of its time
	}
	low := min(slowShare*usual, usual-dropCertainty*noise(rates))
	var all []Drop
	for i := 0; i < len(rates); i++ {
		begin := i
		for i < len(rates) && rates[i] < low {
			i++
		}
		if i-begin >= minDrop {
			all = append(all, Drop{float64(begin) * interval, float64(i-begin) * interval, mean(rates[begin:i])})
			s.SlowPercent += 100 * float64(i-begin) / float64(len(rates))
		}
	}
	slices.SortStableFunc(all, func(a, b Drop) int { return int(math.Copysign(1, b.Length-a.Length)) })
	s.Drops = all[:min(len(all), maxDrops)]
	slices.SortFunc(s.Drops, func(a, b Drop) int { return int(a.Seconds - b.Seconds) })
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// quantile returns the value of sorted ones, at least one, below which a share of them is.
func quantile(sorted []float64, share float64) float64 {
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}
