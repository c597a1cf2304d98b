package analysis

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Counterparts is what two benchmarks have measured, each against the other: the baseline, such as storage before a change,
// and another one, such as after it.
type Counterparts struct {
	// Both is what both have results of. Each comparison has two targets: the baseline's first, and the other's beside
	// it, each with its name in its benchmark.
	Both []v1alpha1.Comparison
	// OnlyBaseline and OnlyOther are what the other one has no results of. Each comparison has one target.
	OnlyBaseline, OnlyOther []v1alpha1.Comparison
}

// Names of the targets while two benchmarks are compared.
const (
	asBaseline = "baseline"
	asOther    = "other"
)

// Between puts the results of two benchmarks beside each other that are of the same workload, parameters, section and name
// of the target. If each benchmark has one target only, these are taken for the same whatever their names. Verdicts are
// those of Compare, corrected for the number of all that is compared.
func Between(baseline, other *v1alpha1.StorageBenchmarkStatus) Counterparts {
	var found Counterparts
	var f family
	for _, pair := range pairTargets(targetsOf(baseline.Runs), targetsOf(other.Runs)) {
		runs := slices.Concat(runsAs(baseline.Runs, pair.baseline, asBaseline), runsAs(other.Runs, pair.other, asOther))
		for _, c := range f.compareRuns(runs, []string{asBaseline, asOther}, asBaseline) {
			found.add(c, pair)
		}
	}
	f.judge()
	f.warnOfHiding(found.Both)
	return found
}

// add puts a comparison where it belongs, and gives the targets their names back.
func (f *Counterparts) add(c v1alpha1.Comparison, pair targetPair) {
	to := &f.Both
	switch {
	case len(c.Targets) == 2:
	case c.Targets[0].Name == asBaseline:
		to = &f.OnlyBaseline
	default:
		to = &f.OnlyOther
	}
	for i := range c.Targets {
		if t := &c.Targets[i]; t.Name == asBaseline {
			t.Name = pair.baseline
		} else {
			t.Name = pair.other
		}
	}
	*to = append(*to, c)
}

// targetPair are the names of what is taken for the same target, "" where one benchmark lacks it.
type targetPair struct{ baseline, other string }

// pairTargets returns what is compared with what, in the baseline's order, and behind it what only the other one has.
func pairTargets(baseline, other []string) []targetPair {
	if len(baseline) == 1 && len(other) == 1 {
		return []targetPair{{baseline[0], other[0]}}
	}
	var pairs []targetPair
	for _, name := range baseline {
		pair := targetPair{baseline: name}
		if slices.Contains(other, name) {
			pair.other = name
		}
		pairs = append(pairs, pair)
	}
	for _, name := range other {
		if !slices.Contains(baseline, name) {
			pairs = append(pairs, targetPair{other: name})
		}
	}
	return pairs
}

// targetsOf returns the names of the targets in the order in which they first occur.
func targetsOf(runs []v1alpha1.Run) []string {
	var names []string
	for i := range runs {
		if !slices.Contains(names, runs[i].Target) {
			names = append(names, runs[i].Target)
		}
	}
	return names
}

// runsAs returns copies of the runs on a target, under another name of that.
func runsAs(runs []v1alpha1.Run, target, name string) []v1alpha1.Run {
	var renamed []v1alpha1.Run
	for _, run := range runs {
		if run.Target == target {
			run.Target = name
			renamed = append(renamed, run)
		}
	}
	return renamed
}
