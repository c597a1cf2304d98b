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
	for _, together := range f.stages() {
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
	if bounded && j.on("time_based") {
		s.TimedSeconds = max(s.TimedSeconds, float64(us)/second)
		return
	}
	if bounded {
		s.MostSeconds = max(s.MostSeconds, float64(us)/second)
	} else {
		s.MostSeconds = math.Inf(1)
	}
	reads, writes, counted := j.work()
	s.Counted = s.Counted && counted
	s.Reads, s.Writes = s.Reads.plus(reads), s.Writes.plus(writes)
}

func (w Work) plus(o Work) Work { return Work{w.Bytes + o.Bytes, w.IOs + o.IOs} }

// times returns the work done n times, which may be a part of once.
func (w Work) times(n float64) Work { return Work{w.Bytes * n, w.IOs * n} }

// work returns what a job and its clones do until they end by themselves; false if that cannot be known.
func (j job) work() (reads, writes Work, counted bool) {
	bytes, ok := j.bytesOfClone()
	if !ok {
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
