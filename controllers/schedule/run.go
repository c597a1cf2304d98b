package schedule

import (
	"context"
	"errors"
	"time"
)

// runPass makes the pass, and returns when to make another one if nothing changes before; 0: not at all.
func runPass(ctx context.Context, p *pass) (time.Duration, error) {
	if p.schedule.ResourceVersion == p.memory.staleVersion {
		return 0, errOutdated
	}
	if err := listBenchmarks(ctx, p); err != nil {
		return 0, err
	}
	forgetPredecessor(p)
	defer serveState(p)
	p.schedule.Status.ObservedGeneration = p.schedule.Generation
	whole := ctx // the status is written also when the time of the pass is over
	ctx, cancel := within(whole, passPatience, "the pass")
	defer cancel()
	after, failed := startInTime(ctx, p) // first: a large history must not keep other schedules' starts waiting
	noteFailure(p, failed)
	kept := keepHistory(ctx, p)
	noteWaiting(p)
	summarize(p)
	if err := saveInTime(whole, p); err != nil {
		return 0, errors.Join(failed, err)
	}
	if p.decided && failed == nil {
		forgetFailure(p)
	}
	if kept > 0 {
		// No StorageBenchmark is deleted yet: until the status tells of the history, they have the next pass look at it.
		return sooner(after, kept), failed
	}
	// Last: a StorageBenchmark is what tells of its start, and of its success, until the status does.
	return after, errors.Join(failed, explained(ctx, deleteSurplus(ctx, p)))
}

// sooner returns the shorter of two times, of which 0 is never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
