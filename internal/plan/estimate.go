package plan

import (
	"math"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/storage"
)

// What a run takes beside fio, as measured on local clusters (hack/overhead.sh for one client, docs/contributing/scale.md for many):
// its Jobs are made, its pods start, hear of a common start if they are several, report, and the next run begins.
const (
	overheadAlone     = 2 * time.Second
	overheadTogether  = 4500 * time.Millisecond
	overheadPerClient = 40 * time.Millisecond // of each client after the second
)

// maxEstimate bounds each part of an estimate, so that sums of them do not overflow. It is the longest deadline that a run can have.
const maxEstimate = 30 * 24 * time.Hour

// Estimate is how long a run is expected to take, from the start of its Job to that of the next run's. What it does not know is
// not in it. It does not know how long volumes take to be made, images to be pulled and nodes to be free; nor whether storage is slower
// than its limits, as it is where latency holds it back.
type Estimate struct {
	// Layout is for how long test files are written before: in the first run on a target those of all its runs, but for those that no other run
	// finds, which LayoutAlone says.
	Layout time.Duration
	// Preconditioning is for how long test files or devices are written after that, before they are measured.
	Preconditioning time.Duration
	// Measuring is for how long fio runs: as its options say where they say it, otherwise as the limits of the storage let
	// it read and write all of size, and as its own rates and thinktimes do. A run that may end by both has the shorter. The probe is in it.
	Measuring time.Duration
	// Overhead is what pods and their results take beside.
	Overhead time.Duration
	// LayoutUnknown and MeasuringUnknown say that there is something of which nothing is known: the part is then 0, or too short.
	LayoutUnknown, MeasuringUnknown bool
	// LayoutAlone says that files are laid out for this run alone: fio deletes them behind it, as with unlink, or nothing tells which they are.
	LayoutAlone bool
	// AtMost says that a search may have its answer before the run, which is not made then.
	AtMost bool
	// MayEndSooner says that fio is through with all files of the run before its runtime, or that it is steady sooner: perhaps long before.
	MayEndSooner bool
}

// Total is all that is known of how long the run takes, at most 90 days.
func (e Estimate) Total() time.Duration {
	return e.Layout + e.Preconditioning + e.Measuring + e.Overhead
}

// IsComplete says whether there is a guess for each part; if not, the run takes longer than Total.
func (e Estimate) IsComplete() bool { return !e.LayoutUnknown && !e.MeasuringUnknown }

// Estimates returns how long each run of a plan is expected to take, by its name, which is that of the run in the status. The
// runs have to be all of the benchmark, in their order. observed is status.targets, whose limits are those of
// the volumes that were found; without it, as without a cluster, the limits are those that follow from the spec.
func Estimates(runs []Run, observed []v1alpha1.TargetStatus) map[string]Estimate {
	estimates := make(map[string]Estimate, len(runs))
	layout := NewLayout(runs, VolumesOf(observed))
	var measured []*Run
	for i := range runs {
		run := &runs[i]
		pace := paceOf(run, observed)
		e := Estimate{Overhead: overhead(run.Clients), LayoutAlone: layout.isAlone(run), MayEndSooner: run.Job.EndsByFiles()}
		e.Measuring, e.MeasuringUnknown = pace.measuring(run.Job)
		if run.Lowest != nil {
			lowest, unknown := pace.measuring(run.Lowest)
			e.Measuring, e.MeasuringUnknown, e.AtMost = max(e.Measuring, lowest), e.MeasuringUnknown || unknown, run.IsAtMost()
		}
		e.Measuring += time.Duration(run.Until.ExtraSeconds()) * time.Second
		e.MayEndSooner = e.MayEndSooner || run.Until != nil
		if run.Probe != nil {
			probing, _ := pace.measuring(run.Probe)
			e.Measuring += probing
		}
		shares := layout.Before(run)
		laidOut, layoutUnknown := pace.layout(layoutOf(shares))
		written, writingUnknown := 0.0, false
		if p := PreconditionOf(run.Target); p != nil {
			written, writingUnknown = pace.preconditioning(run.Target, p, layout.preconditionBytes(run, p, shares, measured))
		}
		e.Layout, e.Preconditioning = duration(laidOut), duration(written)
		e.LayoutUnknown = layoutUnknown || writingUnknown
		layout.Measured(run)
		measured = append(measured, run)
		estimates[run.Name] = e
	}
	return estimates
}

// overhead is what a run by so many clients takes beside fio.
func overhead(clients int32) time.Duration {
	if clients <= 1 {
		return overheadAlone
	}
	return overheadTogether + time.Duration(clients-2)*overheadPerClient
}

// pace is how fast the clients of a run can be, as far as limits tell.
type pace struct {
	// limits are what holds for all clients together, or where each has a volume, for each; perClient for each.
	limits, perClient []v1alpha1.Limits
	// clients is how many the run has.
	clients float64
	// known are the limits of the target, nil if none is known.
	known *v1alpha1.KnownLimits
}

func paceOf(run *Run, observed []v1alpha1.TargetStatus) pace {
	limits, clientLimits := limitsOf(run.Target, observed)
	p := pace{clients: float64(max(run.Clients, 1)), known: limits}
	for _, l := range clientLimits {
		p.perClient = append(p.perClient, l.Limits)
	}
	switch {
	case limits == nil || limits.Precision != "": // what the documentation does not limit says nothing of how long a run takes
	case storage.IsShared(run.Target) || limits.Scope == v1alpha1.ScopeFileSystem:
		p.limits = append(p.limits, ofAllIO(limits))
	default:
		p.perClient = append(p.perClient, ofAllIO(limits))
	}
	return p
}

// ofAllIO returns those limits that hold for any I/O.
func ofAllIO(l *v1alpha1.KnownLimits) v1alpha1.Limits {
	limits := l.Limits
	if l.Counting == v1alpha1.CountsRandom {
		limits.IOPS, limits.ReadIOPS, limits.WriteIOPS = nil, nil, nil
	}
	return limits
}

// limitsOf returns the limits of a target: as they were found, or else as they follow from the spec.
func limitsOf(t *v1alpha1.Target, observed []v1alpha1.TargetStatus) (*v1alpha1.KnownLimits, []v1alpha1.KnownLimits) {
	limits, clientLimits := storage.Limits(t, storage.Class{}), storage.ClientLimits(t, "", "")
	for i := range observed {
		if found := &observed[i]; found.Name == t.Name {
			if found.Limits != nil {
				limits = found.Limits
			}
			if found.ClientLimits != nil {
				clientLimits = found.ClientLimits
			}
		}
	}
	return limits, clientLimits
}

// measuring returns for how long fio runs, and whether there is something that it cannot tell.
func (p pace) measuring(job *fio.JobFile) (total time.Duration, unknown bool) {
	seconds := 0.0
	for _, stage := range job.Stages() {
		others := stage.MostSeconds
		if done, known := p.seconds(stage.Reads, stage.Writes); known && stage.Counted {
			others = min(others, max(done, stage.PacedSeconds))
		}
		if math.IsInf(others, 1) {
			others, unknown = stage.PacedSeconds, true
		}
		seconds += max(stage.TimedSeconds, others)
	}
	return duration(seconds), unknown
}

// seconds returns how long each client takes to do this while all do the same; false if no limit says it.
func (p pace) seconds(reads, writes fio.Work) (float64, bool) {
	longest, known := 0.0, false
	for _, each := range []struct {
		limits []v1alpha1.Limits
		share  float64
	}{{p.limits, p.clients}, {p.perClient, 1}} {
		for _, l := range each.limits {
			if seconds, ok := secondsAt(l, reads, writes); ok {
				longest, known = max(longest, seconds*each.share), true
			}
		}
	}
	return longest, known
}

// secondsAt returns how long work takes at limits; false if none of them is about it.
func secondsAt(l v1alpha1.Limits, reads, writes fio.Work) (float64, bool) {
	longest, known := 0.0, false
	for _, part := range []struct {
		most   *int64
		amount float64
	}{
		{l.IOPS, reads.IOs + writes.IOs}, {l.ReadIOPS, reads.IOs}, {l.WriteIOPS, writes.IOs},
		{l.BytesPerSecond, reads.Bytes + writes.Bytes}, {l.ReadBytesPerSecond, reads.Bytes}, {l.WriteBytesPerSecond, writes.Bytes},
	} {
		if part.most != nil && *part.most > 0 && part.amount > 0 {
			longest, known = max(longest, part.amount/float64(*part.most)), true
		}
	}
	return longest, known
}

// layoutBytes is what clients write before a run.
type layoutBytes struct {
	// all clients together, and the one that writes most.
	all, most float64
	// uncounted says that there are files whose size cannot be known, which are not counted.
	uncounted bool
}

// layout returns how many seconds it takes to write test files, and whether there is something that it cannot tell.
func (p pace) layout(b layoutBytes) (float64, bool) {
	if b.all == 0 {
		return 0, b.uncounted
	}
	together, known := pace{limits: p.limits, clients: 1}.seconds(fio.Work{}, fio.Work{Bytes: b.all})
	each, knownEach := pace{perClient: p.perClient}.seconds(fio.Work{}, fio.Work{Bytes: b.most})
	return max(together, each), b.uncounted || (!known && !knownEach)
}

// layoutOf returns how much clients write that lay out their shares.
func layoutOf(shares Shares) layoutBytes {
	var b layoutBytes
	for _, share := range shares {
		bytes, known := fio.LayoutBytes(share.Jobs...)
		b.all += float64(bytes) * float64(share.Clients)
		b.most = max(b.most, float64(bytes))
		b.uncounted = b.uncounted || !known
	}
	return b
}

// duration is a number of seconds, not more than maxEstimate.
func duration(seconds float64) time.Duration {
	if seconds >= maxEstimate.Seconds() {
		return maxEstimate
	}
	return time.Duration(seconds * float64(time.Second))
}
