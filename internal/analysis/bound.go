package analysis

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// reachedPercent is the use from which on a limit counts as reached.
	reachedPercent = 95
	// cachedPercent is the use of a storage's limit above which buffered I/O on files that fit into memory was
	// answered by the page cache.
	cachedPercent = 120
	// exceededPercent is the use above which a limit cannot be what it is taken for.
	exceededPercent = 120
	// busyPercent is the use of a CPU from which on it held fio back.
	busyPercent = 90
	// throttledPercent is the share of scheduling periods from which on the CPU limit held fio back.
	throttledPercent = 50
	// minInFlightPercent and maxInFlightPercent bound the I/Os in flight, of those that the workload asks
	// for, for which Little's law holds.
	minInFlightPercent = 90
	maxInFlightPercent = 110
)

// Load is what a workload asks for: what is known of it before it runs.
type Load struct {
	// InFlight is the number of I/Os that the jobs keep in flight together: numjobs x iodepth, of
	// synchronous engines numjobs. 0 if unknown.
	InFlight int64
	// Jobs is the number of processes or threads. 0 if unknown.
	Jobs int64
	// RateIOPS and RateBytesPerSecond are what the workload itself is held to, over all jobs and directions.
	// 0 if it is not.
	RateIOPS, RateBytesPerSecond int64
	// Buffered says whether I/O goes through the page cache: not O_DIRECT.
	Buffered bool
	// Reads says whether the workload reads.
	Reads bool
	// FileBytes is the size of all test files. 0 if unknown.
	FileBytes int64
	// LatencyOff says whether fio is told not to take latencies: gtod_reduce, disable_lat and the like.
	LatencyOff bool
	// NewDevice says whether the workload runs on a raw block volume that was made for the benchmark, so that
	// nobody has written it.
	NewDevice bool
}

// Client is what the runner saw of the machine. What is zero is unknown.
type Client struct {
	// CPUMillis is the CPU that the container may use, in thousandths of one: its limit, or else the node's.
	CPUMillis int64
	// MemoryBytes is the memory that the page cache may take.
	MemoryBytes int64
	// ThrottledPercent is the share of scheduling periods in which the CPU limit held the container back.
	ThrottledPercent *int32
	// Files are the files that the jobs read; SparseFiles those of them with blocks that were never written.
	Files, SparseFiles int64
	// ShortIOs were completed in part, DroppedIOs were never issued.
	ShortIOs, DroppedIOs int64
}

// Bound says what held a result back: the first in this order that is shown by the figures. A limit of the
// storage; the workload's own rate; the client's CPU; and, only if it is known that no limit of the storage
// is reached, latency. limits may be nil.
func Bound(r *v1alpha1.Result, limits *v1alpha1.KnownLimits, load Load, client Client) v1alpha1.LimitedBy {
	if r == nil || len(directions(r)) == 0 {
		return unknown("no I/O was measured")
	}
	kinds := limitKinds(limits)
	var known []use
	for _, k := range kinds {
		known = append(known, k.uses(r)...)
	}
	nearest := greatest(known)
	cached := load.Buffered && mayFitInMemory(load, client) && nearest.percent() > cachedPercent
	if nearest.reached() && !cached {
		return nearest.limitedBy()
	}
	if rate := greatest(rateUses(r, load)); rate.reached() {
		return rate.limitedBy()
	}
	if bound, ok := boundByCPU(r.CPU, load, client); ok {
		return bound
	}
	if cached {
		return unknown("%s are more than it can do: the page cache answered", nearest)
	}
	if reason := unknownLimits(kinds, r); reason != "" {
		return unknown("%s", reason)
	}
	return boundByLatency(r, nearest, load)
}

func unknown(format string, args ...any) v1alpha1.LimitedBy {
	return v1alpha1.LimitedBy{Name: v1alpha1.BoundUnknown, Message: fmt.Sprintf(format, args...)}
}

// mayFitInMemory is false only if the files are known to be larger than what the page cache can take. Files of
// unknown size may fit.
func mayFitInMemory(load Load, client Client) bool {
	return client.MemoryBytes == 0 || load.FileBytes <= client.MemoryBytes
}

// use is what a result took of a limit. The zero value is of no limit.
type use struct {
	// name is what v1alpha1.LimitedBy calls the limit, owner whose it is and unit what it counts, with a
	// direction if it is of one only.
	name, owner, unit string
	measured, limit   int64
	// inMiB says whether the figures are bytes, which are told in MiB.
	inMiB bool
}

// share is measured as a multiple of limit.
func (u use) share() float64 {
	if u.limit <= 0 {
		return 0
	}
	return float64(u.measured) / float64(u.limit)
}

func (u use) percent() int32 { return percent(u.share()) }

func (u use) reached() bool { return u.percent() >= reachedPercent }

func (u use) limitedBy() v1alpha1.LimitedBy {
	message := fmt.Sprintf("%s (%d %%)", u, u.percent())
	if u.percent() > exceededPercent {
		message += ", which is more than it can do: it may burst, or the limit that is known may be too low"
	}
	return v1alpha1.LimitedBy{Name: u.name, Limit: new(u.limit), UsedPercent: new(u.percent()), Message: message}
}

// String is such as "3048 of the volume's 3000 IOPS".
func (u use) String() string {
	measured, limit := strconv.FormatInt(u.measured, 10), strconv.FormatInt(u.limit, 10)
	if u.inMiB {
		measured, limit = significant(float64(u.measured)/mib), significant(float64(u.limit)/mib)
	}
	return fmt.Sprintf("%s of the %s's %s %s", measured, u.owner, limit, u.unit)
}

// greatest returns the use of the limit that is nearest, the zero value of none.
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

// limitKind is one kind of limit that storage has, for I/Os or for bytes per second.
type limitKind struct {
	use use
	// both, read and write are the limits, nil if unknown. read and write take the place of both.
	both, read, write *int64
	// fields are the names of both, read and write in the API.
	fields [3]string
	of     func(*v1alpha1.IOResult) int64
	// trims says whether trims count.
	trims bool
}

// limitKinds returns both kinds, in the order in which they are named if used alike.
func limitKinds(limits *v1alpha1.KnownLimits) []limitKind {
	if limits == nil {
		limits = &v1alpha1.KnownLimits{}
	}
	iops := limitKind{
		use:  use{name: v1alpha1.BoundVolumeIOPS, owner: "volume", unit: "IOPS"},
		both: limits.IOPS, read: limits.ReadIOPS, write: limits.WriteIOPS,
		fields: [3]string{"iops", "readIOPS", "writeIOPS"}, of: iopsOf, trims: true,
	}
	bytes := limitKind{
		use:  use{name: v1alpha1.BoundVolumeThroughput, owner: "volume", unit: "MiB/s", inMiB: true},
		both: limits.BytesPerSecond, read: limits.ReadBytesPerSecond, write: limits.WriteBytesPerSecond,
		fields: [3]string{"bytesPerSecond", "readBytesPerSecond", "writeBytesPerSecond"}, of: bytesOf,
	}
	if limits.Scope == v1alpha1.ScopeFileSystem {
		iops.use.name, iops.use.owner = v1alpha1.BoundFileSystemIOPS, "file system"
		bytes.use.name, bytes.use.owner = v1alpha1.BoundFileSystemThroughput, "file system"
	}
	return []limitKind{iops, bytes}
}

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
	io *v1alpha1.IOResult
	// own is the direction's own limit, nil if there is none, and field its name.
	own           *int64
	field, suffix string
}

func (k limitKind) counted(r *v1alpha1.Result) []countedDirection {
	all := []countedDirection{
		{io: r.Read, own: k.read, field: k.fields[1], suffix: " of reads"},
		{io: r.Write, own: k.write, field: k.fields[2], suffix: " of writes"},
	}
	if k.trims {
		all = append(all, countedDirection{io: r.Trim, field: k.fields[0]})
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
		return fmt.Sprintf("no known limit is reached, but not all are known: set %s in spec.targets[].limits", strings.Join(missing, " and "))
	}
	return ""
}

// rateUses returns the use of the rates that the workload itself is held to.
func rateUses(r *v1alpha1.Result, load Load) []use {
	var uses []use
	for _, u := range []use{
		{unit: "IOPS", limit: load.RateIOPS, measured: sum(r, iopsOf)},
		{unit: "MiB/s", limit: load.RateBytesPerSecond, measured: sum(r, bytesOf), inMiB: true},
	} {
		if u.limit > 0 {
			u.name, u.owner = v1alpha1.BoundWorkloadRate, "workload"
			uses = append(uses, u)
		}
	}
	return uses
}

func sum(r *v1alpha1.Result, of func(*v1alpha1.IOResult) int64) int64 {
	total := int64(0)
	for _, io := range directions(r) {
		total += of(io)
	}
	return total
}

// boundByCPU judges by the CPU that the jobs used, in percent of one CPU: 100 for each job, which can use no
// more than one, and what the container may use.
func boundByCPU(cpu *v1alpha1.CPUResult, load Load, client Client) (v1alpha1.LimitedBy, bool) {
	container := client.CPUMillis / 10
	perJob := int64(0)
	if cpu != nil {
		perJob = int64(cpu.UserPercent) + int64(cpu.SystemPercent)
	}
	used := perJob * load.Jobs
	bound := v1alpha1.LimitedBy{Name: v1alpha1.BoundClientCPU}
	switch {
	case perJob >= busyPercent:
		bound.UsedPercent = new(int32(perJob))
		if load.Jobs > 0 {
			bound.Limit = new(100 * load.Jobs)
		}
		bound.Message = fmt.Sprintf("each of fio's jobs used %d %% of a CPU, and none can use more than one", perJob)
	case client.CPUMillis > 0 && used*1000 >= busyPercent*client.CPUMillis:
		bound.Limit, bound.UsedPercent = new(container), new(percent(float64(used)*10/float64(client.CPUMillis)))
		bound.Message = fmt.Sprintf("fio used %d %% of CPU, and its container may use %d %% (100 for each CPU)", used, container)
	case client.ThrottledPercent != nil && *client.ThrottledPercent >= throttledPercent:
		if client.CPUMillis > 0 {
			bound.Limit = new(container)
			if used > 0 {
				bound.UsedPercent = new(percent(float64(used) * 10 / float64(client.CPUMillis)))
			}
		}
		bound.Message = fmt.Sprintf("the container's CPU limit held fio back in %d %% of scheduling periods", *client.ThrottledPercent)
	default:
		return v1alpha1.LimitedBy{}, false
	}
	return bound, true
}

// boundByLatency judges a result that reached no limit by Little's law: if the I/Os in flight, which are
// rate x mean latency, are as many as the workload keeps, then the time that each takes is all that is
// waited for.
func boundByLatency(r *v1alpha1.Result, nearest use, load Load) v1alpha1.LimitedBy {
	inFlight, rate := 0.0, 0.0
	for _, io := range directions(r) {
		if io.Latency == nil {
			return unknown("no limit of the storage is reached, but whether latency held it back is unknown because fio took none")
		}
		rate += rateOf(io)
		inFlight += rateOf(io) * float64(io.Latency.MeanNanoseconds) / 1e9
	}
	if load.InFlight <= 0 || rate == 0 {
		return unknown("no limit of the storage is reached, but how many I/Os the workload keeps in flight is unknown")
	}
	mean := duration(inFlight / rate * 1e9)
	used := percent(inFlight / float64(load.InFlight))
	switch {
	case used < minInFlightPercent:
		return unknown("no limit of the storage is reached, but only %s of the %d I/Os that the workload asks for were in flight, each for %s on average",
			significant(inFlight), load.InFlight, mean)
	case used > maxInFlightPercent:
		return unknown("no limit of the storage is reached, but by IOPS and the mean latency of %s more I/Os were in flight (%s) than the workload asks for (%d)",
			mean, significant(inFlight), load.InFlight)
	}
	return v1alpha1.LimitedBy{
		Name: v1alpha1.BoundLatency, Limit: new(load.InFlight), UsedPercent: new(used),
		Message: fmt.Sprintf("%s of %d I/Os were in flight all the time, each for %s on average, and the nearest limit has room (%s, %d %%): try more jobs or a higher iodepth",
			significant(inFlight), load.InFlight, mean, nearest, nearest.percent()),
	}
}

// rateOf returns I/Os per second. The API's are rounded to whole ones, too coarse for slow storage, so they
// are taken from bytes where that is possible.
func rateOf(io *v1alpha1.IOResult) float64 {
	if io.Bytes <= 0 || io.IOs <= 0 || io.BytesPerSecond <= 0 {
		return float64(io.IOPS)
	}
	return float64(io.BytesPerSecond) / float64(io.Bytes) * float64(io.IOs)
}

// percent rounds a share to percent, bounded by what the API holds.
func percent(share float64) int32 {
	return int32(min(math.Round(share*100), math.MaxInt32))
}

const mib = 1 << 20

// significant prints a number with three significant digits, and whole numbers from 100 on.
func significant(f float64) string {
	if f >= 100 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 3, 64)
}

// scaled prints a number in the largest unit of which it is at least one; each unit is so many times the one
// before it.
func scaled(f, times float64, units ...string) string {
	for len(units) > 1 && f >= times {
		f, units = f/times, units[1:]
	}
	return significant(f) + units[0]
}

func duration(ns float64) string {
	return scaled(ns, 1000, "ns", "us", "ms", "s")
}

func size(bytes int64) string {
	return scaled(float64(bytes), 1024, " B", " KiB", " MiB", " GiB", " TiB")
}
