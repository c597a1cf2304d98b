package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/aws"
	"github.com/storagebench/storagebench/internal/humanize"
)

// use is what a result took of a limit. The zero value is of no limit.
type use struct {
	// reason is what v1alpha1.LimitedBy calls the limit, owner whose it is and unit what it counts, with a
	// direction if it is of one only.
	reason, owner, unit string
	measured, limit     int64
	// exact is the share where that is known better than by whole figures, 0 otherwise.
	exact float64
	// owners is how many owners the limit adds up; 0 is one.
	owners int64
	// inMiB says whether the figures are bytes, which are told in MiB.
	inMiB bool
	// note tells more of the limit, why tells more of a result that reaches it.
	note, why string
	// company is what was measured together with the result. Nil if nothing was.
	company *Company
	// precision is what the limit is if it is none.
	precision v1alpha1.LimitPrecision
	// merged says whether the storage may have counted the I/Os as fewer.
	merged bool
	// lowered says whether the limit is one only if the driver lowered the storage's.
	lowered bool
}

// share is measured as a multiple of limit.
func (u use) share() float64 {
	if u.exact > 0 {
		return u.exact
	}
	if u.limit <= 0 {
		return 0
	}
	return float64(u.measured) / float64(u.limit)
}

func (u use) percent() int32 { return percent(u.share()) }

// isOfStorage reports whether the limit is the storage's own, and not the node's.
func (u use) isOfStorage() bool {
	return u.reason == v1alpha1.BoundVolumeIOPS || u.reason == v1alpha1.BoundVolumeThroughput ||
		u.reason == v1alpha1.BoundFileSystemIOPS || u.reason == v1alpha1.BoundFileSystemThroughput
}

func (u use) reached() bool {
	if u.reason == v1alpha1.BoundWorkloadRate {
		return u.percent() >= keptPercent
	}
	return u.percent() >= reachedPercent
}

func (u use) limitedBy() v1alpha1.LimitedBy {
	bound := v1alpha1.LimitedBy{Reason: u.reason, UsedPercent: new(u.percent()), Message: fmt.Sprintf("%s (%d %%)%s", u, u.percent(), u.why)}
	if u.inMiB {
		bound.LimitBytesPerSecond = new(u.limit)
	} else {
		bound.LimitIOPS = new(u.limit)
	}
	return bound
}

// String is such as "3048 of the volume's 3000 IOPS", or "3048 of the volume's 3000 IOPS together with section b".
func (u use) String() string {
	measured, limit := u.figures()
	return fmt.Sprintf("%s of the %s %s %s%s%s", measured, u.whose(), limit, u.unit, u.note, u.company.together())
}

// whose is such as "volume's", or "2 volumes'" of a limit that adds up two.
func (u use) whose() string {
	if u.owners > 1 {
		return fmt.Sprintf("%d %ss'", u.owners, u.owner)
	}
	return u.owner + "'s"
}

// figures are what was measured and the limit, for people.
func (u use) figures() (measured, limit string) {
	if u.inMiB {
		return humanize.Significant(float64(u.measured) / mib), humanize.Significant(float64(u.limit) / mib)
	}
	return strconv.FormatInt(u.measured, 10), strconv.FormatInt(u.limit, 10)
}

// greatest returns the use of the limit that is nearest, the first of several alike, the zero value of none.
func greatest(uses []use) use {
	if len(uses) == 0 {
		return use{}
	}
	return slices.MaxFunc(uses, func(a, b use) int {
		switch {
		case a.share() < b.share():
			return -1
		case a.share() > b.share():
			return 1
		}
		return 0
	})
}

// limitKind is one kind of limit, for I/Os or for bytes per second.
type limitKind struct {
	use use
	// both, read and write are the limits, nil if unknown. read and write take the place of both.
	both, read, write *int64
	// fields are the names of both, read and write in the API.
	fields [3]string
	of     func(*v1alpha1.Figures) int64
	// trims says whether trims count.
	trims bool
}

// limitSet are limits of one thing, as they hold for one result.
type limitSet struct {
	limits v1alpha1.KnownLimits
	// owners is how many owners the limits add up; 0 is one.
	owners int64
	// note, why and company are those of their uses.
	note, why string
	company   *Company
	// lowered is that of their uses.
	lowered bool
}

// scopeNames are what verdicts call limits.
var scopeNames = map[v1alpha1.LimitScope]struct{ iops, bytes, owner string }{
	v1alpha1.ScopeVolume:     {v1alpha1.BoundVolumeIOPS, v1alpha1.BoundVolumeThroughput, "volume"},
	v1alpha1.ScopeFileSystem: {v1alpha1.BoundFileSystemIOPS, v1alpha1.BoundFileSystemThroughput, "file system"},
	v1alpha1.ScopeClient:     {v1alpha1.BoundClientIOPS, v1alpha1.BoundClientThroughput, "client"},
	v1alpha1.ScopeInstance:   {v1alpha1.BoundInstanceIOPS, v1alpha1.BoundInstanceThroughput, "instance"},
}

// kinds returns both kinds of limits, I/Os and bytes, in the order in which they are named if used alike.
func (s limitSet) kinds() []limitKind {
	names := scopeNames[s.limits.Scope]
	return []limitKind{{
		use:  use{reason: names.iops, owner: names.owner, owners: s.owners, unit: "IOPS", note: s.note, why: s.why, company: s.company},
		both: s.limits.IOPS, read: s.limits.ReadIOPS, write: s.limits.WriteIOPS,
		fields: [3]string{"iops", "readIOPS", "writeIOPS"}, of: iopsOf, trims: true,
	}, {
		use:  use{reason: names.bytes, owner: names.owner, owners: s.owners, unit: "MiB/s", inMiB: true, note: s.note, why: s.why, company: s.company},
		both: s.limits.BytesPerSecond, read: s.limits.ReadBytesPerSecond, write: s.limits.WriteBytesPerSecond,
		fields: [3]string{"bytesPerSecond", "readBytesPerSecond", "writeBytesPerSecond"}, of: bytesOf,
	}}
}

// uses returns the use of each limit that applies to a result. Metered bytes are told only where they are more than
// what is seen of reads or writes: of both together, or of small I/Os.
func (s limitSet) uses(r *v1alpha1.Result) []use {
	var uses, shared []use
	for _, k := range s.kinds() {
		uses = append(uses, k.uses(r)...)
	}
	if isMetered(s.limits) {
		shared = append(shared, meteredUse(s.limits, r))
	}
	if operations, ok := s.operationsUse(r); ok {
		shared = append(shared, operations)
	}
	for _, u := range shared {
		u.note, u.why, u.company = s.note, s.why, s.company
		if u.share() > meteredTolerance*greatest(uses).share() {
			uses = append(uses, u)
		}
	}
	for i := range uses {
		uses[i].precision, uses[i].lowered = s.limits.Precision, s.lowered
	}
	return uses
}

// operationsUse returns the use of what reads and writes share, where both are limited by their number and there are both.
func (s limitSet) operationsUse(r *v1alpha1.Result) (use, bool) {
	reads, writes := s.limits.ReadIOPS, s.limits.WriteIOPS
	read, write := r.Of(v1alpha1.OperationRead), r.Of(v1alpha1.OperationWrite)
	if s.limits.Counting != v1alpha1.CountsShared || reads == nil || writes == nil || *writes <= 0 || read == nil || write == nil {
		return use{}, false
	}
	return use{
		reason: scopeNames[s.limits.Scope].iops, owner: scopeNames[s.limits.Scope].owner, owners: s.owners, limit: *reads,
		unit:     "IOPS, where a write counts as " + humanize.Significant(float64(*reads)/float64(*writes)) + " reads",
		measured: whole(aws.Operations(rateOf(read), rateOf(write), float64(*reads), float64(*writes))),
	}, true
}

// usesAsCounted returns the uses of each limit, also of I/Os that EBS counts for more than they move: on st1 and sc1 each
// random one, and each sequential one below 32 KiB, takes as much of the throughput, and of the credits for it, as a full one.
func (s limitSet) usesAsCounted(r *v1alpha1.Result, load Load) []use {
	uses := s.uses(r)
	if !countsBytesOnly(s.limits) || !countsEach(s.limits, load, r) {
		return uses
	}
	names, kind := scopeNames[s.limits.Scope], "random"
	if load.Sequential {
		kind = "small"
	}
	return append(uses, use{
		reason: names.bytes, owner: names.owner, owners: s.owners, inMiB: true, limit: *s.limits.BytesPerSecond,
		unit:      "MiB/s as EBS counts " + kind + " I/Os",
		measured:  whole(creditUnits(inASecond(r), aws.UnitBytes, s.limits.Scope, false)),
		precision: s.limits.Precision, note: s.note, why: s.why, company: s.company,
	})
}

// countsBytesOnly reports whether the limit of bytes is the one of I/Os as well, as on st1 and sc1, whose throughput changes
// with credits.
func countsBytesOnly(limits v1alpha1.KnownLimits) bool {
	return limits.Counting == v1alpha1.CountsRandom && limits.BytesPerSecond != nil && limits.IOPS == nil &&
		limits.ReadIOPS == nil && limits.WriteIOPS == nil && limits.Precision == ""
}

// countsEach reports whether each I/O counts by itself, and takes as much of a magnetic disk's bytes as a full one. An I/O that
// follows another one does not, unless it is small. It is not known how many I/Os the page cache makes of others.
func countsEach(limits v1alpha1.KnownLimits, load Load, r *v1alpha1.Result) bool {
	return limits.Counting == v1alpha1.CountsRandom && !load.isGathered() && (!load.Sequential || areUnmerged(limits, r))
}

// areUnmerged reports whether sequential I/Os are too small for EBS to merge them on st1 and sc1.
func areUnmerged(limits v1alpha1.KnownLimits, r *v1alpha1.Result) bool {
	if limits.Scope == v1alpha1.ScopeFileSystem || limits.Precision != "" {
		return false // Mountpoint merges, and nothing is documented of standard volumes
	}
	return sum(r, milliIOPSOf) > 0 && float64(sum(r, bytesOf))*1000 < aws.MergedFromBytes*float64(sum(r, milliIOPSOf))
}

// merges says whether the storage may have counted I/Os as fewer: I/Os of a direction are that large on average.
func (s limitSet) merges(r *v1alpha1.Result, load Load) bool {
	if s.limits.Counting != v1alpha1.CountsMerged || !load.Sequential {
		return false
	}
	for _, io := range r.Directions() {
		if io.IOPS() > 0 && io.BytesPerSecond/io.IOPS() >= aws.MergedFromBytes {
			return true
		}
	}
	return false
}

// usesOf returns those uses that can tell something of a result with a load.
func (s limitSet) usesOf(r *v1alpha1.Result, load Load) []use {
	merges := s.merges(r, load)
	uses := s.usesAsCounted(r, load)
	for i := range uses {
		uses[i].merged = merges && !uses[i].inMiB
	}
	return slices.DeleteFunc(uses, func(u use) bool {
		if (u.merged || u.precision == v1alpha1.PrecisionAtLeast) && u.percent() > exceededPercent {
			return true // it did more, as the storage may
		}
		if u.lowered && u.percent() > loweredPercent {
			return true // it did more, so that the driver did not lower it
		}
		return !u.inMiB && s.limits.Counting == v1alpha1.CountsRandom && load.Sequential && !areUnmerged(s.limits, r)
	})
}

// isDoubtful says of a use whether it is no limit, or reaches one without being held back by it as far as is known.
func (u use) isDoubtful(load Load) bool {
	switch {
	case u.percent() > exceededPercent:
		return true
	case !u.reached():
		return false
	}
	return u.precision != "" || u.merged || u.lowered || load.isGathered() && !u.inMiB
}

// meteredTolerance is by how much metered bytes may differ from plain ones because figures are rounded.
const meteredTolerance = 1.01

// uses returns the use of each limit that applies to a result. The limit for both counts what has no limit
// of its own.
func (k limitKind) uses(r *v1alpha1.Result) []use {
	var uses []use
	add := func(limit *int64, measured int64, suffix string) {
		u := k.use
		u.limit, u.measured, u.unit = *limit, measured, u.unit+suffix
		uses = append(uses, u)
	}
	together := int64(0)
	for _, d := range k.counted(r) {
		if d.own != nil {
			add(d.own, k.of(d.io), d.suffix)
			continue
		}
		together += k.of(d.io)
	}
	if k.both != nil {
		add(k.both, together, "")
	}
	return uses
}

// countedDirection is a direction of a result that a kind of limit counts.
type countedDirection struct {
	io *v1alpha1.Figures
	// own is the direction's own limit, nil if there is none, and field its name.
	own           *int64
	field, suffix string
}

func (k limitKind) counted(r *v1alpha1.Result) []countedDirection {
	all := []countedDirection{
		{io: r.Of(v1alpha1.OperationRead), own: k.read, field: k.fields[1], suffix: " of reads"},
		{io: r.Of(v1alpha1.OperationWrite), own: k.write, field: k.fields[2], suffix: " of writes"},
	}
	if k.trims {
		all = append(all, countedDirection{io: r.Of(v1alpha1.OperationTrim), field: k.fields[0]})
	}
	return slices.DeleteFunc(all, func(d countedDirection) bool { return d.io == nil })
}

// missing returns the names of the limits without which it is unknown whether one of this kind is reached.
func (k limitKind) missing(r *v1alpha1.Result) []string {
	if k.both != nil {
		return nil
	}
	var fields []string
	counted := k.counted(r)
	for _, d := range counted {
		if d.own == nil {
			fields = append(fields, d.field)
		}
	}
	if len(fields) > 0 && len(fields) == len(counted) {
		return k.fields[:1]
	}
	return fields
}

// unknownLimits says why it is unknown whether a limit is reached, "" if none is.
func unknownLimits(kinds []limitKind, r *v1alpha1.Result) string {
	var missing []string
	some := false
	for _, k := range kinds {
		missing = append(missing, k.missing(r)...)
		some = some || k.both != nil || k.read != nil || k.write != nil
	}
	switch {
	case !some:
		return "no limits of the storage are known: set spec.targets[].limits"
	case len(missing) > 0:
		return notAllKnown(missing, "spec.targets[].limits")
	}
	return ""
}

func notAllKnown(missing []string, field string) string {
	return fmt.Sprintf("no known limit is reached, but not all are known: set %s in %s", strings.Join(missing, " and "), field)
}

// rateUses returns the use of the rates that the workload itself is held to.
func rateUses(r *v1alpha1.Result, load Load) []use {
	var uses []use
	for _, u := range []use{
		{unit: "IOPS", limit: load.RateIOPS, measured: sum(r, iopsOf)},
		{unit: "MiB/s", limit: load.RateBytesPerSecond, measured: sum(r, bytesOf), inMiB: true},
	} {
		if u.limit > 0 {
			u.reason, u.owner = v1alpha1.BoundWorkloadRate, "workload"
			uses = append(uses, u)
		}
	}
	if u := thinkUse(r, load); u.limit > 0 {
		uses = append(uses, u)
	}
	return uses
}

// leastThinkMilliIOPS is from how much on a thinktime counts as a rate: 10 I/Os per second. Results have whole IOPS, of which fewer say too little.
const leastThinkMilliIOPS = 10_000

// thinkUse returns the use of what a thinktime leaves, the zero value where the workload does not come near it.
func thinkUse(r *v1alpha1.Result, load Load) use {
	most, did := load.ThinkMilliIOPS, sum(r, milliIOPSOf)
	if most < leastThinkMilliIOPS || float64(did)*100 < keptPercent*float64(most) {
		return use{}
	}
	return use{
		unit: "IOPS by its thinktime", reason: v1alpha1.BoundWorkloadRate, owner: "workload", limit: (most + 500) / 1000, measured: sum(r, iopsOf), exact: float64(did) / float64(most),
	}
}

// sum returns a figure of all I/O of a result.
func sum(r *v1alpha1.Result, of func(*v1alpha1.Figures) int64) int64 {
	total := r.Total()
	if total == nil {
		return 0
	}
	return of(total)
}
