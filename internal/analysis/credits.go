package analysis

import (
	"math"
	"slices"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/aws"
)

// maxElapsed bounds what a run may claim to have lasted: 10 years.
const maxElapsed = 10 * 365 * 24 * time.Hour

// Credits is what one result did to the burst credits of its storage.
type Credits struct {
	// Before and After are what was left when the I/O began and when it ended, as shares of a full bucket.
	Before, After float64
	// RanOut says that there was a time without credits, in which there was no more than the baseline.
	RanOut bool
	// BurstShare is the share of the time for which Before suffices at the full rate: 1 if it suffices for all.
	BurstShare float64
	// SecondsToEmpty is the time for which Before suffices at the full rate.
	SecondsToEmpty float64
	// Assumed says that the storage existed before the benchmark, so that a full bucket at its begin is assumed.
	Assumed bool
}

// Volumes says of what kind a target's volumes are.
type Volumes struct {
	// New says that they were made for the benchmark.
	New bool
	// PerClient says that each client has its own, and not all share one.
	PerClient bool
	// WrittenBytes are those that were written to each before the first run, in blocks of BlockBytes, one after the other.
	WrittenBytes, BlockBytes float64
}

// LoadsOf returns the loads of a run's results, in their order; none if they are not known.
type LoadsOf func(run *v1alpha1.Run) []Load

// CreditHistory is what a target's runs did to the burst credits of its storage. Nil is of storage without credits,
// or with a number of credits that is not known.
type CreditHistory struct {
	bucket aws.Bucket
	runs   map[string][]*Credits
	left   float64
}

// FollowCredits follows the burst credits of a target's storage through its runs, in the order of time. It begins with
// a full bucket, as new storage has it; of storage that was not made for the benchmark, and of every file system, that
// is an assumption. Runs of other targets, and those without a result, do not count.
//
// It is near to the truth, not more: CompletionTime and StartTime have whole seconds; a run's I/O is taken to have
// ended at its CompletionTime, which is a second or two later, and sections to have run one after the other, as far as
// there was time for it. Layout, ramp time and other users of the storage are not counted; what was written before the first run because a
// precondition says so, and I/O that the page cache answered, are.
//
// Of clients that have a volume each, it is the first one's, which is in use in every run: its part is taken to be as
// large as each other one's. Credits of a file system are of all volumes on it.
//
// On st1 and sc1 a small random I/O takes as many credits as a full one, so for these it asks for the loads of runs. Where they are not known, I/Os are taken to be
// sequential, which is what these volumes are made for.
func FollowCredits(target string, limits *v1alpha1.KnownLimits, runs []v1alpha1.Run, volumes Volumes, loads LoadsOf) *CreditHistory {
	bucket, ok := BucketOf(limits)
	if !ok {
		return nil
	}
	history := &CreditHistory{bucket: bucket, runs: map[string][]*Credits{}, left: bucket.Max}
	assumed := !volumes.New || limits.Scope == v1alpha1.ScopeFileSystem
	uses, names := usesOfRuns(target, runs, bucket, limits, volumes, loads)
	last := time.Time{}
	for i, balance := range bucket.Balances(bucket.Max, uses) {
		credits := newCredits(bucket, balance, uses[i])
		credits.Assumed = assumed
		history.runs[names[i]] = append(history.runs[names[i]], credits)
		if !uses[i].Start.Before(last) {
			last, history.left = uses[i].Start, balance.After
		}
	}
	return history
}

// Of returns what a run did to the credits with one of its results: the only one is number 0, as is the first of
// its sections. Nil if it is not known.
func (h *CreditHistory) Of(run string, result int) *Credits {
	if h == nil || result < 0 || result >= len(h.runs[run]) {
		return nil
	}
	return h.runs[run][result]
}

// Left returns what is left after the last run, nil if nothing is known of credits.
func (h *CreditHistory) Left() *v1alpha1.BurstCredits {
	if h == nil {
		return nil
	}
	left := &v1alpha1.BurstCredits{
		LeftPercent:       percent(h.left / h.bucket.Max),
		SecondsToBaseline: whole(math.Ceil(h.bucket.BurstSeconds(h.bucket.Max))),
	}
	if h.bucket.Unit == aws.UnitIOs {
		left.IOs = new(whole(h.left))
	} else {
		left.Bytes = new(whole(h.left))
	}
	return left
}

// newCredits needs a bucket that bursts.
func newCredits(bucket aws.Bucket, balance aws.Balance, use aws.Use) *Credits {
	credits := &Credits{
		Before: balance.Before / bucket.Max, After: balance.After / bucket.Max, BurstShare: 1,
		SecondsToEmpty: bucket.BurstSeconds(balance.Before),
	}
	// Without a time there is no average.
	if seconds := use.End.Sub(use.Start).Seconds(); seconds > 0 {
		credits.RanOut = balance.RanOut
		credits.BurstShare = min(1, credits.SecondsToEmpty/seconds)
	}
	return credits
}

// BucketOf returns the bucket of storage whose limits hold as long as there are credits, if the number of credits is
// known. Storage has credits for I/Os or for bytes; of both, those for I/Os count.
func BucketOf(limits *v1alpha1.KnownLimits) (aws.Bucket, bool) {
	if limits == nil || limits.Burst == nil {
		return aws.Bucket{}, false
	}
	b := limits.Burst
	bytesPerSecond := greatestOf(limits.BytesPerSecond, limits.ReadBytesPerSecond, limits.WriteBytesPerSecond)
	if isMetered(*limits) {
		bytesPerSecond = float64(*limits.WriteBytesPerSecond)
	}
	for _, bucket := range []aws.Bucket{{
		Unit: aws.UnitIOs, Max: greatestOf(b.IOCredits), BasePerSecond: greatestOf(b.BaselineIOPS),
		BurstPerSecond: greatestOf(limits.IOPS, limits.ReadIOPS, limits.WriteIOPS),
	}, {
		Unit: aws.UnitBytes, Max: greatestOf(b.ByteCredits), BasePerSecond: greatestOf(b.BaselineBytesPerSecond), BurstPerSecond: bytesPerSecond,
	}} {
		if bucket.Max > 0 && bucket.BasePerSecond > 0 && bucket.BurstPerSecond > bucket.BasePerSecond {
			return bucket, true
		}
	}
	return aws.Bucket{}, false
}

// greatestOf returns the greatest of those that are set, 0 if none is.
func greatestOf(figures ...*int64) float64 {
	most := int64(0)
	for _, figure := range figures {
		if figure != nil {
			most = max(most, *figure)
		}
	}
	return float64(most)
}

// usesOfRuns returns the uses of a target's runs, and the name of the run that each is of.
func usesOfRuns(target string, runs []v1alpha1.Run, bucket aws.Bucket, limits *v1alpha1.KnownLimits, volumes Volumes, loads LoadsOf) (uses []aws.Use, names []string) {
	for i := range runs {
		run := &runs[i]
		if run.Target != target {
			continue
		}
		for _, use := range usesOf(run, costsOf(run, bucket.Unit, limits, loads)) {
			if volumes.PerClient && limits.Scope != v1alpha1.ScopeFileSystem {
				use.Units /= float64(run.ClientCount())
			}
			first := len(uses) == 0
			if before, has := useBefore(run, use, bucket); has {
				uses, names = append(uses, before), append(names, "") // of no result
			}
			if first && volumes.WrittenBytes > 0 {
				uses, names = append(uses, volumes.written(run, earliest(append(uses, use)), bucket.Unit)), append(names, "")
			}
			uses, names = append(uses, use), append(names, run.Name)
		}
	}
	return uses, names
}

// earliest returns the start of the first of uses.
func earliest(uses []aws.Use) time.Time {
	return slices.MinFunc(uses, func(a, b aws.Use) int { return a.Start.Compare(b.Start) }).Start
}

// written returns what was used of a volume that was written until its first run began to use it.
func (v *Volumes) written(first *v1alpha1.Run, until time.Time, unit aws.Unit) aws.Use {
	written := aws.Use{Start: until, End: until, Units: v.WrittenBytes}
	if first.StartTime != nil && first.StartTime.Time.Before(until) {
		written.Start = first.StartTime.Time
	}
	if unit == aws.UnitIOs {
		gp2, _ := aws.LookupVolumeType("gp2")
		written.Units = gp2.CreditUnits(int64(v.WrittenBytes/max(v.BlockBytes, 1)), int64(v.WrittenBytes), true)
	}
	return written
}

// useBefore returns what a run used until it was steady and measured: as much as then, or, where that is the baseline, as much as there were credits for. Where
// the rate fell while it was measured, as it may where only what ran before had to be steady, it is as much as before the fall.
func useBefore(run *v1alpha1.Run, use aws.Use, bucket aws.Bucket) (aws.Use, bool) {
	seconds := use.End.Sub(use.Start).Seconds()
	if run.Result == nil || run.Result.SteadyState == nil || run.Result.SteadyState.AfterSeconds <= 0 || seconds <= 0 {
		return aws.Use{}, false
	}
	after := time.Duration(run.Result.SteadyState.AfterSeconds) * time.Second
	rate := use.Units / seconds
	if over := run.Result.OverTime; over != nil && over.Fall != nil {
		did := max(sum(run.Result, milliIOPSOf), 1)
		rate = min(rate*float64(over.Fall.BeforeMilliIOPS)/float64(did), bucket.BurstPerSecond)
	}
	const near = 0.1
	if math.Abs(rate/bucket.BasePerSecond-1) <= near {
		rate = bucket.BurstPerSecond
	}
	return aws.Use{Start: use.Start.Add(-after), End: use.Start, Units: rate * after.Seconds()}, true
}

// costsOf returns the credits that each result of a run cost, before what was earned meanwhile.
func costsOf(run *v1alpha1.Run, unit aws.Unit, limits *v1alpha1.KnownLimits, loads LoadsOf) []float64 {
	var asked []Load
	if limits.Counting == v1alpha1.CountsRandom && loads != nil {
		asked = loads(run)
	}
	var costs []float64
	for i, r := range run.Results() {
		costs = append(costs, creditUnits(r, unit, limits.Scope, i >= len(asked) || !countsEach(*limits, asked[i], r)))
	}
	return costs
}

// usesOf returns the use of each result of a run, which has its cost in credits; none if it has no result, or if it is unknown when it was.
func usesOf(run *v1alpha1.Run, costs []float64) []aws.Use {
	results := run.Results()
	total := time.Duration(0)
	for _, r := range results {
		total += elapsed(r)
	}
	var end time.Time
	switch {
	case run.CompletionTime != nil:
		end = run.CompletionTime.Time
	case run.StartTime != nil:
		end = run.StartTime.Add(total)
	default:
		return nil
	}
	// Times are cut to seconds, so that there may have been up to one more.
	together := run.StartTime != nil && total > end.Sub(run.StartTime.Time)+time.Second
	uses := make([]aws.Use, len(results))
	for i := len(results) - 1; i >= 0; i-- {
		start := end.Add(-elapsed(results[i]))
		uses[i] = aws.Use{Start: start, End: end, Units: costs[i]}
		if !together {
			end = start
		}
	}
	return uses
}

// elapsed is bounded so that sums of all sections do not overflow.
func elapsed(r *v1alpha1.Result) time.Duration {
	ms := min(max(r.ElapsedMilliseconds, 0), maxElapsed.Milliseconds())
	return time.Duration(ms) * time.Millisecond
}

// creditUnits returns the credits that a result cost, before what was earned meanwhile. Whether its I/Os are sequential matters on st1 and sc1.
func creditUnits(r *v1alpha1.Result, unit aws.Unit, scope v1alpha1.LimitScope, sequential bool) float64 {
	reads, writes, trims := ioOrNone(r.Of(v1alpha1.OperationRead)), ioOrNone(r.Of(v1alpha1.OperationWrite)), ioOrNone(r.Of(v1alpha1.OperationTrim))
	var units float64
	switch {
	case unit == aws.UnitIOs:
		// Only gp2 has credits for I/Os. Trims count, but move no bytes.
		gp2, _ := aws.LookupVolumeType("gp2")
		units = gp2.CreditUnits(reads.Count, reads.Bytes, false) + gp2.CreditUnits(writes.Count, writes.Bytes, false) + gp2.CreditUnits(trims.Count, 0, false)
	case scope == v1alpha1.ScopeFileSystem:
		units = aws.MeteredBytes(reads.Count, reads.Bytes, writes.Count, writes.Bytes)
	default:
		st1, _ := aws.LookupVolumeType("st1")
		units = st1.CreditUnits(reads.Count, reads.Bytes, sequential) + st1.CreditUnits(writes.Count, writes.Bytes, sequential)
	}
	return max(units, 0)
}
