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
	// furtherCuts is how many times levels are cut again: a rate can have up to 4.
	furtherCuts = 1
	// burstLengths is how many times as long as what was low before it a fall has to be.
	burstLengths = 2
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

// Summary is what a person needs to know of a result's rate over time: I/Os a second, of all directions together. Times are from the start of the section.
type Summary struct {
	// FromSeconds is from when on the rates are those of the result.
	FromSeconds float64
	// FirstTenth and LastTenth are the rates in the first and in the last tenth of the time.
	FirstTenth, LastTenth float64
	// SteadySeconds is from when on the rate was what it was at the end; -1 if it was not steady there either.
	SteadySeconds float64
	// Fall is when and how far the rate fell and stayed lower, nil if it did not.
	Fall *Fall
	// Rise is when the rate became what it stayed, which it had not been before; nil if it was not lower at first, or fell later.
	Rise *Rise
	// Drops are the longest times in which the rate was less than half of the best that was usual, in their order. SlowPercent is the share of all.
	Drops       []Drop
	SlowPercent float64
}

// Fall is a rate that became lower for the rest of the run. Before and After are the levels beside it, without the points in which it fell: of several falls
// it is the last one.
type Fall struct{ Seconds, Before, After float64 }

// Rise is a rate that was lower from the start. Before is all that was before it, After the level beside it, both without the points in which it rose.
type Rise struct{ Seconds, Before, After float64 }

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
	if summary.Fall = fallOf(rates, interval); summary.Fall == nil {
		summary.Rise = riseOf(rates, interval)
	}
	summary.addDrops(rates, interval)
	summary.later(float64(section.FromPoint) * interval)
	return summary
}

// later has all times begin so many seconds sooner.
func (s *Summary) later(seconds float64) {
	s.FromSeconds = seconds
	if s.SteadySeconds >= 0 {
		s.SteadySeconds += seconds
	}
	if s.Fall != nil {
		s.Fall.Seconds += seconds
	}
	if s.Rise != nil {
		s.Rise.Seconds += seconds
	}
	for i := range s.Drops {
		s.Drops[i].Seconds += seconds
	}
}

// SinceMeasured returns the summary with times from the start of what was measured.
func (s *Summary) SinceMeasured() *Summary {
	since := *s
	since.Drops = slices.Clone(s.Drops)
	if s.Fall != nil {
		since.Fall = new(*s.Fall)
	}
	if s.Rise != nil {
		since.Rise = new(*s.Rise)
	}
	since.later(-s.FromSeconds)
	since.FromSeconds = 0
	return &since
}

// IsEventful says whether there is something to tell of a section that lasted for so long: it was not the same all the time.
func (s *Summary) IsEventful(seconds float64) bool {
	const early = 0.1
	late := s.SteadySeconds < 0 || s.SteadySeconds-s.FromSeconds > early*(seconds-s.FromSeconds)
	return s.Fall != nil || s.Rise != nil || len(s.Drops) > 0 || late && s.FirstTenth < fallShare*s.LastTenth
}

// total returns the I/Os a second of all directions that the result is of, as long as all jobs were at work.
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
	return total[min(s.FromPoint, points):]
}

// fallOf returns how a rate fell and stayed lower, nil if it did not.
func fallOf(rates []float64, interval float64) *Fall {
	falls := fallsOf(rates)
	if len(falls) == 0 {
		return nil
	}
	last := falls[len(falls)-1]
	return &Fall{float64(last.at) * interval, mean(last.high), mean(last.low)}
}

// riseOf returns how a rate rose and had been lower from the start, nil if it did not: it is the first fall of a rate that goes the other way through time.
func riseOf(rates []float64, interval float64) *Rise {
	back := slices.Clone(rates)
	slices.Reverse(back)
	falls := fallsOf(back)
	if len(falls) == 0 {
		return slowRiseOf(rates, interval)
	}
	first := falls[0]
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

// aFall is a point at which a rate falls and stays lower, with the levels beside it.
type aFall struct {
	at        int
	high, low []float64
}

// fallsOf returns all falls of a rate.
func fallsOf(rates []float64) []aFall {
	var falls []aFall
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
			falls = append(falls, aFall{at, high, low})
		}
	}
	return falls
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
	if hasTrend(last) || len(lowTimes(last, lowRate(last, 0))) > 0 {
		return -1
	}
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
	return edge(rates, from, window, end, max(steadyShare, steadyCertainty*spread)*end)
}

// edge returns the point from which on a rate is what it is at the end. The window that begins at a point is the last one that is not: the edge is where two
// levels explain the rates about there best, but for points that are off by more than noise allows.
func edge(rates []float64, from, window int, end, allowed float64) int {
	begin := max(0, from-window+1)
	at := from
	if cut := bestCut(rates[begin:from+window], minLevel); cut > 0 {
		at = begin + cut
	}
	for at < from+window && math.Abs(rates[at]-end) > allowed {
		at++
	}
	return at
}

// hasTrend says whether a rate goes up or down all the time: by more, from the start to the end of the line that fits best, than a steady rate may differ and
// than noise about the line explains.
func hasTrend(rates []float64) bool {
	n, middle, m := float64(len(rates)), float64(len(rates)-1)/2, mean(rates)
	products, squares := 0.0, 0.0
	for i, r := range rates {
		products += (float64(i) - middle) * (r - m)
		squares += (float64(i) - middle) * (float64(i) - middle)
	}
	if squares == 0 {
		return false
	}
	slope := products / squares
	flat := make([]float64, len(rates))
	for i, r := range rates {
		flat[i] = r - slope*(float64(i)-middle)
	}
	spread, alike := deviation(flat)
	const ofSlope = 12 // the variance of a slope times a length is as many times that of the mean
	few := 1 + minPoints/n
	return math.Abs(slope)*n > max(2*steadyShare*m, steadyCertainty*few*math.Sqrt(ofSlope)*errorOfMean(flat, spread, alike))
}

// lowRate returns the rate below which it is low: clearly less than half of the best that was usual, which is no less than a rate before a fall.
func lowRate(rates []float64, before float64) float64 {
	usual := max(quantile(slices.Sorted(slices.Values(rates)), usualShare), before)
	return min(slowShare*usual, usual-dropCertainty*noise(rates))
}

// lowTimes returns from which point to which a rate was low, of all times that are long enough.
func lowTimes(rates []float64, low float64) (times [][2]int) {
	for i := 0; i < len(rates); i++ {
		begin := i
		for i < len(rates) && rates[i] < low {
			i++
		}
		if i-begin >= minDrop {
			times = append(times, [2]int{begin, i})
		}
	}
	return times
}

// addDrops finds the times in which the rate was low.
func (s *Summary) addDrops(rates []float64, interval float64) {
	before := 0.0
	if s.Fall != nil {
		before = s.Fall.Before // also of a run that was slow for most of its time
	}
	var all []Drop
	for _, time := range lowTimes(rates, lowRate(rates, before)) {
		points := time[1] - time[0]
		all = append(all, Drop{float64(time[0]) * interval, float64(points) * interval, mean(rates[time[0]:time[1]])})
		s.SlowPercent += 100 * float64(points) / float64(len(rates))
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
