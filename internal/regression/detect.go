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
	// mostRuns bounds how far back is looked: error rates are simulated up to it.
	mostRuns = 90
)

// leastStep is the smallest change that is told, 5 %, as a difference of logarithms.
var leastStep = math.Log(1.05)

// change is a change between two levels: it begins with value at.
type change struct {
	at int
	step
	before, after segment
}

// detect returns the changes in a series of logarithms, each of which comes about by chance with at most the probability alpha. It divides the
// series, and its parts, where they divide best, as long as there may be a change; then it drops those that are not certain.
func detect(values []float64, alpha float64) []change {
	if len(values) < leastBefore+leastAfter {
		return nil
	}
	return certain(values, divide(values), alpha)
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

// divide returns where the values may change, in ascending order.
func divide(values []float64) []int {
	d := newDistances(values)
	var starts []int
	var part func(s segment)
	part = func(s segment) {
		least := leastAfter
		if s.start == 0 {
			least = leastBefore
		}
		tau, until, found := d.mostDivergent(s.start, s.end, least)
		if !found {
			return
		}
		before, after := segment{s.start, tau}, segment{tau, until}
		if stepBetween(values, before, after, noiseOf(values, []segment{before, after})).p > weak {
			return
		}
		starts = append(starts, tau)
		part(before)
		part(segment{tau, s.end})
	}
	part(segment{0, len(values)})
	slices.Sort(starts)
	return starts
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

// repeated is by how much more often than once a change is looked for: after each run, and at each place. By simulation.
const repeated = 10.0
