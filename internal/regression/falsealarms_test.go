package regression

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
)

// random returns random numbers of their own for what is simulated: no two tables, and no test, are drawn from the same ones.
func random(seed uint64, what ...any) *rand.Rand {
	sum := fnv.New64a()
	fmt.Fprint(sum, what...)
	return rand.New(rand.NewPCG(seed, sum.Sum64()))
}

// age is how old a history is when it is looked at.
type age struct {
	name string
	// runs are how many runs it may have, each as often as the others.
	runs []int
	// slides says that it is full: the oldest run has just gone.
	slides bool
}

// The ages of a history.
var (
	fresh   = age{name: "11 to 14 runs", runs: []int{11, 12, 13, 14}}
	growing = age{name: "15, 30, 60, 90 runs", runs: []int{15, 30, 60, 90}}
	full    = age{name: "full, 90 runs", runs: []int{90}, slides: true}
	short   = age{name: "full, 30 runs", runs: []int{30}, slides: true}
)

// alarms are how often series without a change are said to have become worse.
type alarms struct {
	figures, draws int
	// open is after how many draws that is so, and begun after how many it is so, and was not one run before.
	open, begun int
}

// falsely looks at so many series without a change, each drawn anew, as at those of schedules with so many figures. Worse is up. What is made up varies by
// 10 %, so that the 5 % from which on changes are told hide nothing.
func falsely(r *rand.Rand, m noiseModel, a age, draws int, figures ...int) []alarms {
	all := make([]alarms, len(figures))
	for i := range all {
		all[i] = alarms{figures: figures[i], draws: draws}
	}
	for i := range draws {
		n := a.runs[i%len(a.runs)]
		values := m.logarithms(r, n+1, 0.1)
		before, now := values[1:n], values[1:]
		if a.slides {
			before = values[:n]
		}
		starts := divide(now, mostChanges)
		for j := range all {
			alpha := alphaOf(all[j].figures)
			if !isToldWorse(now, certain(now, starts, alpha), alpha) {
				continue
			}
			all[j].open++
			if !isToldWorse(before, detect(before, alpha, mostChanges), alpha) {
				all[j].begun++
			}
		}
	}
	return all
}

// isToldWorse reports whether a regression is open, by the level or by how many runs are bad.
func isToldWorse(values []float64, changes []change, alpha float64) bool {
	if isWorse(values, changes) {
		return true
	}
	bad := goodness(1).mostBadRuns(values, changes, alpha)
	return bad != nil && !bad.over
}

// isWorse reports whether the level of a series of which less is better is higher than it was.
func isWorse(values []float64, changes []change) bool {
	for i := range changes {
		c, last := &changes[i], &changes[len(changes)-1]
		if c.size > 0 && median(values[last.after.start:last.after.end])-median(values[c.before.start:c.before.end]) >= leastStep {
			return true
		}
	}
	return false
}

// share returns after which share of runs a schedule is wrong, of so many draws of a figure. Of many figures it is bounded by the sum over them.
func (a *alarms) share(of float64) float64 { return float64(a.figures) * of / float64(a.draws) }

// bound returns what the mean number of an event is at most, with 97.5 % confidence, that was counted: by Poisson's distribution.
func bound(counted int) float64 {
	low, high := float64(counted), 2*float64(counted)+20
	for range 60 {
		if mean := (low + high) / 2; atMost(counted, mean) > 0.025 {
			low = mean
		} else {
			high = mean
		}
	}
	return high
}

// atMost is how probable it is to count at most so many, by Poisson's distribution.
func atMost(counted int, mean float64) float64 {
	sum := 0.0
	for k := range counted + 1 {
		logFactorial, _ := math.Lgamma(float64(k + 1))
		sum += math.Exp(float64(k)*math.Log(mean) - mean - logFactorial)
	}
	return sum
}

// falseAlarmTable prints shares of runs of a schedule, each with its upper bound.
func falseAlarmTable(seed uint64, draws int, models []noiseModel) {
	figures := []int{1, 10, 40}
	for _, a := range []age{fresh, growing, full, short} {
		fmt.Printf("\n%s, %d draws, share and upper bound of 97.5 %% confidence\n\n", a.name, draws)
		fmt.Printf("| noise from run to run | `Regressed`: 1 figure | 10 | 40 | begins: 1 figure | 10 | 40 |\n|---|---|---|---|---|---|---|\n")
		for _, m := range models {
			var open, begin []string
			n := draws
			if m.name == promised.name {
				n *= 5
			}
			for _, f := range falsely(random(seed, "false alarms", m.name, a.name), m, a, n, figures...) {
				open, begin = append(open, f.text(f.open)), append(begin, f.text(f.begun))
			}
			fmt.Printf("| %s | %s | %s |\n", m.name, strings.Join(open, " | "), strings.Join(begin, " | "))
		}
	}
}

// text prints a share of runs with its bound.
func (a *alarms) text(counted int) string {
	return fmt.Sprintf("%.2f %% (%.2f)", 100*a.share(float64(counted)), 100*a.share(bound(counted)))
}
