package analysis

import (
	"fmt"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Known is what is known of a target's limits when one of its results is judged.
type Known struct {
	// Storage are the limits of the storage. Nil if none is known.
	Storage *v1alpha1.KnownLimits
	// Client are the limits of a node on its way to the storage. Limits with a Burst are the most that it can do,
	// for a time that nobody knows.
	Client []v1alpha1.KnownLimits
	// Unlimited says that the storage has no limits that could be known, because it scales with requests as S3
	// does: those of the client decide.
	Unlimited bool
	// Volumes is the number of volumes that clients measure side by side, each its own, of which Storage has the limits
	// of one. 0 is one, as of storage that clients share. It does not count where Storage has the limits of a file
	// system, which are those of all volumes on it.
	Volumes int64
	// Nodes is the number of nodes that clients measure from, of which Client has the limits of one. 0 is one.
	Nodes int64
	// Slots is how many requests all clients together send to a network file system at a time. 0: no such limit is known.
	Slots int64
	// Credits is what the run did to the storage's burst credits: CreditHistory.Of. Nil if it is not known.
	Credits *Credits
	// Company is what ran at the same time as the result, and counts against the same limits: CompanyOf. Nil if nothing did.
	Company *Company
	// Counted is what the kernel counted of the storage meanwhile. Nil if that is not known, or other results have a part in it.
	Counted *Counted
	// Exceeded is what EBS itself says of the same time. Nil if it was not asked, did not answer, or other results have a part in it.
	Exceeded *Exceeded
	// Volume is what EBS itself counted of operations in the same time. Nil as Exceeded is.
	Volume *v1alpha1.VolumeStatistics
	// Probe is what was measured right after the result, with more I/Os in flight. Nil if nothing was.
	Probe *v1alpha1.ProbeResult
}

// With is what is known with what a run did to burst credits, which may be nil.
func (k Known) With(credits *Credits) Known {
	k.Credits = credits
	return k
}

// Beside is what is known with what ran at the same time as the result, which may be nil.
func (k Known) Beside(company *Company) Known {
	k.Company = company
	return k
}

// nearest returns the use of the limit that is nearest of those that can hold a result back, the storage's if alike, and the
// greatest of those that the figures reach and that did not hold it back as far as is known. Either is zero if there is none.
// The result is that of all that ran at the same time.
// Nothing does much more than its limit. And the page cache makes fewer and larger I/Os of buffered ones: where these reach a
// limit of I/Os, the storage's own may be far from it.
func (k Known) nearest(r *v1alpha1.Result, load Load) (nearest, doubtful use) {
	var possible, doubted []use
	for _, set := range slices.Concat(k.storageSets(r, load), k.clientSets()) {
		for _, u := range set.usesOf(r, load) {
			switch {
			case u.isDoubtful(load):
				doubted = append(doubted, u)
			case u.precision == "" && !u.lowered:
				possible = append(possible, u)
			}
		}
	}
	return greatest(disprove(possible, doubted, load)), greatest(doubted)
}

// disprove removes the limits of storage of which another limit is exceeded by far: a cache answered, or the storage is not
// what it is taken for. That what was done comes near to a second figure then proves nothing. Limits of the node hold,
// whoever answered.
func disprove(possible, doubted []use, load Load) []use {
	disproved := slices.ContainsFunc(doubted, func(u use) bool {
		return u.isOfStorage() && u.percent() > exceededPercent && (u.inMiB || !load.isGathered())
	})
	if !disproved {
		return possible
	}
	return slices.DeleteFunc(possible, use.isOfStorage)
}

// cached says whether the page cache answered: whether buffered I/O on files that may fit into memory, other than writes that
// are synced, was faster than a limit allows.
func (k Known) cached(r *v1alpha1.Result, load Load, client Client) bool {
	load = k.Company.loadWith(load)
	if stored, _ := k.atStorage(r, load); stored != r {
		return false // what was counted is the storage's
	}
	_, doubtful := k.nearest(k.Company.with(r), load)
	return load.Buffered && mayFitInMemory(load, client) && doubtful.percent() > exceededPercent
}

// volumes is the number of volumes of which each has the limits of Storage; 0 is one.
func (k Known) volumes() int64 {
	if k.Storage != nil && k.Storage.Scope == v1alpha1.ScopeFileSystem {
		return 1
	}
	return k.Volumes
}

// storageLimits are the limits that the storage has as long as it has credits.
func (k Known) storageLimits() v1alpha1.KnownLimits {
	if k.Storage == nil {
		return v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeVolume}}
	}
	limits := times(*k.Storage, k.volumes())
	if limits.Scope != v1alpha1.ScopeFileSystem {
		limits.Scope = v1alpha1.ScopeVolume
	}
	return limits
}

// storageSets are the limits that the storage had during a run.
func (k Known) storageSets(r *v1alpha1.Result, load Load) []limitSet {
	sets := setsOf(k.storageLimits(), k.phase(r, load), k.Credits)
	for i := range sets {
		sets[i].owners, sets[i].company = k.volumes(), k.Company
	}
	return append(sets, k.loweredSets()...)
}

// loweredSets are what the storage had instead of its IOPS if its driver lowered them.
func (k Known) loweredSets() []limitSet {
	if k.Storage == nil || k.Storage.LoweredIOPS == nil {
		return nil
	}
	lowered := v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeVolume, IOPS: k.Storage.LoweredIOPS}, Counting: k.Storage.Counting}
	return []limitSet{{limits: times(lowered, k.volumes()), owners: k.volumes(), company: k.Company, lowered: true}}
}

func (k Known) clientSets() []limitSet {
	var sets []limitSet
	for i := range k.Client {
		limits := times(k.Client[i], k.Nodes)
		if limits.Scope != v1alpha1.ScopeInstance {
			limits.Scope = v1alpha1.ScopeClient
		}
		sets = append(sets, limitSet{limits: limits, owners: k.Nodes, company: k.Company})
		if lowered := limits.LoweredBytesPerSecond; lowered != nil {
			sets = append(sets, limitSet{limits: weighted(limits, *lowered), owners: k.Nodes, company: k.Company, lowered: true})
		}
	}
	return sets
}

// weighted returns what a node has whose instance gives bandwidth to the other side.
func weighted(limits v1alpha1.KnownLimits, lowered int64) v1alpha1.KnownLimits {
	other := v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: limits.Scope}}
	other.BytesPerSecond = least(limits.BytesPerSecond, lowered)
	other.ReadBytesPerSecond, other.WriteBytesPerSecond = least(limits.ReadBytesPerSecond, lowered), least(limits.WriteBytesPerSecond, lowered)
	return other
}

// times returns what so many things can do together of which each has the limits; 0 is one.
func times(limits v1alpha1.KnownLimits, n int64) v1alpha1.KnownLimits {
	if n <= 1 {
		return limits
	}
	if limits.Burst != nil {
		burst := *limits.Burst
		burst.BaselineIOPS, burst.BaselineBytesPerSecond = multiplied(burst.BaselineIOPS, n), multiplied(burst.BaselineBytesPerSecond, n)
		limits.Burst = &burst
	}
	limits.LoweredBytesPerSecond = multiplied(limits.LoweredBytesPerSecond, n)
	for _, figure := range figures(&limits.Limits) {
		*figure = multiplied(*figure, n)
	}
	return limits
}

func multiplied(figure *int64, n int64) *int64 {
	if figure == nil {
		return nil
	}
	return new(whole(float64(*figure) * float64(n)))
}

// unknownLimits says why it is unknown whether a limit is reached, "" if none is.
func (k Known) unknownLimits(r *v1alpha1.Result) string {
	if k.Storage != nil && k.Storage.Precision == v1alpha1.PrecisionRange {
		return "the documentation gives a range of what the storage can do, and no limits: set spec.targets[].limits"
	}
	kinds := limitSet{limits: k.storageLimits()}.kinds()
	if countsBytesOnly(k.storageLimits()) {
		kinds = kinds[1:]
	}
	reason := unknownLimits(kinds, r)
	if !k.Unlimited || reason == "" {
		return reason
	}
	return k.unknownClientLimits(r)
}

// unknownClientLimits is for storage without limits of its own: how many bytes the client can move must be known.
func (k Known) unknownClientLimits(r *v1alpha1.Result) string {
	var missing []string
	for _, set := range k.clientSets() {
		bytes := set.kinds()[1]
		if missing = bytes.missing(r); len(missing) == 0 && len(bytes.uses(r)) > 0 {
			return ""
		}
	}
	if len(missing) == 0 {
		return "the type of the node's instance is unknown: set spec.targets[].clientLimits"
	}
	return notAllKnown(missing, "spec.targets[].clientLimits")
}

// boundByBaseline judges a result that is at what remains without credits. Of storage whose credits are unknown it is the
// verdict. Where credits are left by what is known, it is only a doubt about latency: layout and other users may have
// taken more of them. So it is of clients, which do more than their baseline only in short runs.
func (k Known) boundByBaseline(r *v1alpha1.Result, load Load) (v1alpha1.LimitedBy, bool) {
	if storage, at := atBaseline(k.storageLimits(), r, load); at {
		storage.owners, storage.company = k.volumes(), k.Company
		if k.Credits == nil {
			return storage.limitedBy(), true
		}
		return eitherOr(storage), true
	}
	for _, set := range k.clientSets() {
		if client, at := atBaseline(set.limits, r, load); at {
			client.owners, client.company = k.Nodes, k.Company
			return eitherOr(client), true
		}
	}
	return v1alpha1.LimitedBy{}, false
}

// uncounted says of what no limit knows how much of it was used: what the syncs of a result take, and what syncs and operations on files of its
// company take. It is "" where that cannot matter.
func (k Known) uncounted(r *v1alpha1.Result, load Load) string {
	if k.Company.hasUncounted() {
		return fmt.Sprintf("no known limit is reached, but%s syncs or operations on files were measured, and no limit counts these", k.Company.together())
	}
	isCounted := k.Counted != nil && !k.Counted.NFS // then what syncs made is among it
	if r.Of(v1alpha1.OperationSync) == nil || r.Of(v1alpha1.OperationWrite) == nil || isCounted {
		return ""
	}
	synced := *r.Of(v1alpha1.OperationWrite)
	synced.MilliIOPS += whole(1000 * rateOfSyncs(r))
	nearest, _ := k.nearest(k.Company.with(&v1alpha1.Result{
		ElapsedMilliseconds: r.ElapsedMilliseconds, Clients: r.Clients,
		Figures: v1alpha1.ListOf(r.Of(v1alpha1.OperationRead), &synced, r.Of(v1alpha1.OperationTrim)),
	}), k.Company.loadWith(load))
	if !nearest.reached() {
		return ""
	}
	return fmt.Sprintf("%s (%d %%), if a file system makes one I/O of each sync, so it is unknown whether this held the result back", nearest, nearest.percent())
}

// roomAt is such as "the nearest limit has room (339 of the file system's 7000 IOPS, 5 %)". It says where limits are that nobody looked at.
func (k Known) roomAt(nearest use) string {
	if len(k.Client) == 0 {
		return fmt.Sprintf("the nearest limit of the storage has room (%s, %d %%; those of the node are unknown)", nearest, nearest.percent())
	}
	return fmt.Sprintf("the nearest limit has room (%s, %d %%)", nearest, nearest.percent())
}

func eitherOr(base use) v1alpha1.LimitedBy {
	return unknown("%s (%d %%): this held the result back if no burst credits were left, something else if some were; it is unknown which", base, base.percent())
}
