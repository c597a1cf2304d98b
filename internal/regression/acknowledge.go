package regression

import (
	"time"

	"github.com/storagebench/storagebench/internal/history"
)

// moves is by how many runs a change may be located elsewhere when more runs have ended.
const moves = 2

// alike is up to how many times as large as a change that was seen another figure's is taken for the same.
const alike = 2

// evidence is what somebody could see of the changes of a series when so many of its runs had ended.
type evidence struct {
	values []float64
	ended  int
	// within is the noise as it is known by now.
	within noise
}

// evidenceAt returns what of a series could be seen at a time.
func (s *series) evidenceAt(t time.Time, values []float64, changes []change) evidence {
	e := evidence{values: values, ended: s.endedBy(t)}
	if e.ended > 0 && len(changes) > 0 {
		e.within = noiseOf(values, levels(changes))
	}
	return e
}

// endedBy returns how many runs of the series had ended at a time.
func (s *series) endedBy(t time.Time) int {
	ended := 0
	for ended < len(s.points) && !s.points[ended].Time.After(t) {
		ended++
	}
	return ended
}

// levels are the segments that changes divide a series into.
func levels(changes []change) []segment {
	all := []segment{changes[0].before}
	for i := range changes {
		all = append(all, changes[i].after)
	}
	return all
}

// shows says whether a change that begins with a run could be seen, maybe a run or two elsewhere. What was told then is not always found again with the same certainty: meanwhile a
// history has dropped runs, and noise is known better. So it is enough that the runs make the change likely. By simulation, what was told passes in 9 of 10 cases and more.
func (e *evidence) shows(c *change, begin int) bool {
	end := min(e.ended, c.after.end)
	for at := max(begin-moves, c.before.start+1); at <= begin+moves && at+leastAfter <= end; at++ {
		before, after := segment{c.before.start, at}, segment{at, end}
		for _, within := range []noise{e.within, noiseOf(e.values, []segment{before, after})} {
			if s := stepBetween(e.values, before, after, within); s.p <= weak && s.size*c.size > 0 {
				return true
			}
		}
	}
	return false
}

// onset is where and when something changed: the target, and the number of the run.
type onset struct {
	target string
	run    int
}

// acknowledgeAlike marks what began on a target with a regression that somebody has seen, and was found in another figure only later: it has the same cause. What
// is much larger than what was seen is not the same.
func (r *Report) acknowledgeAlike(points []*history.Point, until time.Time) {
	number := map[*history.Point]int{}
	for i, p := range points {
		number[p] = i
	}
	where := func(f *Finding) onset { return onset{f.Case.Target, number[f.sides[1][0]]} }
	seen := map[onset]float64{} // how large the largest one was
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Acknowledged && f.Kind == Regression {
			seen[where(f)] = max(seen[where(f)], f.step())
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; !f.Acknowledged && f.Kind == Regression && !f.Time.After(until) {
			f.Acknowledged = f.step() <= alike*nearby(seen, where(f))
		}
	}
}

// nearby returns how large a change on the same target was, at about the same run; 0 if there was none.
func nearby(seen map[onset]float64, at onset) float64 {
	most := 0.0
	for run := at.run - moves; run <= at.run+moves; run++ {
		most = max(most, seen[onset{at.target, run}])
	}
	return most
}
