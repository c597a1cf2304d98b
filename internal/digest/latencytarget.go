package digest

import (
	"fmt"
	"slices"
)

// LatencyTarget is what fio's own search for a queue depth found, by its option latency_target.
type LatencyTarget struct {
	_ struct{} `cbor:",toarray"`
	// Nanoseconds is the target, Depth how many I/Os each job had in flight at the end.
	Nanoseconds int64
	Depth       int64
}

// latencyTargetsOf returns those of a report's groups, nil if none has one.
func latencyTargetsOf(r *Report) []*LatencyTarget {
	if !slices.ContainsFunc(r.Groups, func(g Group) bool { return g.LatencyTarget != nil }) {
		return nil
	}
	all := make([]*LatencyTarget, len(r.Groups))
	for i := range r.Groups {
		all[i] = r.Groups[i].LatencyTarget
	}
	return all
}

// restoreLatencyTargets gives the groups theirs back.
func (w *wire) restoreLatencyTargets() error {
	all := w.Beside.LatencyTargets
	if len(all) > 0 && len(all) != len(w.Report.Groups) {
		return fmt.Errorf("parse report: latency targets of %d result groups of %d", len(all), len(w.Report.Groups))
	}
	for i, t := range all {
		if t != nil && (t.Nanoseconds < 1 || !within(t.Depth, 1, maxDepth)) {
			return fmt.Errorf("parse report: impossible latency target %+v", *t)
		}
		w.Report.Groups[i].LatencyTarget = t
	}
	return nil
}

// maxDepth is the most I/Os that a job can have in flight.
const maxDepth = 65536
