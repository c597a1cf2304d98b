package regression

import (
	"math"
	"slices"
)

// Bounds of what is looked for.
const (
	// leastBefore is the fewest runs of a baseline before its first change, and leastAfter the fewest runs of all other levels. So a change can
	// be found from its third run on.
	leastBefore = 8
	leastAfter  = 3
	// LeastRuns is how many runs a baseline has before a change can be found in it.
	LeastRuns = leastBefore + leastAfter
	// mostRuns bounds how far back is looked: error rates are simulated up to it.
	mostRuns = 90
	// mostChanges bounds how many changes are looked for in a series, and mostInAll in all of them, but for leastChanges in each: somebody who makes
	// up a history may have a hundred thousand of them.
	mostChanges  = 8
	leastChanges = 2
	mostInAll    = 16_384
)

// changesOf returns how many changes are looked for in each of so many series.
func changesOf(series int) int {
	return min(max(mostInAll/max(series, 1), leastChanges), mostChanges)
}

// leastStep is the smallest change that is told, 5 %, as a difference of logarithms.
var leastStep = math.Log(1.05)

// change is a change between two levels: it begins with value at.
type change struct {
	at int
	step
	before, after segment
}

// detect returns the changes in a series of logarithms, each of which comes about by chance with at most the probability alpha. It divides the
// series, and its parts, where they divide best, as long as there may be a change, at most so many times; then it drops those that are not certain.
func detect(values []float64, alpha float64, most int) []change {
	if len(values) < leastBefore+leastAfter {
		return nil
	}
	return certain(values, divide(values, most), alpha)
}

// certain drops the least certain changes until all are certain.
func certain(values []float64, starts []int, alpha float64) []change {
	starts = slices.Clone(starts)
	for len(starts) > 0 {
		changes := changesAt(values, starts)
		worst := slices.MaxFunc(changes, func(a, b change) int { return compareBy(a.doubt(), b.doubt()) })
		if worst.p <= alpha && math.Abs(worst.size) >= leastStep {
			return changes
		}
		starts = slices.DeleteFunc(starts, func(at int) bool { return at == worst.at })
	}
	return nil
}

// weak is the probability by chance up to which a change is considered: the more certain one beside it may show only with it.
const weak = 0.01

// doubt orders changes by how little they are to be told: those that are too small come after all others.
func (c *change) doubt() float64 {
	if math.Abs(c.size) < leastStep {
		return 2 - math.Abs(c.size)
	}
	return c.p
}

func compareBy(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

// divide returns where the values may change, in ascending order: the most certain places, at most so many.
func divide(values []float64, most int) []int {
	d := newDistances(values)
	defer d.free()
	open, starts := d.divided(nil, values, segment{0, len(values)}), []int(nil)
	for len(open) > 0 && len(starts) < most {
		first := mostCertain(open)
		at := open[first]
		open = slices.Delete(open, first, first+1)
		starts = append(starts, at.tau)
		open = d.divided(open, values, segment{at.part.start, at.tau})
		open = d.divided(open, values, segment{at.tau, at.part.end})
	}
	slices.Sort(starts)
	return starts
}

// division is where a part of a series may change, and how probable that is by chance.
type division struct {
	part segment
	tau  int
	p    float64
}

// mostCertain returns which division is the least probable by chance.
func mostCertain(all []division) int {
	first := 0
	for i := range all {
		if all[i].p < all[first].p {
			first = i
		}
	}
	return first
}

// divided appends where a part may change, if it does.
func (d *distances) divided(all []division, values []float64, part segment) []division {
	least := leastAfter
	if part.start == 0 {
		least = leastBefore
	}
	tau, until, found := d.mostDivergent(part.start, part.end, least)
	if !found {
		return all
	}
	before, after := segment{part.start, tau}, segment{tau, until}
	p := stepBetween(values, before, after, noiseOf(values, []segment{before, after})).p
	if p > weak {
		return all
	}
	return append(all, division{part: part, tau: tau, p: p})
}

// changesAt compares the levels on both sides of each start.
func changesAt(values []float64, starts []int) []change {
	bounds := slices.Concat([]int{0}, starts, []int{len(values)})
	segments := make([]segment, len(bounds)-1)
	for i := range segments {
		segments[i] = segment{bounds[i], bounds[i+1]}
	}
	within := noiseOf(values, segments)
	changes := make([]change, len(starts))
	for i := range changes {
		before, after := segments[i], segments[i+1]
		changes[i] = change{at: starts[i], step: stepBetween(values, before, after, within), before: before, after: after}
	}
	return changes
}

// alphaOf returns how probable a change may be by chance in one of so many series, after each run.
func alphaOf(series int) float64 { return falseAlarms / repeated / float64(max(series, 1)) }

// falseAlarms is the promise: the share of runs after which a schedule, whose storage did not change, says that it did.
const falseAlarms = 0.01

// repeated is by how much more often than once a change is looked for: after each run, and at each place. By simulation of the longest series, which has the most places: a history
// that is full is looked at for most of its life. With 10 a series of 90 runs with an autocorrelation of 0.5 made false alarms after 1.3 to 1.6 % of runs, with 20 after 0.7 %.
const repeated = 20.0
