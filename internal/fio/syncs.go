package fio

import (
	"slices"
	"strings"
)

// writes says whether the job writes.
func (j job) writes() bool {
	const writes = 1
	return slices.Contains(j.directions(), writes)
}

// Overwrites says whether a job of the file writes or trims. On a device that is what was there before.
func (f *JobFile) Overwrites() bool { return slices.ContainsFunc(f.jobs(), job.overwrites) }

// overwrites says whether the job does anything but read.
func (j job) overwrites() bool { return !slices.Contains([]string{"read", "randread"}, j.direction()) }

// syncs says whether the job calls fsync, fdatasync or sync_file_range between its writes, so that fio reports how long that takes.
// Of calls at the end of a job or when a file is closed it reports nothing.
func (j job) syncs() bool {
	if !j.writes() {
		return false
	}
	_, writes, _ := strings.Cut(j.text("sync_file_range", ""), ":")
	return j.number("fsync", 0) > 0 || j.number("fdatasync", 0) > 0 || strings.Trim(writes, "0") != ""
}

// syncsEach says whether each write of the job reaches the storage before the next one.
func (j job) syncsEach() bool {
	return j.number("fsync", 0) == 1 || j.number("fdatasync", 0) == 1 || !slices.Contains([]string{"none", "0"}, j.text("sync", "none"))
}

// synced says whether something has what the job writes reach the storage within the time that is measured: calls between the
// writes, at the end of the job or when a file is closed, or files that are opened with O_SYNC or O_DSYNC.
func (j job) synced() bool {
	return j.syncs() || j.syncsEach() || j.syncedAtEnd()
}

// syncedAtEnd says whether only a sync when all is written, or when a file is closed, has the writes reach the storage. fio counts its time in
// that of the job, and so in IOPS and bandwidth, but in no latency: TestFioSyncsAtTheEnd.
func (j job) syncedAtEnd() bool {
	return (j.on("end_fsync") || j.on("fsync_on_close")) && !j.syncs() && !j.syncsEach()
}
