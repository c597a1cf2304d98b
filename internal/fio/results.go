package fio

import (
	"cmp"
	"math"
	"slices"

	"github.com/storagebench/storagebench/internal/direction"
)

const (
	// MeasuresSync is what Measures calls the latency of fsync, fdatasync and sync_file_range.
	MeasuresSync = "sync"
	// MeasuresMetadata is what Measures calls operations on files and directories.
	MeasuresMetadata = "metadata"
)

// Measures returns what fio reports of the file's jobs: direction.Read and the like, MeasuresSync and MeasuresMetadata.
func (f *JobFile) Measures() map[string]bool { return measures(f.jobs()) }

// MeasuresOf returns what each result of the file has, in the order of Groups.
func (f *JobFile) MeasuresOf() []map[string]bool { return eachResult(f, measures) }

func measures(jobs []*job) map[string]bool {
	measured := map[string]bool{}
	for _, j := range jobs {
		if j.engine.isMetadata() {
			measured[MeasuresMetadata] = true
			continue
		}
		for _, index := range j.directions {
			measured[direction.All()[index]] = true
		}
		if j.syncs {
			measured[MeasuresSync] = true
		}
	}
	return measured
}

// SteadyStates reports of each result whether its jobs have fio's own steadystate, in the order of Groups.
func (f *JobFile) SteadyStates() []bool {
	has := func(j *job) bool { return j.has("steadystate") || j.has("steadystate_duration") }
	return eachResult(f, func(jobs []*job) bool { return slices.ContainsFunc(jobs, has) })
}

// Begin is when the jobs that make a result begin to measure.
type Begin struct {
	// Stage counts what runs one after the other, from 0: jobs of one stage begin together.
	Stage int
	// AfterMicroseconds is how long after that the first of the jobs measures: its start delay, of a range the least, and
	// its ramp time.
	AfterMicroseconds int64
}

// Begins returns when the jobs of the results begin, in the order of Groups. Jobs that wait for one by its name
// (wait_for) are a stage after all that began with that one: whether others of those still run is not known from the
// file.
func (f *JobFile) Begins() []Begin {
	stages := map[*job]int{}
	for i, together := range f.resolve().stages {
		for _, j := range together {
			stages[j] = i
		}
	}
	return eachResult(f, func(jobs []*job) Begin {
		var each []Begin
		for _, j := range jobs {
			each = append(each, Begin{Stage: stages[j], AfterMicroseconds: capped(add(j.firstStart, j.ramp))})
		}
		return slices.MinFunc(each, func(a, b Begin) int {
			return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.AfterMicroseconds, b.AfterMicroseconds))
		})
	})
}

// WholeDevice is the end of a device whose size is not known.
const WholeDevice = math.MaxInt64

// DeviceUse is what the jobs that make a result do with the blocks of a raw device.
type DeviceUse struct {
	// ReadsTo is the end of what they read, counted from the begin of the device: WholeDevice if that is not known, 0 if
	// they read nothing.
	ReadsTo int64
	// FillsTo is how much of the device they write without a gap, counted from its begin: WholeDevice for all, 0 if it is
	// not known that they do.
	FillsTo int64
	// FillBytes is what they have written when they have come to their end. 0 if nothing ends them before.
	FillBytes int64
}

// DeviceUses returns what is done with a raw device, in the order of Groups. Jobs that are cut off before write less
// than FillsTo.
func (f *JobFile) DeviceUses() []DeviceUse { return eachResult(f, newDeviceUse) }

func newDeviceUse(jobs []*job) DeviceUse {
	var use DeviceUse
	var written amount
	for _, j := range jobs {
		end := j.deviceEnd()
		if j.reads {
			use.ReadsTo = max(use.ReadsTo, capped(end.bytes, !end.unknown))
			continue
		}
		if !end.unknown && j.writesEachBlock() {
			use.FillsTo = max(use.FillsTo, end.bytes)
		}
		if j.has("runtime") { // which can end it before
			written = written.plus(amount{j.size.bytes, !j.size.isSet()}.times(j.clones))
		}
	}
	if written.unknown {
		use.FillsTo = 0
		return use
	}
	use.FillBytes = written.bytes
	return use
}

// deviceEnd is the end of the part of a raw device that a job and its clones go through.
func (j *job) deviceEnd() amount {
	if slices.Contains([]string{"0", "100%"}, j.text("size", "0")) {
		return amount{bytes: WholeDevice}
	}
	return j.size.plus(j.lastOffset())
}

// scattered are options by which a job does not go through all of its part, or not once.
var scattered = []string{
	"offset", "filesize", "io_size", "number_ios", "norandommap", "random_distribution", "percentage_random", "zonemode",
	"offset_align",
}

// writesEachBlock reports whether the job has written each block of its part when it comes to its end.
func (j *job) writesEachBlock() bool {
	writes := j.rw == "write" || j.rw == "randwrite"
	if j.skips || j.timeBased || slices.ContainsFunc(scattered, j.has) || !writes {
		return false
	}
	isOne := !j.has("offset_increment") || j.clones == 1
	return isOne || !j.increment.unknown && !j.size.unknown && j.increment.bytes <= j.size.bytes
}
