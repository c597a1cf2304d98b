package analysis

import (
	"math"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/aws"
)

const (
	// baselinePercent is the use of a baseline above which a result took credits.
	baselinePercent = 105
	// remainderPercent is the average, in percent of the baseline, up to which credits count as used up before a
	// run: a few come back between two runs.
	remainderPercent = 110
	// fewCredits is the share of a full bucket that the bookkeeping may be wrong by, for which layout and others' use are
	// unknown: with no more left, a result at the baseline shows the baseline.
	fewCredits = 0.05
	// withoutCredits tells in messages what a limit is.
	withoutCredits = " that remain without burst credits"
)

// phase says which limits of the storage a result shows.
type phase int

const (
	// bursting: there were credits, or it is unknown whether there were.
	bursting phase = iota
	// ranOut: credits ran out within the run.
	ranOut
	// exhausted: credits were used up before the run, but for few that came back.
	exhausted
)

// phase follows from the credits. A result that is far more than they allow proves them wrong.
func (k Known) phase(r *v1alpha1.Result, load Load) phase {
	limits := k.storageLimits()
	base := BaselineOf(limits)
	if k.Credits == nil || base.Limits == (v1alpha1.Limits{Scope: base.Scope}) {
		return bursting
	}
	found := bursting
	_, atBase := atBaseline(limits, r, load)
	switch {
	case raisedPercent(base, average(base, limits, k.Credits.BurstShare)) <= remainderPercent, atBase && k.Credits.Before <= fewCredits:
		found = exhausted
	case k.Credits.RanOut:
		found = ranOut
	}
	if found != bursting && greatest(setsOf(limits, found, k.Credits)[0].usesAsCounted(r, load)).percent() > exceededPercent {
		return bursting
	}
	return found
}

// setsOf returns the limits in a phase; first those that credits change, if they do.
func setsOf(limits v1alpha1.KnownLimits, p phase, credits *Credits) []limitSet {
	base := BaselineOf(limits)
	rest := limits
	baseFields := figures(&base.Limits)
	for i, figure := range figures(&rest.Limits) {
		if *baseFields[i] != nil {
			*figure = nil
		}
	}
	switch p {
	case ranOut:
		return []limitSet{{
			limits: average(base, limits, credits.BurstShare), note: " on average",
			why: ": burst credits ran out during the run, so it shows neither the burst nor the baseline",
		}, {limits: rest}}
	case exhausted:
		return []limitSet{{limits: base, note: withoutCredits}, {limits: rest}}
	default:
		return []limitSet{{limits: limits}}
	}
}

// BaselineOf returns what remains without credits of those limits that depend on them, and nothing of the others.
func BaselineOf(limits v1alpha1.KnownLimits) v1alpha1.KnownLimits {
	base := v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: limits.Scope}, Counting: limits.Counting, Precision: limits.Precision}
	if limits.Burst == nil {
		return base
	}
	if iops := limits.Burst.BaselineIOPS; iops != nil {
		base.IOPS, base.ReadIOPS, base.WriteIOPS = least(limits.IOPS, *iops), least(limits.ReadIOPS, *iops), least(limits.WriteIOPS, *iops)
	}
	if bytes := limits.Burst.BaselineBytesPerSecond; bytes != nil {
		reads := *bytes
		if isMetered(limits) {
			reads = whole(aws.ReadableBytes(float64(*bytes)))
		}
		base.BytesPerSecond = least(limits.BytesPerSecond, *bytes)
		base.ReadBytesPerSecond = least(limits.ReadBytesPerSecond, reads)
		base.WriteBytesPerSecond = least(limits.WriteBytesPerSecond, *bytes)
	}
	return base
}

// least returns the lesser of a limit and a baseline, nil if there is no limit.
func least(limit *int64, baseline int64) *int64 {
	if limit == nil {
		return nil
	}
	return new(min(*limit, baseline))
}

// average returns what can be done in a time, for a share of which there are credits.
func average(base, burst v1alpha1.KnownLimits, share float64) v1alpha1.KnownLimits {
	burstFigures := figures(&burst.Limits)
	for i, figure := range figures(&base.Limits) {
		if *figure != nil && *burstFigures[i] != nil {
			low, high := float64(**figure), float64(**burstFigures[i])
			*figure = new(whole(low + share*(high-low)))
		}
	}
	return base
}

// raisedPercent is the greatest of limits in percent of the baseline.
func raisedPercent(base, limits v1alpha1.KnownLimits) int32 {
	most := int32(0)
	limitFigures := figures(&limits.Limits)
	for i, figure := range figures(&base.Limits) {
		if *figure != nil && *limitFigures[i] != nil {
			most = max(most, use{measured: **limitFigures[i], limit: **figure}.percent())
		}
	}
	return most
}

// atBaseline returns the use of what remains without credits, and whether the result is there.
func atBaseline(limits v1alpha1.KnownLimits, r *v1alpha1.Result, load Load) (use, bool) {
	u := greatest(limitSet{limits: BaselineOf(limits), note: withoutCredits}.usesAsCounted(r, load))
	return u, u.reached() && u.percent() <= baselinePercent
}

// figures are the limits, to be read and changed, always in the same order.
func figures(l *v1alpha1.Limits) []**int64 {
	return []**int64{&l.IOPS, &l.ReadIOPS, &l.WriteIOPS, &l.BytesPerSecond, &l.ReadBytesPerSecond, &l.WriteBytesPerSecond}
}

// isMetered says whether the limits for reads and for writes are one limit for metered bytes, of which each could
// have all alone, as EFS has it: three times as much can be read. Where a region caps reads, it is less; where throughput
// is not metered, as with mode Elastic, it is more. Only EFS's own limits are taken for capped: they are Shared, and
// what users set never is.
func isMetered(limits v1alpha1.KnownLimits) bool {
	read, write := limits.ReadBytesPerSecond, limits.WriteBytesPerSecond
	if limits.Scope != v1alpha1.ScopeFileSystem || read == nil || write == nil || *write <= 0 {
		return false
	}
	beyond := aws.MeteredBytes(0, *read, 0, 0) - float64(*write)
	return math.Abs(beyond) < 1 || beyond < 0 && limits.Counting == v1alpha1.CountsShared
}

// meteredUse returns the use of metered bytes.
func meteredUse(limits v1alpha1.KnownLimits, r *v1alpha1.Result) use {
	reads, writes := ioOrNone(r.Of(v1alpha1.OperationRead)), ioOrNone(r.Of(v1alpha1.OperationWrite))
	return use{
		reason: v1alpha1.BoundFileSystemThroughput, owner: "file system", unit: "MiB/s as EFS meters them", inMiB: true,
		limit:    *limits.WriteBytesPerSecond,
		measured: whole(aws.MeteredBytes(reads.IOPS(), reads.BytesPerSecond, writes.IOPS(), writes.BytesPerSecond)),
	}
}

func ioOrNone(io *v1alpha1.Figures) *v1alpha1.Figures {
	if io == nil {
		return &v1alpha1.Figures{}
	}
	return io
}
