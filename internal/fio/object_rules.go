package fio

import (
	"slices"
	"strings"
)

// checkObjectOptions refuses options that Mountpoint, or the FUSE that it is built on, cannot serve.
func (g *guard) checkObjectOptions(j job) {
	for _, rule := range objectRules {
		if rule.applies(j) {
			g.refuseIn(j, rule.option, "%s", rule.why)
		}
	}
}

// objectRule refuses an option of jobs on Mountpoint.
type objectRule struct {
	option string
	// jobs are those that the rule is for.
	jobs kindOfJob
	// refuses says of a job with the option whether its value cannot work; nil if every value that switches the
	// option on cannot.
	refuses func(j job) bool
	// why says why it cannot work, and what to do instead.
	why string
}

type kindOfJob int

const (
	allJobs kindOfJob = iota
	readers
	writers
)

func (r objectRule) applies(j job) bool {
	switch {
	case !j.has(r.option), r.jobs == readers && !j.reads(), r.jobs == writers && j.reads():
		return false
	case r.refuses == nil:
		return j.on(r.option)
	default:
		return r.refuses(j)
	}
}

// objectRules are what cannot work beside what the guard's other checks refuse. All were measured, with fio 3.33 on
// Mountpoint's engine 0.11.0 and versitygw 1.8.0 (November 2026), but for those that say otherwise. Not here is what
// looks as if it could not work and does: verify without backlog, sync_file_range, unlink_each_loop, and files whose
// last blocks are not whole.
var objectRules = []objectRule{
	// Files are written once. A write to a file that is complete fails with EBADF, behind fsync with EIO.
	{"time_based", writers, nil, "when the file is full, fio would begin it anew, and on Mountpoint a file is written once: set it to 0, and bound the job by size; runtime may end it before"},
	{"loops", writers, func(j job) bool { return j.number("loops", 1) > 1 && !j.on("unlink_each_loop") }, "fio would write the same file again, and on Mountpoint a file is written once: set unlink_each_loop=1 for a new file each time, or spec.repetitions"},
	{"overwrite", writers, nil, "on Mountpoint a file is written once, as it is made: remove it"},
	{"create_on_open", writers, off("create_on_open"), "a file that fio makes before it opens it takes no more writes on Mountpoint: remove it; create_on_open=1 is set"},
	{"allow_file_create", writers, off("allow_file_create"), "on Mountpoint fio can write only to files that it makes: remove it"},
	{"pre_read", writers, nil, "fio would read the file before it is written, and on Mountpoint it could not be written then: remove it"},
	{"fsync", writers, positive("fsync"), endsUpload},
	{"fdatasync", writers, positive("fdatasync"), endsUpload},
	{"sync", allJobs, func(j job) bool { return !slices.Contains([]string{"none", "0"}, j.text("sync", "")) }, "Mountpoint opens no file with O_SYNC or O_DSYNC: remove it; for writes, end_fsync=1 is set, which waits for the end of the upload"},
	{"file_service_type", writers, picksAgain, "fio would go back to files that are complete, and on Mountpoint a file is written once: write random, roundrobin or sequential"},

	// Files are written in order. A write behind a gap fails with EINVAL.
	{"offset", writers, positive("offset"), "Mountpoint writes a file from its first byte: remove it"},
	{"offset_increment", writers, positive("offset_increment"), "Mountpoint writes a file from its first byte: remove it; each clone has a file of its own"},
	{"zonemode", writers, func(j job) bool { return j.text("zonemode", "none") != "none" }, leavesOrder},
	{"zoneskip", writers, positive("zoneskip"), leavesOrder},
	{"ioengine", writers, mapsFiles, "writes to a mapped file come in no order, and Mountpoint writes a file from its first byte to its last: write psync, libaio or io_uring"},
	{"io_submit_mode", writers, func(j job) bool { return j.text("io_submit_mode", "") == "offload" && j.number("iodepth", 1) > 1 }, overtakes},
	{"force_async", writers, func(j job) bool { return positive("force_async")(j) && j.number("iodepth", 1) > 1 }, overtakes},

	// No file is read while it is written, and what is read is there already.
	{"verify_backlog", writers, positive("verify_backlog"), "fio would read a file that is being written, which Mountpoint cannot: remove it; verify reads the file when it is complete"},
	{"verify_only", writers, nil, "fio would read what nobody has written: remove it, or measure rw=read"},
	{"verify", readers, nil, "what is laid out has no checksums: remove it; Mountpoint itself checks those of S3"},
	{"unlink", readers, nil, othersRead},
	{"unlink_each_loop", readers, nil, othersRead},

	// Objects have neither blocks to reserve nor an end to add to. fill_device is by reasoning.
	{"fallocate", writers, func(j job) bool { return !slices.Contains([]string{"none", "0"}, j.text("fallocate", "")) }, "objects have no blocks to reserve: write none, or remove it"},
	{"file_append", allJobs, nil, "Mountpoint adds nothing to a file: remove it; a write makes new files"},
	{"fill_device", allJobs, nil, "an object store is never full: remove it, and set size"},

	// What the kernel cannot do with FUSE: EOPNOTSUPP, or ENODEV for a mapping.
	{"direct", readers, mapsUncached, "Mountpoint is built on FUSE, which cannot map files opened with O_DIRECT: write direct=0, or another ioengine"},
	{"buffered", readers, mapsUncached, "Mountpoint is built on FUSE, which cannot map files opened with O_DIRECT: write buffered=1, or another ioengine"},
	{"nowait", allJobs, nil, "Mountpoint is built on FUSE, which cannot do I/O without waiting: remove it"},
	{"uncached", readers, nil, "Mountpoint is built on FUSE, which has no uncached I/O: remove it, or set direct=1"},
	{"hipri", allJobs, func(j job) bool { return j.on("hipri") && j.text("ioengine", "") == "io_uring" }, "Mountpoint is built on FUSE, which cannot be polled: remove it"},
}

const (
	endsUpload  = "on Mountpoint it ends the file, which takes no write after it: remove it; end_fsync=1 is set, which waits for the end of the upload"
	leavesOrder = "fio would leave out parts of the file, and Mountpoint writes a file from its first byte to its last: remove it"
	overtakes   = "writes would overtake each other, and Mountpoint writes a file from its first byte to its last: remove it, or write iodepth=1"
	othersRead  = "other runs read the same files: remove it; they are deleted with the benchmark's other files at its end"
)

// off returns whether a job has an option and switches it off.
func off(name string) func(job) bool {
	return func(j job) bool { return j.has(name) && !j.on(name) }
}

// positive returns whether a job gives an option a number or size that is more than 0.
func positive(name string) func(job) bool {
	return func(j job) bool {
		n, ok := j.size(name)
		return !ok || n > 0
	}
}

// picksAgain says whether a job chooses its files in a way that fio does not keep from those that are complete.
func picksAgain(j job) bool {
	kind, _, _ := strings.Cut(j.text("file_service_type", ""), ":")
	return !slices.Contains([]string{"random", "roundrobin", "sequential"}, kind)
}

// mapsFiles says whether a job reads and writes by mapping its files.
func mapsFiles(j job) bool { return j.text("ioengine", "") == "mmap" }

// mapsUncached says whether a job maps files that it opens with O_DIRECT.
func mapsUncached(j job) bool { return mapsFiles(j) && !j.cached() }
