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

// Fall is a rate that became lower for the rest of the run: the last step down. Before and After are the mean rates of the
// levels beside it. The point in which the rate changed is in neither. A slow fall has no step: its Seconds are the start of
// what was measured, and Before and After are the mean rates of the first and of the last tenth.
type Fall struct{ Seconds, Before, After float64 }

// Rise is a rate that was lower from the start. Before is the mean rate of the time before it, After that of the level beside it. The point in which the rate
// changed is in neither.
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

// hasTrend reports whether a rate goes up or down all the time: the best line changes by more, from its start to its end,
// than a steady rate may differ and than noise about the line explains.
func hasTrend(rates []float64) bool {
	line := lineOf(rates)
	few := 1 + minPoints/float64(len(rates))
	return math.Abs(line.change) > max(2*steadyShare*line.mean, steadyCertainty*few*line.error)
}

// line is the line that fits a rate best: its mean, its change from the start to the end, and the standard error of the change.
type line struct{ mean, change, error float64 }

func lineOf(rates []float64) line {
	n, middle, m := float64(len(rates)), float64(len(rates)-1)/2, mean(rates)
	products, squares := 0.0, 0.0
	for i, r := range rates {
		products += (float64(i) - middle) * (r - m)
		squares += (float64(i) - middle) * (float64(i) - middle)
	}
	if squares == 0 {
		return line{mean: m}
	}
	slope := products / squares
	flat := make([]float64, len(rates))
	for i, r := range rates {
		flat[i] = r - slope*(float64(i)-middle)
	}
	spread, alike := deviation(flat)
	const ofSlope = 12 // the variance of a slope times a length is as many times that of the mean
	return line{m, slope * n, math.Sqrt(ofSlope) * errorOfMean(flat, spread, alike)}
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
