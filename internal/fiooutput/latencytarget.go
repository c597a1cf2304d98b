package fiooutput

// LatencyTarget is what fio's latency_target found: it varies how many I/Os a job has in flight, up to its iodepth.
type LatencyTarget struct {
	// Nanoseconds is the target itself.
	Nanoseconds int64
	// Depth is how many I/Os were in flight at the end: the most that kept the target, if one did.
	Depth int64
}

// newLatencyTarget returns nil of a job without a target, of which fio prints a depth as well.
func newLatencyTarget(nanoseconds, depth int64) *LatencyTarget {
	if nanoseconds <= 0 || depth <= 0 {
		return nil
	}
	return &LatencyTarget{nanoseconds, depth}
}

// mergeLatencyTargets returns what clones found: each varies its own depth, and the least is what all can have.
func mergeLatencyTargets(a, b *LatencyTarget) *LatencyTarget {
	if a == nil || (b != nil && b.Depth < a.Depth) {
		return b
	}
	return a
}
