package fio

import "slices"

// Load is what the jobs that make one result ask of the storage.
type Load struct {
	// Jobs is the number of processes or threads.
	Jobs int64
	// InFlight is the number of I/Os that they keep in flight together.
	InFlight int64
	// RateIOPS and RateBytesPerSecond are what they hold themselves to together, reads and writes added up;
	// 0 if at least one of them does not.
	RateIOPS, RateBytesPerSecond int64
	// ThinkMilliIOPS is how many I/Os in a thousand seconds they would do together if these took no time, by their
	// thinktime; 0 if at least one has none.
	ThinkMilliIOPS int64
	// Buffered reports whether the page cache can answer what at least one does: buffered reads, or buffered writes that are
	// not synced.
	Buffered bool
	// UnsyncedWrites reports whether at least one has buffered writes that nothing has reach the storage.
	UnsyncedWrites bool
	// Gathered reports whether at least one has buffered writes of which not each is synced, so that the page cache can make
	// fewer and larger ones of them.
	Gathered bool
	// SyncedAtEnd reports whether at least one has buffered writes that reach the storage in one sync, when the job ends or
	// closes a file.
	SyncedAtEnd bool
	// Syncs reports whether at least one calls fsync or the like, so that fio reports the latency of that.
	Syncs bool
	// Reads reports whether at least one reads.
	Reads bool
	// Sequential reports whether at least one does I/Os of which some follow the one before.
	Sequential bool
	// FileBytes is the size of all their files, 0 if it cannot be known.
	FileBytes int64
	// Metadata reports whether all of them are about files or directories themselves, and move no data; Lookups whether they
	// look them up.
	Metadata, Lookups bool
	// LatencyOff reports whether at least one is told not to take latencies.
	LatencyOff bool
	// Polls reports whether at least one asks for its I/Os again and again instead of waiting, which takes a CPU whatever it
	// waits for.
	Polls bool
	// LatencyTarget says that fio itself looks for the iodepth that keeps a latency, of at least one job.
	LatencyTarget bool
	// Staggered says that one begins later than another.
	Staggered bool
	// Traps are what at least one asks for that does not do what it seems to.
	Traps Traps
}

// Loads returns the loads of the results, in the order of Groups.
func (f *JobFile) Loads() []Load { return eachResult(f, newLoad) }

func newLoad(jobs []*job) Load {
	load := Load{Metadata: true, Lookups: true}
	var files []fileSet
	known := true
	everyIOPS, everyRate, everyThink := true, true, true
	for _, j := range jobs {
		load.Jobs += j.clones
		load.InFlight += j.clones * j.depth
		load.Metadata, load.Lookups = load.Metadata && j.engine.isMetadata(), load.Lookups && j.engine.looksUp()
		if !j.engine.isMetadata() {
			load.addData(j)
		}
		load.LatencyOff = load.LatencyOff || j.on("gtod_reduce") || j.on("disable_lat") || j.on("disable_clat")
		load.LatencyTarget = load.LatencyTarget || j.has("latency_target")
		load.Staggered = load.Staggered || j.staggered(jobs[0])
		load.Polls = load.Polls || j.on("hipri") || j.on("sqthread_poll")
		sets, ok := j.fileSets()
		files, known = append(files, sets...), known && ok
		iops, bytes, think := j.total(j.rateIOPS), j.total(j.rate), j.thinkMilliIOPS()
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
		load.FileBytes = sum(files).bytes
	}
	return load
}

// addData adds what a job that moves data does with memory and storage.
func (l *Load) addData(j *job) {
	writes := j.buffered && j.writes
	unsynced := writes && !j.syncs && !j.syncsEach && !j.syncedAtEnd
	l.UnsyncedWrites = l.UnsyncedWrites || unsynced
	l.Buffered = l.Buffered || unsynced || j.buffered && j.reads
	l.Gathered = l.Gathered || writes && !j.syncsEach
	l.SyncedAtEnd = l.SyncedAtEnd || writes && j.syncedAtEnd
	l.Syncs = l.Syncs || j.syncs
	l.Reads = l.Reads || j.reads
	l.Sequential = l.Sequential || j.sequential
	l.Traps.add(j)
}

// staggered reports whether a job begins later than another, or each clone at a time of its own.
func (j *job) staggered(other *job) bool {
	return j.firstStart != other.firstStart || j.lastStart != other.lastStart || j.firstStart != j.lastStart
}

// total returns the limit that all clones together put on themselves; 0 if none, or not in every direction that the job
// has.
func (j *job) total(l limits) int64 {
	total := int64(0)
	for _, direction := range j.directions {
		if l[direction] == 0 {
			return 0
		}
		total += l[direction]
	}
	all, ok := multiply(total, j.clones)
	if !ok {
		return 0
	}
	return all
}

// isLimited reports whether limits hold the job back in at least one direction that it has.
func (j *job) isLimited(l limits) bool {
	return slices.ContainsFunc(j.directions, func(direction int) bool { return l[direction] > 0 })
}

// thinkMilliIOPS is how many I/Os in a thousand seconds all clones together would do if these took no time, 0 if there
// is no thinktime to hold them back.
func (j *job) thinkMilliIOPS() int64 {
	const thousandSeconds = 1_000_000_000 // in microseconds
	all := amount{bytes: j.thinktimeBlocks}.times(thousandSeconds).times(j.clones)
	if j.thinktime == 0 || all.unknown {
		return 0
	}
	return all.bytes / j.thinktime
}

// Traps are what jobs ask for that does not do, or does not measure, what it seems to.
type Traps struct {
	// IgnoredDepth is the greatest iodepth of jobs whose engine waits for each I/O, so that they keep one in flight. 0 if
	// there is none.
	IgnoredDepth int64
	// BufferedAsync reports whether jobs go through the page cache with libaio, which the kernel then makes wait for each
	// I/O.
	BufferedAsync bool
	// AlikeData is the option by which the data that is written is easy to compress, or often the same. "" if none is
	// given.
	AlikeData string
	// InlineRate reports whether jobs hold themselves to a rate, and submit I/Os in the thread that waits for them: who waits
	// submits late, and fio does not count that as latency.
	InlineRate bool
	// OtherFilesSynced reports whether jobs have several files, and sync another one than they have just written.
	OtherFilesSynced bool
}

// add takes in what a job asks for.
func (t *Traps) add(j *job) {
	if j.iodepth > j.depth {
		t.IgnoredDepth = max(t.IgnoredDepth, j.iodepth)
	}
	t.BufferedAsync = t.BufferedAsync || j.engine == "libaio" && j.buffered
	if option := j.alikeData(); option != "" && t.AlikeData == "" {
		t.AlikeData = option
	}
	isLimited := j.isLimited(j.rate) || j.isLimited(j.rateIOPS)
	t.InlineRate = t.InlineRate || isLimited && j.text("io_submit_mode", "inline") != "offload"
	t.OtherFilesSynced = t.OtherFilesSynced || j.syncsOtherFiles()
}

// alikeData is the option by which what the job writes is alike, "" if there is none. Without scramble_buffers fio
// writes the same block again and again, unless it fills its buffer anew each time.
func (j *job) alikeData() string {
	const scramble = "scramble_buffers"
	i := slices.IndexFunc(alikeOptions, j.on)
	switch {
	case !j.writes:
		return ""
	case i >= 0:
		return alikeOptions[i]
	case j.has(scramble) && !j.on(scramble) && !j.on("refill_buffers"):
		return scramble + "=0"
	}
	return ""
}

// syncsOtherFiles reports whether a sync of the job is of the file whose turn it is, and not of the one that it has
// just written. Only where each file is written to its end before the next one, these are the same:
// TestFioSyncsOtherFiles. https://github.com/axboe/fio/issues/1904
func (j *job) syncsOtherFiles() bool {
	files := j.files
	if names := j.names(); names != nil {
		files = int64(len(names))
	}
	isSequential := j.text("file_service_type", "roundrobin") == "sequential"
	return j.syncs && min(files, j.openFiles) > 1 && !isSequential
}
