package fio

import "math"

// Stage is jobs of a file that run at the same time, before those that wait for them.
type Stage struct {
	// TimedSeconds is for how long the jobs run that end by the clock alone (time_based), with start delay and ramp. 0
	// if there is none.
	TimedSeconds float64
	// MostSeconds is for how long the others run at most by their options: +Inf if one of them has no runtime, 0 if
	// there are no others.
	MostSeconds float64
	// PacedSeconds is for how long the others run at least, by what they hold themselves to (rate, rate_iops, thinktime). It is at most what their
	// own runtimes are, and 0 if they hold themselves to nothing, or do a work that is not known.
	PacedSeconds float64
	// Reads and Writes are what those others do together until they end by themselves.
	Reads, Writes Work
	// Counted says whether all of that is known: it is not where a size is a percentage, or follows from the device.
	Counted bool
}

// Work is an amount of I/O.
type Work struct {
	// Bytes are at least 0. IOs are 0 if the blocks are of several sizes.
	Bytes, IOs float64
}

// Stages returns what the file does in the order in which it is done. Floats, because nothing here is told exactly.
func (f *JobFile) Stages() []Stage {
	var stages []Stage
	for _, together := range f.resolve().stages {
		stage := Stage{Counted: true}
		for _, j := range together {
			stage.add(j)
		}
		stages = append(stages, stage)
	}
	return stages
}

func (s *Stage) add(j job) {
	const second = 1_000_000
	us, bounded := j.microseconds()
	own := math.Inf(1)
	if bounded && j.on("time_based") {
		s.TimedSeconds = max(s.TimedSeconds, float64(us)/second)
		return
	}
	if bounded {
		own = float64(us) / second
	}
	s.MostSeconds = max(s.MostSeconds, own)
	reads, writes, counted := j.work()
	if counted {
		s.PacedSeconds = max(s.PacedSeconds, min(j.pacedSeconds(reads, writes), own))
	}
	s.Counted = s.Counted && counted
	s.Reads, s.Writes = s.Reads.plus(reads), s.Writes.plus(writes)
}

func (w Work) plus(o Work) Work { return Work{w.Bytes + o.Bytes, w.IOs + o.IOs} }

// times returns the work done n times, which may be a part of once.
func (w Work) times(n float64) Work { return Work{w.Bytes * n, w.IOs * n} }

// work returns what a job and its clones do until they end by themselves; false if that cannot be known.
func (j job) work() (reads, writes Work, counted bool) {
	bytes, ok := j.bytesOfClone()
	if !ok || j.isMetadata() {
		return Work{}, Work{}, false
	}
	all := Work{Bytes: float64(bytes)}
	if block := j.smallestBlock(); block > 0 {
		all.IOs = all.Bytes / float64(block)
	}
	all = all.times(float64(j.clones()) * float64(max(j.number("loops", 1), 1)))
	switch j.direction() {
	case "read", "randread":
		return all, Work{}, true
	case "write", "randwrite":
		return Work{}, all, true
	case "rw", "readwrite", "randrw":
		share := float64(j.readPercent()) / 100
		return all.times(share), all.times(1 - share), true
	default: // trims, which no limit is known of
		return Work{}, Work{}, false
	}
}

// maxPaced bounds for how long a job goes on at its own pace: 290,000 years in seconds, of which an int64 holds the microseconds.
const maxPaced = math.MaxInt64 / 1_000_000

// pacedSeconds returns how long a job with all its clones takes for its work at the pace that it holds itself to, 0 if it does not.
func (j job) pacedSeconds(reads, writes Work) float64 {
	if !j.has("rate") && !j.has("rate_iops") && !j.has("thinktime") {
		return 0
	}
	longest := 0.0
	for direction, work := range []Work{reads, writes} {
		for _, limit := range []struct {
			option string
			amount float64
		}{{"rate", work.Bytes}, {"rate_iops", work.IOs}} {
			if rate := j.rateOf(limit.option, direction); rate > 0 {
				longest = max(longest, limit.amount/float64(rate)/float64(j.clones()))
			}
		}
	}
	const microsecond = 1e-6
	thinks := (reads.IOs + writes.IOs) / float64(j.clones()) / float64(max(j.number("thinktime_blocks", 1), 1))
	return min(max(longest, thinks*float64(j.thinktime())*microsecond), maxPaced)
}

// thinktime is how many microseconds a clone waits after an I/O, or after thinktime_blocks of them; 0 if it does not, or not each time. A number
// without a unit is in microseconds.
func (j job) thinktime() int64 {
	if j.has("thinktime_iotime") {
		return 0
	}
	text := j.text("thinktime", "0")
	if us, err := parseInteger(text); err == nil {
		return max(us, 0)
	}
	us, _ := parseMicroseconds(text)
	return us
}

// bytesOfClone returns how much one clone of the job reads and writes in one loop; false if that cannot be known.
func (j job) bytesOfClone() (int64, bool) {
	if j.on("fill_device") || j.has("number_ios") || j.has("zonemode") {
		return 0, false
	}
	for _, name := range []string{"io_size", "size"} {
		if bytes, ok := j.size(name); !ok || bytes > 0 {
			return bytes, ok
		}
	}
	return 0, false
}

// readPercent is the share of reads of a job that reads and writes.
func (j job) readPercent() int64 {
	const half = 50
	return min(max(j.number("rwmixread", 100-j.number("rwmixwrite", half)), 0), 100)
}
