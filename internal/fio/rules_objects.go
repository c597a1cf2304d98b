package fio

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/internal/humanize"
)

// objectRules are what cannot work beside what the guard's other checks refuse. All were measured, with fio 3.33 on
// Mountpoint's engine 0.11.0 and versitygw 1.8.0 (November 2026), but for those that say otherwise. Not here is what
// looks as if it could not work and does: verify without backlog, sync_file_range, unlink_each_loop, and files whose
// last blocks are not whole.
var objectRules = []rule{
	// Files are written once. A write to a file that is complete fails with EBADF, behind fsync with EIO.
	{"time_based", writers, nil,
		"when the file is full, fio would begin it anew, and on Mountpoint a file is written once: set it to 0, " +
			"and bound the job by size; runtime may end it before"},
	{"loops", writers, func(j *job) bool { return j.loops > 1 && !j.on("unlink_each_loop") },
		"fio would write the same file again, and on Mountpoint a file is written once: set unlink_each_loop=1 " +
			"for a new file each time, or spec.repetitions"},
	{"overwrite", writers, nil, "on Mountpoint a file is written once, as it is made: remove it"},
	{"create_on_open", writers, off("create_on_open"),
		"a file that fio makes before it opens it takes no more writes on Mountpoint: remove it; create_on_open=1 " +
			"is set"},
	{"allow_file_create", writers, off("allow_file_create"),
		"on Mountpoint fio can write only to files that it makes: remove it"},
	{"pre_read", writers, nil,
		"fio would read the file before it is written, and on Mountpoint it could not be written then: remove it"},
	{"fsync", writers, positive("fsync"), endsUpload},
	{"fdatasync", writers, positive("fdatasync"), endsUpload},
	{"sync", nil, func(j *job) bool { return !slices.Contains([]string{"none", "0"}, j.text("sync", "")) },
		"Mountpoint opens no file with O_SYNC or O_DSYNC: remove it; for writes, end_fsync=1 is set, which waits " +
			"for the end of the upload"},
	{"file_service_type", writers, picksAgain,
		"fio would go back to files that are complete, and on Mountpoint a file is written once: write random, " +
			"roundrobin or sequential"},

	// Files are written in order. A write behind a gap fails with EINVAL.
	{"offset", writers, positive("offset"), "Mountpoint writes a file from its first byte: remove it"},
	{"offset_increment", writers, positive("offset_increment"),
		"Mountpoint writes a file from its first byte: remove it; each clone has a file of its own"},
	{"zonemode", writers, func(j *job) bool { return j.text("zonemode", "none") != "none" }, leavesOrder},
	{"zoneskip", writers, positive("zoneskip"), leavesOrder},
	{"ioengine", writers, mapsFiles,
		"writes to a mapped file come in no order, and Mountpoint writes a file from its first byte to its last: " +
			"write psync, libaio or io_uring"},
	{"io_submit_mode", writers, func(j *job) bool { return j.text("io_submit_mode", "") == "offload" && j.iodepth > 1 },
		overtakes},
	{"force_async", writers, func(j *job) bool { return positive("force_async")(j) && j.iodepth > 1 }, overtakes},

	// No file is read while it is written, and what is read is there already.
	{"verify_backlog", writers, positive("verify_backlog"),
		"fio would read a file that is being written, which Mountpoint cannot: remove it; verify reads the file " +
			"when it is complete"},
	{"verify_only", writers, nil, "fio would read what nobody has written: remove it, or measure rw=read"},
	{"verify", readers, nil, "what is laid out has no checksums: remove it; Mountpoint itself checks those of S3"},
	{"unlink", readers, nil, othersRead},
	{"unlink_each_loop", readers, nil, othersRead},

	// Objects have neither blocks to reserve nor an end to add to. fill_device is by reasoning.
	{"fallocate", writers, func(j *job) bool { return !slices.Contains([]string{"none", "0"}, j.text("fallocate", "")) },
		"objects have no blocks to reserve: write none, or remove it"},
	{"file_append", nil, nil, "Mountpoint adds nothing to a file: remove it; a write makes new files"},
	{"fill_device", nil, nil, "an object store is never full: remove it, and set size"},

	// The kernel cannot do this with FUSE: EOPNOTSUPP, or ENODEV for a mapping.
	{"direct", readers, mapsUncached,
		"Mountpoint is built on FUSE, which cannot map files opened with O_DIRECT: write direct=0, or another " +
			"ioengine"},
	{"buffered", readers, mapsUncached,
		"Mountpoint is built on FUSE, which cannot map files opened with O_DIRECT: write buffered=1, or another " +
			"ioengine"},
	{"nowait", nil, nil, "Mountpoint is built on FUSE, which cannot do I/O without waiting: remove it"},
	{"uncached", readers, nil, "Mountpoint is built on FUSE, which has no uncached I/O: remove it, or set direct=1"},
	{"hipri", nil, func(j *job) bool { return j.on("hipri") && j.engine == "io_uring" },
		"Mountpoint is built on FUSE, which cannot be polled: remove it"},
}

const (
	endsUpload = "on Mountpoint it ends the file, which takes no write after it: remove it; end_fsync=1 is set, " +
		"which waits for the end of the upload"
	leavesOrder = "fio would leave out parts of the file, and Mountpoint writes a file from its first byte to its " +
		"last: remove it"
	overtakes = "writes would overtake each other, and Mountpoint writes a file from its first byte to its last: " +
		"remove it, or write iodepth=1"
	othersRead = "other runs read the same files: remove it; they are deleted with the benchmark's other files at its end"
)

func readers(j *job) bool { return j.reads }
func writers(j *job) bool { return !j.reads }

// mapsFiles reports whether a job reads and writes by mapping its files.
func mapsFiles(j *job) bool { return j.engine == "mmap" }

// mapsUncached reports whether a job maps files that it opens with O_DIRECT.
func mapsUncached(j *job) bool { return mapsFiles(j) && !j.cached }

// objectProblems refuse what a job file cannot do on a mount of Mountpoint for Amazon S3.
func objectProblems(f *JobFile) (problems []problem) {
	for _, j := range f.jobs() {
		switch {
		case j.engine.ofDirectories():
			problems = append(problems, j.problem("ioengine", "Mountpoint makes directories in its own memory and not in the "+
				"bucket, and deletes none that has objects: measure filecreate, filestat or filedelete"))
		case !j.engine.isMetadata():
			problems = append(problems, dataProblems(j)...)
		}
	}
	problems = append(problems, sharedObjectProblems(f.jobs())...)
	if len(problems) == 0 { // else there may be names that cannot be
		problems = objectNameProblems(f)
	}
	return problems
}

// dataProblems refuse what a job that moves data cannot do there.
func dataProblems(j *job) (problems []problem) {
	if why := whyNotOnObjects(j); why != "" {
		problems = append(problems, problem{job: j, option: "rw", why: why})
	}
	problems = append(problems, broken(objectRules, j)...)
	if j.reads {
		return problems
	}
	problems = append(problems, extentProblems(j)...)
	return append(problems, writerProblems(j)...)
}

// objectNameProblems refuse lists of names that no container could be given: on an object store each name gets a
// prefix, which may be many times as long as the name.
func objectNameProblems(f *JobFile) (problems []problem) {
	check := func(what string, bytes, most int) {
		if bytes > most {
			problems = append(problems, fileProblem("on an object store each name in filename gets a prefix, so that "+
				"%s takes %d bytes, and a container can be given %d: use fewer names, or nrfiles instead of filename",
				what, bytes, most))
		}
	}
	check("the job file", len(f.OnObjectStore().WithObjectNames("").WithNamePrefix(longestPrefix).String()), maxJobBytes)
	if layout, _ := layoutOfObjects(f); layout != nil {
		check("the one that lays out what is read", len(layout.WithNamePrefix(longestPrefix).String()), maxLayoutBytes)
	}
	return problems
}

// whyNotOnObjects says why Mountpoint does not know a kind of I/O, "" if it does.
func whyNotOnObjects(j *job) string {
	switch j.rw {
	case "read", "randread":
		return ""
	case "write":
		if j.skips {
			return "it leaves holes, and Mountpoint writes a file from its first byte to its last: write rw=write"
		}
		return ""
	case "randwrite":
		return "Mountpoint writes a file from its first byte to its last, in order: write rw=write, or measure randread"
	case "rw", "readwrite", "randrw":
		return "Mountpoint reads no file that is being written: measure reads and writes apart, " +
			"with rw=write and rw=read or randread"
	default:
		return "objects have no blocks to trim: measure rw=read, randread or write"
	}
}

// extentProblems refuse a job that writes more than its file holds: it would begin anew.
func extentProblems(j *job) []problem {
	holds := j.leastFileBytes()
	switch {
	case !j.ioSize.isSet(): // a percentage is of the files that there are
		return nil
	case len(j.names()) > 1 || j.files > 1:
		// fio goes round as long as more than a block is missing, which the ends of several files can sum up to.
		return []problem{j.problem("io_size", "with several files fio may begin them anew, and a file is written once: "+
			"remove it, and let size or filesize say how much")}
	case !holds.unknown && j.ioSize.bytes > holds.bytes:
		return []problem{j.problem("io_size", "the job would begin its file anew, and a file is written once: "+
			"write at most %d bytes, or raise size", holds.bytes)}
	}
	return nil
}

// leastFileBytes returns how much a job with one file writes into it, at least.
func (j *job) leastFileBytes() amount {
	least := j.fileSize
	switch {
	case least == (amount{}):
		return j.size
	case j.isRange:
		least.bytes = j.leastFile
	}
	if j.size.isSet() {
		least.bytes = min(least.bytes, j.size.bytes)
	}
	return amount{least.bytes, least.unknown || j.size.unknown}
}

// writerProblems refuse files of a job that its clones would write together, or that have the same name.
func writerProblems(j *job) []problem {
	names, format := j.names(), strings.ToLower(j.format())
	switch {
	case names != nil && j.clones > 1:
		return []problem{j.problem("filename", "%d clones would write the same file, which takes one writer: "+
			"remove it, and each has a file of its own", j.clones)}
	case names != nil && sets.New(names...).Len() < len(names):
		return []problem{j.problem("filename", "it names a file twice, which is written once: name others")}
	case names != nil:
	case j.clones > 1 && !strings.Contains(format, "$jobnum"):
		return []problem{j.problem("filename_format", "%d clones would write the same file, which takes one writer: "+
			"put $jobnum into it", j.clones)}
	case j.files > 1 && !strings.Contains(format, "$filenum"):
		return []problem{j.problem("filename_format", "%d files would have the same name, and a file is written once: "+
			"put $filenum into it", j.files)}
	}
	return nil
}

// sharedObjectProblems refuse a file that one section writes and another one uses too.
func sharedObjectProblems(jobs []*job) (problems []problem) {
	users := map[string]*job{}
	for _, j := range jobs {
		for _, set := range j.fileNames() {
			first, shared := users[set.name]
			if !shared {
				users[set.name] = j
				continue
			}
			if first != j && (!first.reads || !j.reads) {
				problems = append(problems, sharedProblem(j, first))
				break
			}
		}
	}
	return problems
}

func sharedProblem(j, first *job) problem {
	option, name := "filename_format", humanize.Excerpt(first.name)
	if j.has("filename") {
		option = "filename"
	}
	switch {
	case j.reads:
		return j.problem(option, "section [%s] writes the same file: on Mountpoint, reads and writes never share one. "+
			"Remove it; what is read is laid out before", name)
	case first.reads:
		return j.problem(option, "section [%s] reads the same file: on Mountpoint, reads and writes never share one. "+
			"Remove it; what is read is laid out before", name)
	default:
		return j.problem(option, "section [%s] writes the same file, which is written once: "+
			"remove it, and each section has files of its own", name)
	}
}
