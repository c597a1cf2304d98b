package fio

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/internal/humanize"
)

// metadataOptions are the options that jobs of metadata may have: what they do, on how many files, when, by which
// processes, and what fio reports; and options that do nothing to them, which people share among jobs in [global].
var metadataOptions = []string{
	"description", "rw", "ioengine", "stat_type", "size", "filesize", "bs", "nrfiles", "openfiles", "filename_format",
	"file_service_type",
	"create_serialize", "create_fsync", "create_on_open", "fallocate", "overwrite", "unlink",
	"runtime", "time_based", "ramp_time", "startdelay", "loops", "stonewall", waitFor, "new_group", "exitall",
	"exit_what", "exitall_on_error",
	"numjobs", "thread", "rate_iops", "thinktime", "thinktime_spin", "thinktime_blocks",
	"cpus_allowed", "cpus_allowed_policy", "cpumask", "numa_cpu_nodes", "numa_mem_policy", "nice", "prio", "prioclass",
	"priohint", "clocksource",
	"group_reporting", "kb_base", "unit_base", "clat_percentiles", "slat_percentiles", "unified_rw_reporting", "stats",
	"disk_util",
	"disable_slat", "disable_bw_measurement", "bwavgtime", "iopsavgtime", "significant_figures",
	"direct", "buffered", "invalidate", "iodepth", "randrepeat", "allrandrepeat", "randseed", "norandommap",
}

// metadataProblems refuse what jobs of metadata cannot have, or what fio would misunderstand of them.
func metadataProblems(j *job, block bool) []problem {
	if block {
		return []problem{j.problem("ioengine", "files and directories are in a file system, and the volume is a raw "+
			"block device: "+
			"set volumeMode Filesystem, or measure data")}
	}
	var problems []problem
	for _, name := range slices.Sorted(maps.Keys(j.options)) {
		if !slices.Contains(metadataOptions, name) {
			problems = append(problems, j.problem(name, "%s", whyNotMetadata(j, name)))
		}
	}
	if rw := j.text("rw", "read"); rw != "read" && rw != "write" {
		problems = append(problems, j.problem("rw",
			"ioengine %s reads and writes nothing, and fio only notes its figures under it: write read", j.engine))
	}
	problems = append(problems, broken(metadataRules, j)...)
	problems = append(problems, metadataFileProblems(j)...)
	if len(problems) == 0 && j.has("bs") && !j.isWholeBlock() {
		problems = append(problems, j.problem("bs",
			"fio does one thing to each file, which is one block: remove it; bs=%d is set", j.blockOfMetadata()))
	}
	return problems
}

// isWholeBlock reports whether blocks are such that each file is one.
func (j *job) isWholeBlock() bool {
	return !strings.Contains(j.text("bs", ""), ",") && j.smallestBlock == j.blockOfMetadata()
}

// whyNotMetadata says why jobs of metadata do not have an option.
func whyNotMetadata(j *job, name string) string {
	switch name {
	case "gtod_reduce", "disable_lat", "disable_clat", "lat_percentiles":
		return "operations on files are counted by their latencies: remove it"
	case "filename":
		return "each operation has a file of its own: remove it, and set nrfiles"
	default:
		return "ioengine " + string(j.engine) +
			" moves no data, and has no use for it: remove it, or put it into the sections that move data"
	}
}

// metadataRules are held to what fio 3.39 does.
var metadataRules = []rule{
	{"time_based", onlyOnce, nil,
		"each file is created or deleted once, and fio would begin anew with files that are there, or gone: " +
			"remove it, and raise nrfiles"},
	{"loops", onlyOnce, func(j *job) bool { return j.loops > 1 },
		"each file is created or deleted once: remove it, and raise nrfiles, or set spec.repetitions"},
	{"ramp_time", onlyOnce, positive("ramp_time"),
		"each file is created or deleted once, and those of the ramp would not be counted: remove it"},
	{"file_service_type", onlyOnce, picksAgain,
		"each file is created or deleted once, and fio would go back to files that it is done with: " +
			"write random, roundrobin or sequential"},
	{"unlink", creates, off("unlink"),
		"the next run would find the files there, and create none: remove it; unlink=1 is set"},
	{"unlink", removes, nil, "the files are deleted already: remove it"},
	{"create_on_open", creates, off("create_on_open"),
		"files are created while fio measures: remove it; create_on_open=1 is set"},
	{"create_on_open", (*job).needsFiles, nil, "the files have to be there before fio measures: remove it"},
	{"filesize", nil, func(j *job) bool { return j.isRange },
		"an operation does not depend on how large its file is: write one size"},
}

func onlyOnce(j *job) bool { return j.engine.onlyOnce() }
func creates(j *job) bool  { return j.engine.creates() }
func removes(j *job) bool  { return j.engine.removes() }

// metadataFileProblems refuse sizes with which fio leaves files out, or does more than one thing to each, and names
// that several files have.
func metadataFileProblems(j *job) (problems []problem) {
	format := strings.ToLower(j.format())
	isOfClones := j.clones > 1 && !strings.Contains(format, "$jobnum")
	if isOfClones || j.files > 1 && !strings.Contains(format, "$filenum") {
		problems = append(problems, j.problem("filename_format", "each operation has a file of its own, "+
			"and several would have the same name: put $jobnum and $filenum into it, or remove it"))
	}
	switch {
	case j.size.unknown:
		return append(problems, j.problem("size", "a percentage is of files that are there: write a number of bytes, or "+
			"filesize"))
	case j.fileSize.isSet() && j.size.isSet() && j.size.bytes/j.files < j.fileSize.bytes:
		return append(problems, j.problem("size", "%d files of %d bytes are more than it, and fio would leave some out: "+
			"remove it, or raise it to %s", j.files, j.fileSize.bytes, product(j.fileSize, j.files)))
	case j.size.isSet() && j.size.bytes < j.files:
		return append(problems, j.problem("size", "%d files share it, at least a byte each: raise it to %d, or write "+
			"filesize",
			j.files, j.files))
	}
	return problems
}

// product says in digits how much several files are together.
func product(each amount, files int64) string {
	all := each.times(files)
	if all.unknown {
		return "more"
	}
	return strconv.FormatInt(all.bytes, 10)
}

// mixedProblems refuse jobs of metadata whose figures fio would add up with others of their result.
func mixedProblems(together []*job) []problem {
	first := together[0]
	for _, j := range together[1:] {
		if j.engine != first.engine && (j.engine.isMetadata() || first.engine.isMetadata()) {
			return []problem{j.problem("ioengine", "section [%s] has ioengine %s, and fio would make one result of both: "+
				"put stonewall or new_group into this section, or remove group_reporting",
				humanize.Excerpt(first.name), first.engine)}
		}
	}
	return nil
}

// metadataSharedProblems refuse files that one section creates or deletes, and another one has too.
func metadataSharedProblems(jobs []*job) (problems []problem) {
	users := map[string]*job{}
	for _, j := range jobs {
		if !j.engine.onlyOnce() {
			continue // the names of others have other engines in them
		}
		for _, set := range j.fileNames() {
			if first, shared := users[set.name]; shared {
				problems = append(problems, j.problem("filename_format", "section [%s] has the same files, "+
					"and each is created or deleted once: put $jobname into it, or remove it", humanize.Excerpt(first.name)))
				break
			}
			users[set.name] = j
		}
	}
	return problems
}
