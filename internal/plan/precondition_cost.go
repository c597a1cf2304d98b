package plan

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/aws"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/storage"
)

// preconditioning returns how long it takes to write volumes before they are measured, and whether there is something that it cannot tell. With burst credits it is
// fast until a full bucket is used up.
func (p pace) preconditioning(target *v1alpha1.Target, b layoutBytes, observed []v1alpha1.TargetStatus) (time.Duration, bool) {
	if b.all == 0 {
		return 0, b.uncounted
	}
	work := func(bytes float64) fio.Work {
		return fio.Work{Bytes: bytes, IOs: bytes / float64(max(PreconditionOf(target).BlockBytes(), 1))}
	}
	together, known := pace{limits: p.limits, clients: 1}.seconds(fio.Work{}, work(b.all))
	each, knownEach := pace{perClient: p.perClient}.seconds(fio.Work{}, work(b.most))
	limits, _ := limitsOf(target, observed)
	ofOneBucket := b.most
	if limits != nil && (storage.IsShared(target) || limits.Scope == v1alpha1.ScopeFileSystem) {
		ofOneBucket = b.all
	}
	sustained := sustainedSeconds(limits, target, ofOneBucket)
	return duration(max(together, each, sustained)), b.uncounted || (!known && !knownEach)
}

// sustainedSeconds returns how long a volume with burst credits takes to be written, 0 of one without.
func sustainedSeconds(limits *v1alpha1.KnownLimits, target *v1alpha1.Target, bytes float64) float64 {
	bucket, has := analysis.BucketOf(limits)
	if !has {
		return 0
	}
	units := creditUnits(bucket.Unit, PreconditionOf(target), bytes)
	burst := bucket.BurstSeconds(bucket.Max)
	if units <= burst*bucket.BurstPerSecond {
		return units / bucket.BurstPerSecond
	}
	return burst + (units-burst*bucket.BurstPerSecond)/bucket.BasePerSecond
}

// creditUnits returns what it takes of burst credits to write so many bytes.
func creditUnits(unit aws.Unit, p *fio.Precondition, bytes float64) float64 {
	if unit != aws.UnitIOs {
		return bytes
	}
	gp2, _ := aws.LookupVolumeType("gp2")
	whole := int64(math.Min(bytes, math.MaxInt64/2))
	return gp2.CreditUnits(whole/max(p.BlockBytes(), 1), whole, true)
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
				costs = append(costs, CreditCost{target.Name, creditUnits(bucket.Unit, PreconditionOf(target), bytes), bucket.Max, bucket.Unit != aws.UnitIOs})
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
