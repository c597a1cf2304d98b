package fio

import (
	"maps"
	"slices"
	"strings"
)

// job is a section that fio runs: all options that apply to it, and what those mean that this package asks for. A value
// that cannot be read counts as not given; the guard refuses such values.
type job struct {
	name string
	// section is the job's index among the sections.
	section int
	// options are the effective ones by their names, aliases resolved.
	options map[string]*Option
	// kilo is option kb_base: what fio takes for k.
	kilo int64

	// rw is the kind of I/O without its postfix, such as randread of randread:8. directions are those of it by their place
	// in lists: reads, writes, trims. reads reports whether data is read that must have been written before.
	rw            string
	directions    []int
	reads, writes bool
	// sequential reports whether some I/Os follow the one before, skips whether parts of the files are left out, or gone
	// through from the end, as with read:8k and read:-8k.
	sequential, skips bool
	// readPercent is the share of reads of a mix. seed is option randseed, -1 if it is not given.
	readPercent, seed int64

	engine engine
	// clones is the number of processes that fio makes of the job. Each keeps depth I/Os in flight: iodepth if queues, so
	// that a clone does not wait for each I/O, or else 1.
	clones, depth, iodepth int64
	queues                 bool
	// cached reports whether files are opened without O_DIRECT, buffered whether I/O goes through the page cache.
	cached, buffered bool
	// smallestBlock is the size of the smallest blocks, 0 if there are some of any size.
	smallestBlock int64

	// size, offset, increment (offset_increment), ioSize and fileSize, the largest of a range, are 0 where they are not
	// given. leastFile is the smallest if that is a range. files is the number of files of each clone,
	// openFiles how many of them are open at once.
	size, offset, increment, ioSize, fileSize amount
	isRange                                   bool
	leastFile, files, openFiles               int64
	// fills reports whether all blocks of the files are written before the job runs, although it does not read them.
	fills bool

	// Times are in microseconds. longest is the longest time that the job runs: its latest start, ramp and runtime; 0 if
	// it has no runtime. Starts are drawn between startdelay's first and last.
	runtime, longest, ramp, firstStart, lastStart int64
	timeBased                                     bool
	loops                                         int64

	rate, rateIOPS limits
	// thinktime is how long a clone waits after thinktimeBlocks I/Os; 0 if it does not, or not each time.
	thinktime, thinktimeBlocks int64

	// syncs reports whether the job calls fsync, fdatasync or sync_file_range between its writes, so that fio reports how
	// long that takes; of calls at the end of a job or when a file is closed it reports nothing. syncsEach reports whether
	// each write reaches the storage before the next one.
	syncs, syncsEach bool
	// syncedAtEnd reports whether only a sync when all is written, or when a file is closed, has the writes reach the
	// storage. fio counts its time in that of the job, and so in IOPS and bandwidth, but in no latency:
	// TestFioSyncsAtTheEnd.
	syncedAtEnd bool
}

// limits are what each clone holds itself to in each direction, by its place in lists; 0 is no limit.
type limits [3]int64

// The directions by their place in lists.
const (
	toRead, toWrite, toTrim = 0, 1, 2
)

// pageBytes is the size of blocks that fio has if it is not given another, and below which direct I/O is not possible.
const pageBytes = 4096

// jobsOf returns the jobs of sections, each with the options of the global sections before it and its own.
func jobsOf(sections Sections) []*job {
	var jobs []*job
	shared := map[string]*Option{}
	for i, section := range sections {
		options := shared
		if section.isJob() {
			options = make(map[string]*Option, len(shared)+len(section.Options))
			maps.Copy(options, shared)
		}
		for k := range section.Options {
			o := &section.Options[k]
			options[Canonical(o.Name)] = o
		}
		if section.isJob() {
			jobs = append(jobs, newJob(section.Name, i, options))
		}
	}
	return jobs
}

// newJob reads what the options mean.
func newJob(name string, section int, options map[string]*Option) *job {
	j := &job{name: name, section: section, options: options}
	j.kilo = j.number("kb_base", 1024)
	j.readKind()
	j.readConcurrency()
	j.readSizes()
	j.readTimes()
	j.readPace()
	j.readSyncs()
	return j
}

func (j *job) readKind() {
	kind, postfix, _ := strings.Cut(j.text("rw", "read"), ":")
	j.rw, j.directions = kind, onlyReads
	if other, known := directionsOf[kind]; known {
		j.directions = other
	}
	j.reads, j.writes = slices.Contains(j.directions, toRead), slices.Contains(j.directions, toWrite)
	j.sequential = !strings.HasPrefix(kind, "rand") || postfix != "" || j.has("percentage_random")
	gap, _ := parseBytes(strings.TrimPrefix(postfix, "-"), j.kilo)
	j.skips = gap > 0
	j.seed = -1
	if o, given := j.options["randseed"]; given {
		if seed, ok := parseBytes(o.Value, j.kilo); ok {
			j.seed = seed
		}
	}
	const half = 50
	j.readPercent = min(max(j.number("rwmixread", 100-j.number("rwmixwrite", half)), 0), 100)
}

// directionsOf has the directions of the kinds of I/O that do not only read.
var directionsOf = map[string][]int{
	"write": {toWrite}, "randwrite": {toWrite},
	"trim": {toTrim}, "randtrim": {toTrim},
	"rw": {toRead, toWrite}, "readwrite": {toRead, toWrite}, "randrw": {toRead, toWrite},
	"trimwrite": {toWrite, toTrim}, "randtrimwrite": {toWrite, toTrim},
}

var onlyReads = []int{toRead}

// IsMixed reports whether a type of I/O both reads and writes.
func IsMixed(rw string) bool {
	kind, _, _ := strings.Cut(rw, ":")
	return slices.Equal(directionsOf[kind], directionsOf["rw"])
}

func (j *job) readConcurrency() {
	j.engine = engine(j.text("ioengine", "psync"))
	j.clones, j.iodepth = max(j.number("numjobs", 1), 1), j.number("iodepth", 1)
	j.depth = 1
	if j.queues = Queues(string(j.engine), j.text("io_submit_mode", "")); j.queues {
		j.depth = max(j.iodepth, 1)
	}
	j.cached = !j.on("direct")
	if j.has("buffered") {
		j.cached = j.on("buffered")
	}
	j.buffered = j.engine == "mmap" || j.cached
}

func (j *job) readSizes() {
	j.size, j.offset, j.ioSize = j.amount("size"), j.amount("offset"), j.amount("io_size")
	j.increment = j.amount("offset_increment")
	j.files, j.openFiles = max(j.number("nrfiles", 1), 1), j.number("openfiles", unbounded)
	least, most, isRange := strings.Cut(j.text("filesize", "0"), "-")
	if j.isRange = isRange; isRange {
		j.leastFile, _ = parseBytes(least, j.kilo)
		least = most
	}
	j.fileSize = j.amountOf(least)
	j.smallestBlock = j.readSmallestBlock()
	j.fills = !j.on("file_append") && !j.on("fill_device")
	if j.has("overwrite") {
		j.fills = j.on("overwrite")
	}
}

func (j *job) readSmallestBlock() int64 {
	sizes, given := j.options["bs"]
	switch {
	case j.has("bsrange") || j.has("bssplit"):
		return 0
	case !given:
		return pageBytes
	}
	smallest := int64(unbounded)
	if strings.HasPrefix(sizes.Value, ",") && j.reads {
		smallest = pageBytes
	}
	for text := range strings.SplitSeq(sizes.Value, ",") {
		if bytes, ok := parseBytes(text, j.kilo); ok {
			smallest = min(smallest, bytes)
		}
	}
	return smallest
}

func (j *job) readTimes() {
	first, last, isRange := strings.Cut(j.text("startdelay", "0"), "-")
	if !isRange {
		last = first
	}
	var starts, ramps bool
	j.firstStart, _ = parseMicroseconds(first)
	j.lastStart, starts = parseMicroseconds(last)
	j.ramp, ramps = parseMicroseconds(j.text("ramp_time", "0"))
	j.runtime, _ = parseMicroseconds(j.text("runtime", "0"))
	if j.runtime > 0 && starts && ramps {
		j.longest = capped(add(j.runtime, capped(add(j.ramp, j.lastStart))))
	}
	j.timeBased = j.on("time_based")
	j.loops = j.number("loops", 1)
}

func (j *job) readPace() {
	j.rate, j.rateIOPS = j.limits("rate"), j.limits("rate_iops")
	j.thinktimeBlocks = max(j.number("thinktime_blocks", 1), 1)
	if j.has("thinktime_iotime") {
		return
	}
	text := j.text("thinktime", "0")
	if us, err := parseInteger(text); err == nil { // a number without a unit is in microseconds
		j.thinktime = max(us, 0)
		return
	}
	j.thinktime, _ = parseMicroseconds(text)
}

// limits reads an option that has a value for each direction. The last one is for all directions after it as well.
func (j *job) limits(name string) (all limits) {
	o, given := j.options[name]
	if !given {
		return limits{}
	}
	values := strings.Split(o.Value, ",")
	for direction := range all {
		all[direction], _ = parseBytes(values[min(direction, len(values)-1)], j.kilo)
	}
	return all
}

func (j *job) readSyncs() {
	fsync, fdatasync := j.number("fsync", 0), j.number("fdatasync", 0)
	_, writes, _ := strings.Cut(j.text("sync_file_range", ""), ":")
	j.syncs = j.writes && (fsync > 0 || fdatasync > 0 || strings.Trim(writes, "0") != "")
	j.syncsEach = fsync == 1 || fdatasync == 1 || !slices.Contains([]string{"none", "0"}, j.text("sync", "none"))
	j.syncedAtEnd = (j.on("end_fsync") || j.on("fsync_on_close")) && !j.syncs && !j.syncsEach
}

// isMixed reports whether the job both reads and writes.
func (j *job) isMixed() bool { return j.reads && j.writes }

// isTyped reports whether the job was made of FioParameters.
func (j *job) isTyped() bool {
	for _, o := range j.options {
		if o.Field != "" && o.Field != matrixField {
			return true
		}
	}
	return false
}

// text returns the value of an option, or what fio takes when it is not given.
func (j *job) text(name, unset string) string {
	if o, ok := j.options[name]; ok {
		return o.Value
	}
	return unset
}

// has reports whether an option is given.
func (j *job) has(name string) bool {
	_, ok := j.options[name]
	return ok
}

// on reports whether an option is switched on: without a value, or with another than 0.
func (j *job) on(name string) bool {
	o, ok := j.options[name]
	return ok && (!o.HasValue || o.Value != "0")
}

// number reads an option that is a whole number, or returns unset.
func (j *job) number(name string, unset int64) int64 {
	if o, ok := j.options[name]; ok {
		if n, err := parseInteger(o.Value); err == nil {
			return n
		}
	}
	return unset
}

// amount reads an option that is a number of bytes.
func (j *job) amount(name string) amount { return j.amountOf(j.text(name, "0")) }

func (j *job) amountOf(text string) amount {
	bytes, ok := parseBytes(text, j.kilo)
	return amount{bytes, !ok}
}
