// Package search finds the highest load within a latency budget: by the loads that were measured it says which one to measure next,
// or what the answer is. It is pure, so a search that was interrupted anywhere goes on where it was.
package search

import (
	"fmt"
	"slices"
)

// Config is what a search may do.
type Config struct {
	// Min and Max are the lowest and the highest load, at least 1.
	Min, Max int32
}

// Probe is what was measured at a load.
type Probe struct {
	Value int32
	// Within says whether the load kept the budget.
	Within bool
	// Throughput is how much was done, in any unit that is the same of all probes.
	Throughput float64
	// Behind says that the storage did not keep up with the load that it was told: a higher one would be the same.
	Behind bool
}

// Outcome says how a search ended.
type Outcome int

// The outcomes of a search. Unknown is that of one that goes on.
const (
	Unknown Outcome = iota
	// Found: a load is within the budget, and a little more is not.
	Found
	// MaxWithin: the highest load that may be tried is within the budget.
	MaxWithin
	// MinBeyond: not even the lowest load is within the budget.
	MinBeyond
)

// Answer is what a search has found.
type Answer struct {
	Outcome Outcome
	// Value is the highest load within the budget, 0 with MinBeyond.
	Value int32
	// Confirmed says whether that was measured twice, and what is a little more as well.
	Confirmed bool
	// Violations are loads that were beyond the budget though a higher one is within it.
	Violations []int32
}

// Decision is what to do next: to measure at Value, or if that is 0, to take the answer.
type Decision struct {
	Value  int32
	Why    string
	Answer Answer
}

const (
	// factor is by how much the load grows from one probe to the next.
	factor = 2
	// grain is which part of a load more is no other load: a search ends when it knows the answer as well as that.
	grain = 32
	// confirmations is how many probes there may be of loads that were measured before: once more of the answer, once more of what is a
	// little more, and three where such a probe says something else than the first.
	confirmations = 5
	// growing is by which part more must be done at twice the load for storage not to be saturated.
	growing = 0.05
)

// MostProbes returns how many probes a search makes at most.
func MostProbes(c Config) int { return len(growth(c)) + halvings(c) + confirmations }

// growth returns the loads that are tried first.
func growth(c Config) []int32 {
	loads := []int32{c.Min}
	for v := int64(c.Min) * factor; v < int64(c.Max); v *= factor {
		loads = append(loads, int32(v))
	}
	if c.Max > c.Min {
		loads = append(loads, c.Max)
	}
	return loads
}

// halvings returns how many probes there may be between two of them.
func halvings(c Config) int {
	most := 0
	loads := growth(c)
	for i := range len(loads) - 1 {
		steps := 0
		for gap := loads[i+1] - loads[i]; !isGrain(loads[i], loads[i]+gap); gap = (gap + 1) / 2 {
			steps++
		}
		most = max(most, steps)
	}
	return most
}

// isGrain says whether nothing that matters is between a load and the next higher one that was measured.
func isGrain(low, high int32) bool { return high-low <= (low+grain-1)/grain }

// Next says what to do next.
func Next(c Config, probes []Probe) Decision {
	h := newHistory(c, probes)
	if len(probes) >= MostProbes(c) {
		return Decision{Answer: h.answer(false)}
	}
	for _, ask := range []func() (Decision, bool){h.disagreement, h.lowest, h.grow, h.halve, h.confirm} {
		if d, decided := ask(); decided {
			return d
		}
	}
	return Decision{Answer: h.answer(true)}
}

// history is what was measured, by loads.
type history struct {
	config Config
	// loads are those that were measured, from the lowest on.
	loads []int32
	at    map[int32]*load
}

// load is what was measured at one load.
type load struct {
	within, beyond int
	throughput     float64 // the most of it
	behind         bool
}

func newHistory(c Config, probes []Probe) *history {
	h := &history{config: c, at: map[int32]*load{}}
	for _, p := range probes {
		l := h.at[p.Value]
		if l == nil {
			l = &load{}
			h.at[p.Value] = l
			h.loads = append(h.loads, p.Value)
		}
		if p.Within {
			l.within++
		} else {
			l.beyond++
		}
		l.throughput = max(l.throughput, p.Throughput)
		l.behind = l.behind || p.Behind
	}
	slices.Sort(h.loads)
	return h
}

// isWithin says what most probes at a load say.
func (l *load) isWithin() bool { return l.within > l.beyond }

func (l *load) isConfirmed() bool { return l.within+l.beyond > 1 }

// disagreement has a load measured again of which two probes say different things.
func (h *history) disagreement() (Decision, bool) {
	for _, v := range h.loads {
		if l := h.at[v]; l.within == l.beyond {
			return Decision{Value: v, Why: fmt.Sprintf("at %d it was within the budget and beyond it", v)}, true
		}
	}
	return Decision{}, false
}

// lowest has the lowest load measured, and again before it is said that nothing keeps the budget.
func (h *history) lowest() (Decision, bool) {
	l := h.at[h.config.Min]
	switch {
	case l == nil:
		return Decision{Value: h.config.Min, Why: "the lowest load comes first"}, true
	case l.isWithin():
		return Decision{}, false
	case !l.isConfirmed():
		return Decision{Value: h.config.Min, Why: "the lowest load is beyond the budget: once more, to be sure"}, true
	default:
		return Decision{Answer: h.answer(true)}, true
	}
}

// grow doubles the load until it is beyond the budget, and does no more than half of it.
func (h *history) grow() (Decision, bool) {
	for _, v := range growth(h.config) {
		l := h.at[v]
		if l == nil {
			return Decision{Value: v, Why: "no load was beyond the budget and did no more than a lower one"}, true
		}
		if !l.isWithin() && (l.behind || l.throughput < (1+growing)*h.mostBelow(v)) {
			break
		}
	}
	return Decision{}, false
}

// mostBelow returns the most that was done at a lower load.
func (h *history) mostBelow(v int32) float64 {
	most := 0.0
	for _, lower := range h.loads {
		if lower < v {
			most = max(most, h.at[lower].throughput)
		}
	}
	return most
}

// bracket returns the highest load within the budget, and the next higher one that was measured, which is beyond it; 0 if there is none.
func (h *history) bracket() (low, high int32) {
	for _, v := range slices.Backward(h.loads) {
		if h.at[v].isWithin() {
			return v, high
		}
		high = v
	}
	return 0, high
}

// halve measures between the highest load that is within the budget and the next one that is not.
func (h *history) halve() (Decision, bool) {
	low, high := h.bracket()
	if high == 0 || isGrain(low, high) {
		return Decision{}, false
	}
	return Decision{Value: low + (high-low)/2, Why: fmt.Sprintf("%d is within the budget and %d is beyond it", low, high)}, true
}

// confirm measures again what the answer rests on.
func (h *history) confirm() (Decision, bool) {
	low, high := h.bracket()
	if !h.at[low].isConfirmed() {
		return Decision{Value: low, Why: "it is the answer: once more, to be sure"}, true
	}
	if high != 0 && !h.at[high].isConfirmed() {
		return Decision{Value: high, Why: fmt.Sprintf("it is beyond the budget, and %d is the answer: once more, to be sure", low)}, true
	}
	return Decision{}, false
}

// answer is what all probes together say.
func (h *history) answer(confirmed bool) Answer {
	low, _ := h.bracket()
	a := Answer{Outcome: Found, Value: low, Confirmed: confirmed}
	switch low {
	case 0:
		a.Outcome = MinBeyond
	case h.config.Max:
		a.Outcome = MaxWithin
	}
	for _, v := range h.loads {
		if v < low && !h.at[v].isWithin() {
			a.Violations = append(a.Violations, v)
		}
	}
	return a
}
