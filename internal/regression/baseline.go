package regression

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/storagebench/storagebench/internal/history"
)

// Baseline is what a history can be compared with: all points whose workloads, fio and instance type are those of the last one, and of each target whose storage is.
type Baseline struct {
	// From and Last are the times of the first and the last point that is looked at, and Runs how many these are.
	From, Last time.Time
	Runs       int
	// Earlier is how many points of the baseline came before and are not looked at any more.
	Earlier int
	// Asked is since when somebody wants runs to be looked at. Zero: nobody does.
	Asked time.Time
	// Needed is how many more runs have to end before a change can be found on any target, 0 if none.
	Needed int
	// Young are the targets on which none can be found yet, while it can on others.
	Young []YoungTarget
	// Limit is how many points the history has at most, 0 if that is not known.
	Limit int
	// Targets are those whose storage changed meanwhile, which begins a baseline of their own.
	Targets []TargetBaseline
	// Since are what changed when the baseline began, empty if it is as old as the history. Where only the spec changed, it is that.
	Since []Difference
}

// TargetBaseline is what of a baseline a target can be compared with.
type TargetBaseline struct {
	Target string
	// From is the time of the first point with its storage as it is now, and Runs is how many of these there are.
	From time.Time
	Runs int
}

// YoungTarget is a target of which too few runs have ended.
type YoungTarget struct {
	Target string
	// Needed is how many more have to end before a change can be found.
	Needed int
}

// storageOf returns what tells the storage of each target that the template has at last. A run that fails on a target leaves it here: the targets are those of the spec.
func storageOf(points []*history.Point) map[string]string {
	now := map[string]string{}
	for i := len(points) - 1; i >= 0 && len(now) == 0; i-- {
		for _, t := range points[i].Environment.Targets {
			now[t.Target] = t.Baseline
		}
	}
	return now
}

// missing returns how many more runs each target needs before a change can be found, sorted by their names. A run in which it measured nothing does not count.
func missing(now map[string]string, runs map[history.Case]int) []YoungTarget {
	most := map[string]int{}
	for t := range now {
		most[t] = 0
	}
	for c, n := range runs {
		most[c.Target] = max(most[c.Target], n)
	}
	var all []YoungTarget
	for _, t := range slices.Sorted(maps.Keys(most)) {
		all = append(all, YoungTarget{Target: t, Needed: max(leastBefore+leastAfter-most[t], 0)})
	}
	return all
}

// need notes how many more runs it takes until a change can be found.
func (b *Baseline) need(all []YoungTarget) {
	if len(all) == 0 {
		b.Needed = leastBefore + leastAfter
		return
	}
	b.Needed = slices.MinFunc(all, func(x, y YoungTarget) int { return cmp.Compare(x.Needed, y.Needed) }).Needed
	if b.Needed == 0 {
		b.Young = slices.DeleteFunc(all, func(t YoungTarget) bool { return t.Needed == 0 })
	}
}

// changed returns the targets of the last point whose storage was another one in a point before.
func changed(points []*history.Point) []TargetBaseline {
	var all []TargetBaseline
	for _, t := range points[len(points)-1].Environment.Targets {
		b := TargetBaseline{Target: t.Target}
		others := false
		for _, p := range points {
			switch p.Environment.Of(t.Target) {
			case t.Baseline:
				if b.Runs++; b.Runs == 1 {
					b.From = p.Time
				}
			case "":
			default:
				others = true
			}
		}
		if others {
			all = append(all, b)
		}
	}
	return all
}

// pointsOf returns the points that can be compared with the last one, as many as are looked at. What was measured on another baseline meanwhile is left out: instance
// types may come and go with the nodes, and each has its own past.
func pointsOf(all []history.Point, from time.Time) ([]*history.Point, Baseline) {
	var points []*history.Point
	measured := func(p *history.Point) bool { return len(p.Cases) > 0 && !p.Time.Before(from) }
	last := len(all) - 1
	for last >= 0 && !measured(&all[last]) {
		last--
	}
	first := -1
	for i := range all[:last+1] {
		if measured(&all[i]) && all[i].Environment.Baseline == all[last].Environment.Baseline {
			if first < 0 {
				first = i
			}
			points = append(points, &all[i])
		}
	}
	b := Baseline{Asked: from, Earlier: max(len(points)-mostRuns, 0)}
	points = points[b.Earlier:]
	b.Runs = len(points)
	if first >= 0 {
		b.From, b.Last = points[0].Time, all[last].Time
		b.Since, b.Targets = begun(all[:first], &all[first]), changed(points)
	}
	return points, b
}

// begun returns what began a baseline, by the last point before it that measured.
func begun(before []history.Point, first *history.Point) []Difference {
	for i := len(before) - 1; i >= 0; i-- {
		old := &before[i]
		if len(old.Cases) == 0 {
			continue
		}
		if old.Environment.Baseline == first.Environment.Baseline {
			return nil // somebody began it by hand
		}
		var all []Difference
		for _, name := range []string{factFio, factInstanceType} {
			if a, b := factsOf(&old.Environment, "")[name], factsOf(&first.Environment, "")[name]; a != b {
				all = append(all, Difference{What: name, Before: a, After: b})
			}
		}
		if len(all) == 0 {
			all = []Difference{{What: "spec"}}
		}
		return all
	}
	return nil
}
