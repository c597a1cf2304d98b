package fio

import (
	"slices"
	"strings"
)

// Load is what the jobs that make one result ask of the storage.
type Load struct {
	// Jobs is the number of processes or threads.
	Jobs int64
	// InFlight is the number of I/Os that they keep in flight together.
	InFlight int64
	// RateIOPS and RateBytesPerSecond are what they hold themselves to together, reads and writes added up;
	// 0 if at least one of them does not.
	RateIOPS, RateBytesPerSecond int64
	// ThinkMilliIOPS is how many I/Os in a thousand seconds they would do together if these took no time, by their thinktime; 0 if at least one has none.
	ThinkMilliIOPS int64
	// Buffered says whether the page cache can answer what at least one does: buffered reads, or buffered writes that are
	// not synced.
	Buffered bool
	// UnsyncedWrites says whether at least one has buffered writes that nothing has reach the storage.
	UnsyncedWrites bool
	// Gathered says whether at least one has buffered writes of which not each is synced, so that the page cache can make fewer and larger ones of them.
	Gathered bool
	// SyncedAtEnd says whether at least one has buffered writes that reach the storage in one sync, when the job ends or closes a file.
	SyncedAtEnd bool
	// Syncs says whether at least one calls fsync or the like, so that fio reports the latency of that.
	Syncs bool
	// Reads says whether at least one reads.
	Reads bool
	// Sequential says whether at least one does I/Os of which some follow the one before.
	Sequential bool
	// FileBytes is the size of all their files, 0 if it cannot be known.
	FileBytes int64
	// Metadata says whether all of them are about files or directories themselves, and move no data; Lookups whether they look them up.
	Metadata, Lookups bool
	// LatencyOff says whether at least one is told not to take latencies.
	LatencyOff bool
	// Polls says whether at least one asks for its I/Os again and again instead of waiting, which takes a CPU whatever it waits for.
	Polls bool
	// LatencyTarget says that fio itself looks for the iodepth that keeps a latency, of at least one job.
	LatencyTarget bool
	// Staggered says that one begins later than another.
	Staggered bool
	// Traps are what at least one asks for that does not do what it seems to.
	Traps Traps
}

// Loads returns the loads of the results, in the order of Groups.
func (f *JobFile) Loads() []Load {
	var loads []Load
	for _, jobs := range f.resolve().reported {
		loads = append(loads, newLoad(jobs))
	}
	return loads
}

func newLoad(jobs []job) Load {
	load := Load{
		Metadata: !slices.ContainsFunc(jobs, func(j job) bool { return !j.isMetadata() }),
		Lookups:  !slices.ContainsFunc(jobs, func(j job) bool { return !j.looksUp() }),
	}
	var files []fileSet
	known := true
	everyIOPS, everyRate, everyThink := true, true, true
	for _, j := range jobs {
		load.Jobs += j.clones()
		load.InFlight += j.clones() * j.depth()
		if !j.isMetadata() {
			load.addData(j)
		}
		load.LatencyOff = load.LatencyOff || j.on("gtod_reduce") || j.on("disable_lat") || j.on("disable_clat")
		load.LatencyTarget = load.LatencyTarget || j.has("latency_target")
		delay := j.text("startdelay", "0")
		load.Staggered = load.Staggered || delay != jobs[0].text("startdelay", "0") || strings.Contains(delay, "-") // of a range each clone draws its own
		load.Polls = load.Polls || j.on("hipri") || j.on("sqthread_poll")
		sets, ok := j.fileSets()
		files, known = append(files, sets...), known && ok
		iops, bytes, think := j.rate("rate_iops"), j.rate("rate"), j.thinkMilliIOPS()
		load.RateIOPS += iops
		load.RateBytesPerSecond += bytes
		load.ThinkMilliIOPS += think
		everyIOPS, everyRate, everyThink = everyIOPS && iops > 0, everyRate && bytes > 0, everyThink && think > 0
	}
	if !everyIOPS {
		load.RateIOPS = 0
	}
	if !everyRate {
		load.RateBytesPerSecond = 0
	}
	if !everyThink {
		load.ThinkMilliIOPS = 0
	}
	if known {
		load.FileBytes, _ = sum(files)
	}
	return load
}

// addData adds what a job that moves data does with memory and storage.
func (l *Load) addData(j job) {
	unsynced := j.buffered() && j.writes() && !j.synced()
	l.UnsyncedWrites = l.UnsyncedWrites || unsynced
	l.Buffered = l.Buffered || unsynced || j.buffered() && j.reads()
	l.Gathered = l.Gathered || j.buffered() && j.writes() && !j.syncsEach()
	l.SyncedAtEnd = l.SyncedAtEnd || j.buffered() && j.writes() && j.syncedAtEnd()
	l.Syncs = l.Syncs || j.syncs()
	l.Reads = l.Reads || j.reads()
	l.Sequential = l.Sequential || j.sequential()
	l.Traps.add(j)
}

// depth is the number of I/Os that a clone keeps in flight. Engines that wait for each I/O have one, unless fio
// submits from threads of its own.
func (j job) depth() int64 {
	if !j.queues() {
		return 1
	}
	return max(j.number("iodepth", 1), 1)
}

// queues says whether a clone can keep several I/Os in flight.
func (j job) queues() bool { return Queues(j.engine(), j.text("io_submit_mode", "")) }

// Queues says whether a job of an ioengine can keep several I/Os in flight, so that its iodepth counts. submitMode is its io_submit_mode, "" if it
// has none.
func Queues(ioengine, submitMode string) bool {
	return slices.Contains([]string{"libaio", "io_uring", "posixaio"}, ioengine) || submitMode == "offload"
}

// sequential says whether some of the job's I/Os follow the one before: of random ones only where they come in several, as with randread:8, or some are
// told to.
func (j job) sequential() bool {
	_, several, _ := strings.Cut(j.text("rw", "read"), ":")
	return !strings.HasPrefix(j.direction(), "rand") || several != "" || j.has("percentage_random")
}

// buffered says whether the job goes through the page cache.
func (j job) buffered() bool {
	return j.engine() == "mmap" || j.cached()
}

// cached says whether the job opens its files without O_DIRECT.
func (j job) cached() bool {
	if j.has("buffered") {
		return j.on("buffered")
	}
	return !j.on("direct")
}

// rate returns the limit that all clones together put on themselves by an option that has a value for each
// direction; 0 if none, or not in every direction that the job has.
func (j job) rate(name string) int64 {
	total := int64(0)
	for _, direction := range j.directions() {
		limit := j.rateOf(name, direction)
		if limit == 0 {
			return 0
		}
		total += limit
	}
	all, ok := multiply(total, j.clones())
	if !ok {
		return 0
	}
	return all
}

// thinkMilliIOPS is how many I/Os in a thousand seconds all clones together would do if these took no time, 0 if there is no thinktime to hold them back.
func (j job) thinkMilliIOPS() int64 {
	const thousandSeconds = 1_000_000_000 // in microseconds
	wait := j.thinktime()
	blocks, ok := multiply(max(j.number("thinktime_blocks", 1), 1), thousandSeconds)
	all, fits := multiply(blocks, j.clones())
	if wait <= 0 || !ok || !fits {
		return 0
	}
	return all / wait
}

// isLimited says whether an option that has a value for each direction limits the job in at least one that it has. 0 is no limit.
func (j job) isLimited(name string) bool {
	return slices.ContainsFunc(j.directions(), func(direction int) bool { return j.rateOf(name, direction) > 0 })
}

// rateOf returns the limit that each clone puts on itself in a direction, by its place in lists; 0 if none.
func (j job) rateOf(name string, direction int) int64 {
	values := strings.Split(j.text(name, ""), ",")
	// The last value is for all directions after it as well; where a comma ends the list, it is empty.
	limit, ok := parseBytes(values[min(direction, len(values)-1)], j.kiloBase())
	if !ok {
		return 0
	}
	return limit
}

// directions are the job's directions by their place in lists: reads, writes, trims.
func (j job) directions() []int {
	const reads, writes, trims = 0, 1, 2
	switch j.direction() {
	case "write", "randwrite":
		return []int{writes}
	case "trim", "randtrim":
		return []int{trims}
	case "rw", "readwrite", "randrw":
		return []int{reads, writes}
	case "trimwrite", "randtrimwrite":
		return []int{writes, trims}
	default:
		return []int{reads}
	}
}
