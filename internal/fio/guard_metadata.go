package fio

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/internal/humanize"
)

// metadataOptions are the options that jobs of metadata may have: what they do, on how many files, when, by which processes, and what fio
// reports; and options that do nothing to them, which people share among jobs in [global].
var metadataOptions = []string{
	"description", "rw", "ioengine", "stat_type", "size", "filesize", "bs", "nrfiles", "openfiles", "filename_format", "file_service_type",
	"create_serialize", "create_fsync", "create_on_open", "fallocate", "overwrite", "unlink",
	"runtime", "time_based", "ramp_time", "startdelay", "loops", "stonewall", waitFor, "new_group", "exitall", "exit_what", "exitall_on_error",
	"numjobs", "thread", "rate_iops", "thinktime", "thinktime_spin", "thinktime_blocks",
	"cpus_allowed", "cpus_allowed_policy", "cpumask", "numa_cpu_nodes", "numa_mem_policy", "nice", "prio", "prioclass", "priohint", "clocksource",
	"group_reporting", "kb_base", "unit_base", "clat_percentiles", "slat_percentiles", "unified_rw_reporting", "stats", "disk_util",
	"disable_slat", "disable_bw_measurement", "bwavgtime", "iopsavgtime", "significant_figures",
	"direct", "buffered", "invalidate", "iodepth", "randrepeat", "allrandrepeat", "randseed", "norandommap",
}

// checkMetadata refuses what jobs of metadata cannot have, or what fio would misunderstand of them.
func (g *guard) checkMetadata(j job) {
	if g.block {
		g.refuseIn(j, "ioengine", "files and directories are in a file system, and the volume is a raw block device: set volumeMode Filesystem, or measure data")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(j.options)) {
		if !slices.Contains(metadataOptions, name) {
			g.refuseIn(j, name, "%s", whyNotMetadata(j, name))
		}
	}
	if !slices.Contains([]string{"read", "write"}, j.text("rw", "read")) {
		g.refuseIn(j, "rw", "ioengine %s reads and writes nothing, and fio only notes its figures under it: write read", j.engine())
	}
	for _, rule := range metadataRules {
		if rule.jobs(j) && j.has(rule.option) && rule.refuses(j) {
			g.refuseIn(j, rule.option, "%s", rule.why)
		}
	}
	g.checkMetadataFiles(j)
}

// whyNotMetadata says why jobs of metadata do not have an option.
func whyNotMetadata(j job, name string) string {
	switch name {
	case "gtod_reduce", "disable_lat", "disable_clat", "lat_percentiles":
		return "operations on files are counted by their latencies: remove it"
	case "filename":
		return "each operation has a file of its own: remove it, and set nrfiles"
	default:
		return "ioengine " + j.engine() + " moves no data, and has no use for it: remove it, or put it into the sections that move data"
	}
}

// metadataRule refuses an option of jobs of metadata.
type metadataRule struct {
	option  string
	jobs    func(job) bool
	refuses func(job) bool
	why     string
}

// metadataRules are held to what fio 3.39 does.
var metadataRules = []metadataRule{
	{"time_based", onlyOnce, isOn("time_based"), "each file is created or deleted once, and fio would begin anew with files that are there, or gone: remove it, and raise nrfiles"},
	{"loops", onlyOnce, func(j job) bool { return j.number("loops", 1) > 1 }, "each file is created or deleted once: remove it, and raise nrfiles, or set spec.repetitions"},
	{"ramp_time", onlyOnce, positiveTime("ramp_time"), "each file is created or deleted once, and those of the ramp would not be counted: remove it"},
	{"file_service_type", onlyOnce, picksAgain, "each file is created or deleted once, and fio would go back to files that it is done with: write random, roundrobin or sequential"},
	{"unlink", job.creates, off("unlink"), "the next run would find the files there, and create none: remove it; unlink=1 is set"},
	{"unlink", job.removes, isOn("unlink"), "the files are deleted already: remove it"},
	{"create_on_open", job.creates, off("create_on_open"), "files are created while fio measures: remove it; create_on_open=1 is set"},
	{"create_on_open", job.needsFiles, isOn("create_on_open"), "the files have to be there before fio measures: remove it"},
	{"filesize", job.isMetadata, func(j job) bool { return strings.Contains(j.text("filesize", ""), "-") }, "an operation does not depend on how large its file is: write one size"},
}

// endsWithFiles reports whether an engine does one thing to each file, after which it can do no more.
func endsWithFiles(engine string) bool {
	j := job{options: map[string]*Option{"ioengine": {Name: "ioengine", Value: engine, HasValue: true}}}
	return onlyOnce(j)
}

func onlyOnce(j job) bool { return j.creates() || j.removes() }

// isOn returns whether a job switches an option on.
func isOn(name string) func(job) bool { return func(j job) bool { return j.on(name) } }

// positiveTime returns whether a job gives an option a time that is more than 0.
func positiveTime(name string) func(job) bool {
	return func(j job) bool {
		us, ok := parseMicroseconds(j.text(name, "0"))
		return !ok || us > 0
	}
}

// checkMetadataFiles refuses sizes with which fio leaves files out, or does more than one thing to each, and names that several files have.
func (g *guard) checkMetadataFiles(j job) {
	format := strings.ToLower(j.text("filename_format", defaultFormat))
	if (j.clones() > 1 && !strings.Contains(format, "$jobnum")) || (j.files() > 1 && !strings.Contains(format, "$filenum")) {
		g.refuseIn(j, "filename_format", "each operation has a file of its own, and several would have the same name: put $jobnum and $filenum into it, or remove it")
	}
	size, known := j.size("size")
	switch each, isSet := j.size("filesize"); {
	case !known:
		g.refuseIn(j, "size", "a percentage is of files that are there: write a number of bytes, or filesize")
	case isSet && each > 0 && size > 0 && size/j.files() < each:
		g.refuseIn(j, "size", "%d files of %d bytes are more than it, and fio would leave some out: remove it, or raise it to %s", j.files(), each, product(each, j.files()))
	case size > 0 && size < j.files():
		g.refuseIn(j, "size", "%d files share it, at least a byte each: raise it to %d, or write filesize", j.files(), j.files())
	}
	if !j.has("bs") || len(g.errs) > 0 {
		return
	}
	if bytes, ok := parseBytes(j.text("bs", ""), j.kiloBase()); !ok || bytes != j.blockOfMetadata() || strings.Contains(j.text("bs", ""), ",") {
		g.refuseIn(j, "bs", "fio does one thing to each file, which is one block: remove it; bs=%d is set", j.blockOfMetadata())
	}
}

// product says in digits how much several files are together.
func product(bytes, files int64) string {
	all, ok := multiply(bytes, files)
	if !ok {
		return "more"
	}
	return strconv.FormatInt(all, 10)
}

// checkMetadataGroups refuses jobs of metadata whose figures fio would add up with others.
func (g *guard) checkMetadataGroups(f *JobFile) {
	for _, together := range f.resolve().reported {
		first := together[0]
		for _, j := range together[1:] {
			if j.engine() != first.engine() && (j.isMetadata() || first.isMetadata()) {
				g.refuseIn(j, "ioengine", "section [%s] has ioengine %s, and fio would make one result of both: put stonewall or new_group into this section, or remove group_reporting",
					humanize.Excerpt(first.name), first.engine())
				break
			}
		}
	}
}

// checkMetadataShared refuses files that one section creates or deletes, and another one has too.
func (g *guard) checkMetadataShared(f *JobFile) {
	users := map[string]job{}
	for _, j := range f.jobs() {
		if !onlyOnce(j) {
			continue // the names of others have other engines in them
		}
		for _, set := range j.fileNames() {
			if first, shared := users[set.name]; shared {
				g.refuseIn(j, "filename_format", "section [%s] has the same files, and each is created or deleted once: put $jobname into it, or remove it", humanize.Excerpt(first.name))
				break
			}
			users[set.name] = j
		}
	}
}

// checkObjectMetadata refuses operations that Mountpoint for Amazon S3 does without the bucket.
func (g *guard) checkObjectMetadata(j job) {
	if j.ofDirectories() {
		g.refuseIn(j, "ioengine", "Mountpoint makes directories in its own memory and not in the bucket, and deletes none that has objects: measure filecreate, filestat or filedelete")
	}
}
