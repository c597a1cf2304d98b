package analysis

import (
	"cmp"
	"fmt"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// reachedPercent is the use from which on a limit of storage or of a node counts as reached: EBS volumes are designed to deliver at
	// least 90 % of their IOPS or throughput, 99 % of the time or more.
	// https://docs.aws.amazon.com/ebs/latest/userguide/ebs-optimization.html
	reachedPercent = 90
	// keptPercent is the use from which on the rate that a workload sets itself held it back: fio keeps it more closely.
	keptPercent = 95
	// exceededPercent is the use above which a limit cannot be what it is taken for: a cache answered, or the figure is
	// wrong. Up to there storage gives a little more than it promises, and more for moments.
	exceededPercent = 120
	// loweredPercent is the use above which a limit does not hold that only a driver that lowered IOPS would leave: EBS volumes were seen to
	// give 1.6 % more than their IOPS (experiment E2).
	loweredPercent = 105
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
	// ThinkMilliIOPS is how many I/Os in a thousand seconds their thinktime would leave if I/Os took no time.
	ThinkMilliIOPS int64
	// Buffered says whether the page cache can answer I/O: reads without O_DIRECT, or writes that are not synced either.
	Buffered bool
	// UnsyncedWrites says whether there are such writes.
	UnsyncedWrites bool
	// SyncedAtEnd says whether there are buffered writes that only a sync at the end has reach the storage.
	SyncedAtEnd bool
	// Gathered says whether the page cache can make fewer and larger I/Os of writes: they go through it, and not each of them is synced.
	Gathered bool
	// Reads says whether the workload reads.
	Reads bool
	// Sequential says whether I/Os follow each other, which storage may make into fewer and larger ones.
	Sequential bool
	// FileBytes is the size of all test files. 0 if unknown.
	FileBytes int64
	// ProbeJobs is the number of processes or threads of its probe. 0 if there is none.
	ProbeJobs int64
	// Lookups says whether all that the workload does is to look files or directories up, which memory can answer.
	Lookups bool
	// Staggered says whether some of its jobs begin later than others, and LatencyTarget whether fio looks for an iodepth while it runs: its rate changes by that.
	Staggered, LatencyTarget bool
	// SteadyWindow says whether what was measured had to be steady itself.
	SteadyWindow bool
	// LatencyOff says whether fio is told not to take latencies: gtod_reduce, disable_lat and the like.
	LatencyOff bool
	// Polls says whether jobs ask again and again instead of waiting, which takes all CPU that there is, whatever they wait for.
	Polls bool
	// IgnoredDepth, BufferedAsync, AlikeData, InlineRate and OtherFilesSynced are what fio.Traps has of the jobs.
	IgnoredDepth     int64
	BufferedAsync    bool
	AlikeData        string
	InlineRate       bool
	OtherFilesSynced bool
	// NewDevice says whether the workload runs on a raw block volume that was made for the benchmark, and made empty, so that
	// nobody has written it.
	NewDevice bool
	// Sourced says whether that volume was made from a snapshot or another volume, and Used whether a run has used it before.
	Sourced, Used bool
}

// Times returns what so many clients ask for together that each ask for the load.
func (l Load) Times(clients int64) Load {
	for _, figure := range []*int64{&l.InFlight, &l.Jobs, &l.ProbeJobs, &l.RateIOPS, &l.RateBytesPerSecond, &l.ThinkMilliIOPS, &l.FileBytes} {
		*figure = whole(float64(*figure) * float64(clients))
	}
	return l
}

// isGathered says whether the page cache can make fewer and larger I/Os of some.
func (l Load) isGathered() bool { return l.Buffered || l.Gathered }

// Client is what the runner saw of the machine, of several clients of all machines together. What is zero is unknown.
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
	// StealPermille is the share of its CPU time that the node lacked, of several the one that lacked most, in thousandths.
	StealPermille int64
	// UsedPermille and UsedInodesPermille are how full the file system was, of several the fullest one, in thousandths of its space and of its inodes.
	UsedPermille, UsedInodesPermille int64
	// BusiestJobPermille is the share of the busiest of a client's jobs in what all of them moved, in thousandths, of the client where it had most.
	BusiestJobPermille int64
	// Node is how busy the node was.
	Node NodeLoad
	// ClockSpread is how far apart the clocks of several clients' nodes may be: the difference between the times at
	// which they heard of their start.
	ClockSpread time.Duration
	// ProbeFailure is why a probe that was to follow the result has none itself, "" if it has, or none was to follow.
	ProbeFailure string
	// NotSteady is what was seen of a rate that was to be steady before it is measured, and was not. "" if it was, or was not to be.
	NotSteady string
}

// Bound says what held a result back: the first in this order that is shown by the figures. A limit of the storage or
// of the client, whichever is nearest; the workload's own rate; the client's CPU; and, only if it is known that no
// limit of the storage is reached, latency. What ran at the same time counts against limits and CPU; rate and latency are
// the result's own.
func Bound(r *v1alpha1.Result, known Known, load Load, client Client) v1alpha1.LimitedBy {
	if r != nil && r.Of(v1alpha1.OperationMetadata) != nil {
		return boundOfMetadata(r, known, load, client)
	}
	if r == nil || r.Total() == nil {
		return unknown("no I/O was measured")
	}
	all, asked := known.atStorage(known.Company.with(r), known.Company.loadWith(load))
	nearest, doubtful := known.nearest(all, asked)
	byFio, _ := known.nearest(known.Company.with(r), known.Company.loadWith(load)) // shares of a limit and of a rate compare only by the same figures
	nearest.note += known.countedNote(r, nearest)
	doubtful.note += known.countedNote(r, doubtful)
	rate, ofOthers := greatest(rateUses(r, load)), known.ofOthers(r, load)
	switch {
	case ofOthers != "":
		return unknown("%s", ofOthers)
	case rate.reached() && (!nearest.reached() || rate.share() > byFio.share()): // of both it is the one that more would change nothing without
		return rate.limitedBy()
	case nearest.reached():
		return nearest.limitedBy()
	}
	if bound, ok := boundByCPU(r, load, client, known.Company); ok {
		return bound
	}
	if doubtful.reached() {
		return unknown("%s", doubt(doubtful, asked, client))
	}
	if words := cmp.Or(known.inMemory(r, load), known.elsewhere(r, load)); words != "" {
		return unknown("%s", words)
	}
	if bound, ok := known.boundByBaseline(all, asked); ok {
		return bound
	}
	if reason := known.unknownLimits(known.Company.with(r)); reason != "" {
		return unknown("%s", reason)
	}
	if reason := cmp.Or(known.uncounted(r, load), known.latencyOfMemory(load, client)); reason != "" {
		return unknown("%s", reason)
	}
	return known.boundByLatency(r, known.roomAt(nearest), load)
}

// doubt says why a limit that the figures reach did not hold the result back, or may not have.
func doubt(u use, load Load, client Client) string {
	switch {
	case u.percent() > exceededPercent && load.Buffered && mayFitInMemory(load, client):
		return fmt.Sprintf("%s are more than it can do: the page cache answered", u)
	case u.precision == v1alpha1.PrecisionAtLeast:
		return fmt.Sprintf("%s (%d %%): it gives at least that and may give more, so it is unknown whether this held the result back", u, u.percent())
	case u.precision == v1alpha1.PrecisionRange && u.percent() <= exceededPercent:
		return fmt.Sprintf("%s (%d %%): this is the end of a documented range and no limit, so it is unknown whether it held the result back; set spec.targets[].limits",
			u, u.percent())
	case u.lowered && !u.isOfStorage():
		return fmt.Sprintf("%s (%d %%), if the instance's bandwidth weighting gives the rest to the other side: "+
			"see NetworkPerformanceOptions of aws ec2 describe-instances, and set spec.targets[].clientLimits", u, u.percent())
	case u.lowered:
		return fmt.Sprintf("%s (%d %%), if the driver lowered the volume to that; it does so if EC2 does not let it look up the region's maximum: see Iops of aws ec2 describe-volumes",
			u, u.percent())
	case u.merged:
		return fmt.Sprintf("%s (%d %%): EBS may count several sequential I/Os of 32 KiB and more as one, so it is unknown whether this held the result back",
			u, u.percent())
	case u.company.ranOn() && !load.Buffered:
		return fmt.Sprintf("%s (%d %%): some sections ran on alone, so it is unknown how much all did at the same time; give the sections one runtime, with time_based",
			u, u.percent())
	case load.isGathered() && !u.inMiB:
		return fmt.Sprintf("%s: I/O is buffered, and the page cache turns it into fewer and larger I/Os; how many the storage did is unknown: set direct: true", u)
	}
	return fmt.Sprintf("%s (%d %%) are more than it can do: a cache answered, or the limit is higher than is known", u, u.percent())
}

func unknown(format string, args ...any) v1alpha1.LimitedBy {
	return v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: fmt.Sprintf(format, args...)}
}

// mayFitInMemory is false only if the files are known to be larger than what the page cache can take. Files of
// unknown size may fit.
func mayFitInMemory(load Load, client Client) bool {
	return client.MemoryBytes == 0 || load.FileBytes <= client.MemoryBytes
}

// boundByCPU judges by the CPU that the jobs used, in percent of one CPU: 100 for each job, which can use no
// more than one, and what the container may use, or all clients' containers together. Jobs that poll use all that they get, whatever
// they wait for: of these only what the kernel held back tells something.
func boundByCPU(r *v1alpha1.Result, load Load, client Client, company *Company) (v1alpha1.LimitedBy, bool) {
	container := client.CPUMillis / 10
	perJob := cpuOfJob(r)
	used := perJob*load.Jobs + company.cpuPercent()
	bound := v1alpha1.LimitedBy{Reason: v1alpha1.BoundClientCPU}
	switch {
	case perJob >= busyPercent && !load.Polls:
		bound.UsedPercent = new(percent(float64(perJob) / 100))
		if load.Jobs > 0 {
			bound.LimitCPUPercent = new(100 * load.Jobs)
		}
		bound.Message = fmt.Sprintf("each of fio's jobs used %d %% of a CPU, and a job can use no more than one", perJob)
	case client.CPUMillis > 0 && used*1000 >= busyPercent*client.CPUMillis && !load.Polls && !company.polls():
		bound.LimitCPUPercent, bound.UsedPercent = new(container), new(percent(float64(used)*10/float64(client.CPUMillis)))
		bound.Message = fmt.Sprintf("fio used %d %% of CPU%s, and its %s may use %d %% (100 for each CPU)", used, company.together(), containers(r), container)
	case client.ThrottledPercent != nil && *client.ThrottledPercent >= throttledPercent:
		if client.CPUMillis > 0 {
			bound.LimitCPUPercent = new(container)
			if used > 0 {
				bound.UsedPercent = new(percent(float64(used) * 10 / float64(client.CPUMillis)))
			}
		}
		bound.Message = throttled(r, *client.ThrottledPercent)
	default:
		return v1alpha1.LimitedBy{}, false
	}
	return bound, true
}

// cpuOfJob is what each job of a result used, in percent of one CPU; 0 if it is not known.
func cpuOfJob(r *v1alpha1.Result) int64 {
	if r.CPU == nil {
		return 0
	}
	return int64(r.CPU.UserPercent) + int64(r.CPU.SystemPercent)
}

// containers is such as "container", or "2 containers" of two clients.
func containers(r *v1alpha1.Result) string {
	if r.Clients > 1 {
		return fmt.Sprintf("%d containers", r.Clients)
	}
	return "container"
}

func throttled(r *v1alpha1.Result, percent int32) string {
	whose := "container's"
	if r.Clients > 1 {
		whose = containers(r) + "'"
	}
	return fmt.Sprintf("the %s CPU limit held fio back in %d %% of scheduling periods", whose, percent)
}
