package fio

import (
	"math"
	"slices"
	"strings"
)

// WholeDevice is the end of a device whose size is not known.
const WholeDevice = math.MaxInt64

// Device returns the raw block volume that all jobs work on, as On has told them, "" if there is none.
func (f *JobFile) Device() string {
	for _, j := range f.jobs() {
		if !j.has("directory") {
			return strings.ReplaceAll(j.text("filename", ""), `\:`, ":")
		}
	}
	return ""
}

// DeviceUse is what the jobs that make a result do with the blocks of a raw device.
type DeviceUse struct {
	// ReadsTo is the end of what they read, counted from the begin of the device: WholeDevice if that is not known, 0 if they read nothing.
	ReadsTo int64
	// FillsTo is how much of the device they write without a gap, counted from its begin: WholeDevice for all, 0 if it is not known that they do.
	FillsTo int64
	// FillBytes is what they have written when they have come to their end. 0 if nothing ends them before.
	FillBytes int64
}

// DeviceUses returns what is done with a raw device, in the order of Groups. Nobody writes as much of it as FillsTo who is cut off before.
func (f *JobFile) DeviceUses() []DeviceUse {
	var uses []DeviceUse
	for _, jobs := range f.resolve().reported {
		uses = append(uses, newDeviceUse(jobs))
	}
	return uses
}

func newDeviceUse(jobs []job) DeviceUse {
	var use DeviceUse
	counted := true
	for _, j := range jobs {
		end, known := j.deviceEnd()
		if j.reads() {
			if !known {
				end = WholeDevice
			}
			use.ReadsTo = max(use.ReadsTo, end)
			continue
		}
		if known && j.writesEachBlock() {
			use.FillsTo = max(use.FillsTo, end)
		}
		var ok bool
		if use.FillBytes, ok = j.cutAt(use.FillBytes); !ok {
			counted = false
		}
	}
	if !counted {
		use.FillsTo, use.FillBytes = 0, 0
	}
	return use
}

// deviceEnd is the end of the part of a raw device that a job and its clones go through; false if it is not known.
func (j job) deviceEnd() (int64, bool) {
	if slices.Contains([]string{"0", "100%"}, j.text("size", "0")) {
		return WholeDevice, true
	}
	size, ok := j.size("size")
	if !ok {
		return 0, false
	}
	offset, ok := j.lastOffset()
	if !ok {
		return 0, false
	}
	return add(size, offset)
}

// scattered are options by which a job does not go through all of its part, or not once.
var scattered = []string{
	"offset", "filesize", "io_size", "number_ios", "norandommap", "random_distribution", "percentage_random", "zonemode",
	"offset_align",
}

// writesEachBlock says whether the job has written each block of its part when it comes to its end.
func (j job) writesEachBlock() bool {
	if j.skips() || j.on("time_based") || slices.ContainsFunc(scattered, j.has) || !slices.Contains([]string{"write", "randwrite"}, j.direction()) {
		return false
	}
	if !j.has("offset_increment") || j.clones() == 1 {
		return true
	}
	step, known := j.size("offset_increment")
	size, sized := j.size("size")
	return known && sized && step <= size
}

// cutAt adds what a job writes to what others do, if its runtime can end it before that; false if that is not known.
func (j job) cutAt(others int64) (int64, bool) {
	if !j.has("runtime") {
		return others, true
	}
	size, ok := j.size("size")
	if !ok || size == 0 {
		return 0, false
	}
	all, ok := multiply(size, j.clones())
	if !ok {
		return 0, false
	}
	return add(others, all)
}
