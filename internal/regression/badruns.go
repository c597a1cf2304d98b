package regression

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/storagebench/storagebench/internal/history"
)

// A regression may slow some runs and leave others alone: those on one of two node pools, zones or backends. Its level
// does not last, so the test of levels does not find it. The test here compares how often runs turn bad.
//
// A bad run is one that is worse than the runs before the change usually are. A neighbour that stays makes several bad
// runs in a row, which are one event. So the test counts how many of the runs that follow a good run are bad. If a run
// depends on the one before it and on nothing earlier, these counts before and after a change have a hypergeometric
// distribution as long as nothing changes: Fisher's exact test.

const (
	// badAt is how many standard deviations worse than the median before the change a bad run is.
	badAt = 3
	// placesTried corrects for the runs at which bad runs may begin. By simulation of histories of 90 runs, 4 keeps all
	// false alarms within the promise, also where recorded noise depends on more than the run before.
	placesTried = 4
)

// badRuns is a change in how often runs are bad.
type badRuns struct {
	before, after segment
	// badBefore and badAfter count the bad runs of each.
	badBefore, badAfter int
	// isBad marks the bad runs of the series.
	isBad []bool
	// p is the probability that chance alone makes runs turn bad so much more often.
	p float64
	// over reports that so many good runs have come since that the change is over.
	over bool
}

// goodness turns logarithms into values of which the larger one is worse: 1 of latencies, and -1 of rates.
type goodness float64

// of returns the values in which larger is worse.
func (g goodness) of(logarithms []float64) []float64 {
	worse := make([]float64, len(logarithms))
	for i, l := range logarithms {
		worse[i] = float64(g) * l
	}
	return worse
}

// badLimit returns the value above which a run is bad, by the runs before a change in ascending order.
func (g goodness) badLimit(sorted []float64) float64 {
	level := sorted[len(sorted)/2]
	deviation := max(1.4826*medianFrom(sorted, level), resolution)
	return level + max(badAt*deviation, leastStep)
}

// medianFrom returns the median distance of sorted values from one of them.
func medianFrom(sorted []float64, level float64) float64 {
	low, high := 0, len(sorted)-1
	for farther := len(sorted) - 1 - len(sorted)/2; farther > 0; farther-- {
		if level-sorted[low] > sorted[high]-level {
			low++
		} else {
			high--
		}
	}
	return max(level-sorted[low], sorted[high]-level)
}

// mostBadRuns returns the most certain change in how often runs are bad: of all runs, or of those since the last change of
// level. It returns nil where none is as improbable by chance as alpha.
func (g goodness) mostBadRuns(logarithms []float64, changes []change, alpha float64) *badRuns {
	values := g.of(logarithms)
	best := g.badRunsSince(values, 0, alpha)
	if len(changes) > 0 {
		since := g.badRunsSince(values, changes[len(changes)-1].after.start, alpha)
		if best == nil || since != nil && since.p < best.p {
			best = since
		}
	}
	return best
}

// badRunsSince looks for a change among the runs since start.
func (g goodness) badRunsSince(values []float64, start int, alpha float64) *badRuns {
	var best *badRuns
	sorted := make([]float64, 0, len(values))
	for at := start; at+leastAfter <= len(values); at++ {
		if at > start {
			place, _ := slices.BinarySearch(sorted, values[at-1])
			sorted = slices.Insert(sorted, place, values[at-1])
		}
		if len(sorted) < leastBefore {
			continue
		}
		limit := g.badLimit(sorted)
		if values[at] <= limit || values[at-1] > limit {
			continue // only a bad run after a good one can be the first
		}
		if found := badRunsAt(values, segment{start, at}, limit); best == nil || found.p < best.p {
			best = found
		}
	}
	if best == nil || best.p > alpha {
		return nil
	}
	return best
}

// badRunsAt compares how many of the runs that follow a good one are bad, before a change and from it on.
func badRunsAt(values []float64, before segment, limit float64) *badRuns {
	b := &badRuns{before: before, after: segment{before.end, len(values)}, isBad: make([]bool, len(values))}
	var turned, followed [2]int
	last := before.start
	for i := before.start; i < len(values); i++ {
		side := 0
		if i >= before.end {
			side = 1
		}
		b.isBad[i] = values[i] > limit
		if b.isBad[i] {
			last = i
		}
		if i > before.start && !b.isBad[i-1] {
			followed[side]++
			if b.isBad[i] {
				turned[side]++
			}
		}
	}
	b.badBefore, b.badAfter = count(b.isBad[before.start:before.end]), count(b.isBad[before.end:])
	b.p = min(placesTried*atLeast(turned[1], followed[1], turned[0]+turned[1], followed[0]+followed[1]), 1)
	b.over = isOver(len(values)-2-last, turned[1], followed[1])
	return b
}

func count(marks []bool) int {
	n := 0
	for _, is := range marks {
		if is {
			n++
		}
	}
	return n
}

// isOver reports whether so many good runs that follow a good one are improbable in a row, where some of those that
// followed one were bad. One more of either kind is counted, so that no probability is 0 or 1.
func isOver(good, bad, followed int) bool {
	return math.Pow(1-float64(bad+1)/float64(followed+2), float64(good)) <= weak
}

// atLeast returns the probability that of so many draws from a population at least k hit one of the marked: the upper tail
// of the hypergeometric distribution.
func atLeast(k, draws, marked, population int) float64 {
	sum, all := 0.0, logChoose(population, draws)
	for i := k; i <= min(draws, marked); i++ {
		sum += math.Exp(logChoose(marked, i) + logChoose(population-marked, draws-i) - all)
	}
	return min(sum, 1)
}

// logChoose returns the logarithm of a binomial coefficient.
func logChoose(n, k int) float64 {
	if k < 0 || k > n {
		return math.Inf(-1)
	}
	return logFactorial(n) - logFactorial(k) - logFactorial(n-k)
}

func logFactorial(n int) float64 { return logFactorials()[n] }

// logFactorials has the logarithms of the factorials of all numbers of runs.
var logFactorials = sync.OnceValue(func() (all [mostRuns + 1]float64) {
	for n := 2; n <= mostRuns; n++ {
		all[n] = all[n-1] + math.Log(float64(n))
	}
	return all
})

// goodness returns which values of the metric are worse.
func (s *series) goodness() goodness {
	if s.metric.IsLatency() {
		return 1
	}
	return -1
}

// moreBad returns the finding that runs of the series are bad more often than before, nil if they are not.
func (s *series) moreBad(values []float64, changes []change, alpha float64, acknowledged time.Time) *Finding {
	b := s.goodness().mostBadRuns(values, changes, alpha)
	if b == nil {
		return nil
	}
	first, last := s.points[b.after.start], s.points[len(s.points)-1]
	before, after := s.level(b.before), s.levelWhere(b.after, b.isBad)
	return &Finding{
		Case: s.Case, Metric: s.metric, Kind: Regression,
		Time: first.Time, Benchmark: first.Benchmark, Sequence: first.Sequence,
		Before: before, After: after, RunsBefore: b.before.len(), RunsAfter: b.after.len(),
		BadBefore: b.badBefore, BadAfter: b.badAfter,
		Now: after, RunsNow: b.badAfter, LastRun: last.Time, IsLast: true,
		Percent: 100 * (after/max(before, 0.5) - 1), PValue: b.p, Recovered: b.over,
		Acknowledged: s.showedBadRuns(values, b, acknowledged),
		sides:        [2][]*history.Point{s.points[b.before.start:b.before.end], s.points[b.after.start:b.after.end]},
	}
}

// levelWhere is the median of the marked runs of a segment.
func (s *series) levelWhere(of segment, marks []bool) float64 {
	marked := series{}
	for i := of.start; i < of.end; i++ {
		if marks[i] {
			marked.raw = append(marked.raw, s.raw[i])
		}
	}
	return marked.level(segment{0, len(marked.raw)})
}

// showedBadRuns reports whether the runs up to a time showed that runs are bad more often, from about the same run on.
func (s *series) showedBadRuns(values []float64, b *badRuns, t time.Time) bool {
	seen := s.goodness().badRunsSince(s.goodness().of(values[:s.endedBy(t)]), b.before.start, weak)
	return seen != nil && seen.after.start >= b.after.start-moves && seen.after.start <= b.after.start+moves
}
