// Package pace has work take as long as it would where it is acted out.
package pace

import "time"

// Line serves work one after the other at a rate. Its zero value has no limit.
type Line struct {
	// PerSecond is how much work it does in a second.
	PerSecond float64
	// Slack is how far it may be behind and still make up for it: a machine that was busy with something else for that long loses nothing.
	Slack time.Duration

	// free is when the work that was admitted is done.
	free time.Time
}

// Admit takes work that comes now, and returns when it begins and when it is done.
func (l *Line) Admit(now time.Time, work float64) (begin, end time.Time) {
	if l.PerSecond <= 0 {
		return now, now
	}
	begin = Latest(l.free, now.Add(-l.Slack))
	l.free = begin.Add(time.Duration(work / l.PerSecond * float64(time.Second)))
	return Latest(begin, now), l.free
}

// Latest returns the latest of several moments.
func Latest(first time.Time, others ...time.Time) time.Time {
	for _, other := range others {
		if other.After(first) {
			first = other
		}
	}
	return first
}
