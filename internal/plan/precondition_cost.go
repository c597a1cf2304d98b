package plan

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/aws"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/storage"
)

// preconditioning returns how many seconds it takes to write volumes before they are measured, and whether there is
// something that it cannot tell. With burst credits it is fast until a full bucket is used up.
func (p pace) preconditioning(target *v1alpha1.Target, how *fio.Precondition, b layoutBytes) (float64, bool) {
	if b.all == 0 {
		return 0, b.uncounted
	}
	block := max(how.BlockBytes(), 1)
	work := func(bytes float64) fio.Work { return fio.Work{Bytes: bytes, IOs: bytes / float64(block)} }
	together, known := pace{limits: p.limits, clients: 1}.seconds(fio.Work{}, work(b.all))
	each, knownEach := pace{perClient: p.perClient}.seconds(fio.Work{}, work(b.most))
	ofOneBucket := b.most
	if p.known != nil && (storage.IsShared(target) || p.known.Scope == v1alpha1.ScopeFileSystem) {
		ofOneBucket = b.all
	}
	sustained := sustainedSeconds(p.known, block, ofOneBucket)
	return max(together, each, sustained), b.uncounted || (!known && !knownEach)
}

// sustainedSeconds returns how long a volume with burst credits takes to be written in blocks, 0 of one without.
func sustainedSeconds(limits *v1alpha1.KnownLimits, block int64, bytes float64) float64 {
	bucket, has := analysis.BucketOf(limits)
	if !has {
		return 0
	}
	units := creditUnits(bucket.Unit, block, bytes)
	burst := bucket.BurstSeconds(bucket.Max)
	if units <= burst*bucket.BurstPerSecond {
		return units / bucket.BurstPerSecond
	}
	return burst + (units-burst*bucket.BurstPerSecond)/bucket.BasePerSecond
}

// creditUnits returns what it takes of burst credits to write so many bytes in blocks.
func creditUnits(unit aws.Unit, block int64, bytes float64) float64 {
	if unit != aws.UnitIOs {
		return bytes
	}
	gp2, _ := aws.LookupVolumeType("gp2")
	whole := int64(math.Min(bytes, math.MaxInt64/2))
	return gp2.CreditUnits(whole/block, whole, true)
}

// CreditCost is what it takes of a volume's burst credits to write it before it is measured.
type CreditCost struct {
	Target string
	// Credits are used, of Of when they are full, in I/Os or in Bytes. Some come back meanwhile.
	Credits, Of float64
	Bytes       bool
}

// PreconditionCosts returns what preconditioning takes of the burst credits of each target that has some, by the limits that follow from the spec. Clients that have a
// volume each use those of each.
func PreconditionCosts(runs []Run) []CreditCost {
	used := PreconditionBytes(runs, nil)
	var costs []CreditCost
	seen := map[string]bool{}
	for i := range runs {
		target := runs[i].Target
		if bytes := used[target.Name]; bytes > 0 && !seen[target.Name] {
			limits, _ := limitsOf(target, nil)
			if bucket, has := analysis.BucketOf(limits); has {
				units := creditUnits(bucket.Unit, max(PreconditionOf(target).BlockBytes(), 1), bytes)
				costs = append(costs, CreditCost{target.Name, units, bucket.Max, bucket.Unit != aws.UnitIOs})
			}
		}
		seen[target.Name] = true
	}
	return costs
}

// PreconditionBytes returns how many bytes are written to the first client's volume of each target before the first run there is measured, by the targets' names.
func PreconditionBytes(runs []Run, found Volumes) map[string]float64 {
	layout, used := NewLayout(runs, found), map[string]float64{}
	for i := range runs {
		run := &runs[i]
		if _, seen := used[run.Target.Name]; seen {
			continue
		}
		used[run.Target.Name] = layout.firstPreconditionBytes(run)
	}
	return used
}

// firstPreconditionBytes returns how many bytes the first client writes before a run, if that is the first on its target.
func (l *Layout) firstPreconditionBytes(run *Run) float64 {
	p := PreconditionOf(run.Target)
	if p == nil {
		return 0
	}
	if l.found.ModeOf(run.Target) == corev1.PersistentVolumeBlock {
		capacity := storage.Capacity(run.Target)
		return float64(p.Passes) * float64(capacity.Value())
	}
	if shares := l.Before(run); shares.IsWhole(0) {
		return float64(p.Passes) * layoutOf(shares[:1]).most
	}
	return 0
}

// preconditioning returns the estimates of runs of which some are on volumes that are written before, nil if none is.
func preconditioning(runs []Run) map[string]Estimate {
	for i := range runs {
		if runs[i].Target.Precondition != nil {
			return Estimates(runs, nil)
		}
	}
	return nil
}

// Preconditions says whether a client of a run writes its volume before, by the runs that were measured on the volumes that are there now, and by what is laid
// out. Of a device that clients share the first one does. Files are written when those of all runs are laid out: what each run has for itself is new in each.
func Preconditions(planned *Run, client int32, mode corev1.PersistentVolumeMode, measured []*Run, shares Shares) bool {
	if planned.Target.Precondition == nil {
		return false
	}
	if mode != corev1.PersistentVolumeBlock {
		return shares.IsWhole(client)
	}
	if storage.IsShared(planned.Target) && client > 0 {
		return false
	}
	for _, run := range measured {
		if run.Target.Name == planned.Target.Name && client < run.Clients {
			return false
		}
	}
	return true
}

// preconditionBytes returns how much clients write before a run.
func (l *Layout) preconditionBytes(run *Run, p *fio.Precondition, shares Shares, measured []*Run) layoutBytes {
	passes := float64(p.Passes)
	if l.found.ModeOf(run.Target) != corev1.PersistentVolumeBlock {
		before := layoutOf(slices.DeleteFunc(slices.Clone(shares), func(s Share) bool { return !s.Whole }))
		return layoutBytes{all: passes * before.all, most: passes * before.most, uncounted: before.uncounted}
	}
	var b layoutBytes
	capacity := storage.Capacity(run.Target)
	for client := range run.Clients {
		if Preconditions(run, client, corev1.PersistentVolumeBlock, measured, nil) {
			b.most = passes * float64(capacity.Value())
			b.all = math.Min(b.all+b.most, math.MaxFloat64)
		}
	}
	return b
}
