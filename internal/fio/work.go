package fio

import (
	"math"
	"slices"
)

// Stage is jobs of a file that run at the same time, before those that wait for them.
type Stage struct {
	// TimedSeconds is for how long the jobs run that end by the clock alone (time_based), with start delay and ramp. 0
	// if there is none.
	TimedSeconds float64
	// MostSeconds is for how long the others run at most by their options: +Inf if one of them has no runtime, 0 if
	// there are no others.
	MostSeconds float64
	// PacedSeconds is for how long the others run at least, by what they hold themselves to (rate, rate_iops, thinktime).
	// It is at most what their own runtimes are, and 0 if they hold themselves to nothing, or do a work that is not known.
	PacedSeconds float64
	// Reads and Writes are what those others do together until they end by themselves.
	Reads, Writes Work
	// Counted reports whether all of that is known: it is not where a size is a percentage, or follows from the device.
	Counted bool
}

// Work is an amount of I/O.
type Work struct {
	// Bytes are at least 0. IOs are 0 if the blocks are of several sizes.
	Bytes, IOs float64
}

// RuntimeSeconds returns the longest time that the file's jobs run by their own options: start delay, ramp
// and runtime, of jobs that wait for each other the sum. It is false if a job is bounded by its size only,
// or the time exceeds an int64. Laying out files is not part of it.
func (f *JobFile) RuntimeSeconds() (int64, bool) {
	var total amount
	for _, together := range f.resolve().stages {
		var longest int64
		for _, j := range together {
			if j.longest == 0 || j.longest == math.MaxInt64 {
				return 0, false
			}
			longest = max(longest, j.longest)
		}
		total = total.plus(amount{bytes: longest})
	}
	if total.unknown {
		return 0, false
	}
	return roundUp(total.bytes, second), true
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

func (s *Stage) add(j *job) {
	own := j.mostSeconds()
	if j.timeBased && j.longest > 0 {
		s.TimedSeconds = max(s.TimedSeconds, own)
		return
	}
	s.MostSeconds = max(s.MostSeconds, own)
	reads, writes, counted := j.work()
	if counted {
		s.PacedSeconds = max(s.PacedSeconds, min(j.pacedSeconds(reads, writes), own))
	}
	s.Counted = s.Counted && counted
	s.Reads, s.Writes = s.Reads.plus(reads), s.Writes.plus(writes)
}

// mostSeconds is the longest time that the job runs by its options, +Inf if it has no runtime.
func (j *job) mostSeconds() float64 {
	if j.longest == 0 {
		return math.Inf(1)
	}
	return float64(j.longest) / second
}

func (w Work) plus(o Work) Work { return Work{w.Bytes + o.Bytes, w.IOs + o.IOs} }

// times returns the work done n times, which may be a part of once.
func (w Work) times(n float64) Work { return Work{w.Bytes * n, w.IOs * n} }

// work returns what a job and its clones do until they end by themselves; false if that cannot be known.
func (j *job) work() (reads, writes Work, counted bool) {
	bytes := j.bytesOfClone()
	if bytes.unknown || j.engine.isMetadata() || slices.Contains(j.directions, toTrim) { // no limit is known of trims
		return Work{}, Work{}, false
	}
	all := Work{Bytes: float64(bytes.bytes)}
	if j.smallestBlock > 0 {
		all.IOs = all.Bytes / float64(j.smallestBlock)
	}
	all = all.times(float64(j.clones) * float64(max(j.loops, 1)))
	switch {
	case j.isMixed():
		share := float64(j.readPercent) / 100
		return all.times(share), all.times(1 - share), true
	case j.reads:
		return all, Work{}, true
	default:
		return Work{}, all, true
	}
}

// maxPaced bounds for how long a job goes on at its own pace: 290,000 years in seconds, of which an int64 holds the
// microseconds.
const maxPaced = math.MaxInt64 / 1_000_000

// pacedSeconds returns how long a job with all its clones takes for its work at the pace that it holds itself to, 0 if
// it does not.
func (j *job) pacedSeconds(reads, writes Work) float64 {
	longest, clones := 0.0, float64(j.clones)
	for direction, work := range []Work{reads, writes} {
		if rate := j.rate[direction]; rate > 0 {
			longest = max(longest, work.Bytes/float64(rate)/clones)
		}
		if rate := j.rateIOPS[direction]; rate > 0 {
			longest = max(longest, work.IOs/float64(rate)/clones)
		}
	}
	const microsecond = 1e-6
	thinks := (reads.IOs + writes.IOs) / clones / float64(j.thinktimeBlocks)
	return min(max(longest, thinks*float64(j.thinktime)*microsecond), maxPaced)
}

// bytesOfClone returns how much one clone of the job reads and writes in one loop.
func (j *job) bytesOfClone() amount {
	bytes := j.ioSize
	if bytes == (amount{}) {
		bytes = j.size
	}
	if j.on("fill_device") || j.has("number_ios") || j.has("zonemode") || bytes == (amount{}) {
		bytes.unknown = true
	}
	return bytes
}
