package fio

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// MaxGroups bounds the groups of results of a job file: what one run's report has room for.
	MaxGroups = 16
	// maxFigures bounds what is reported apart in all of these: reads, writes, trims and syncs of each. A report has room
	// for two of them in each of as many groups as can be.
	maxFigures = 2 * MaxGroups
)

// jobProblems refuse what the options of a file's jobs mean together.
func jobProblems(f *JobFile, block, readOnly bool) (problems []problem) {
	processes, above := int64(0), map[string]bool{}
	for _, j := range f.jobs() {
		problems = append(problems, waitingProblems(j, above)...)
		above[j.name] = true
		if j.engine.isMetadata() {
			problems = append(problems, metadataProblems(j, block)...)
		} else {
			problems = append(problems, kindProblems(j, block, readOnly)...)
		}
		problems = append(problems, engineProblems(j)...)
		problems = append(problems, conflictProblems(j)...)
		problems = append(problems, unitProblems(j)...)
		if !block {
			problems = append(problems, fileProblems(j)...)
		}
		processes += j.clones
	}
	problems = append(problems, metadataSharedProblems(f.jobs())...)
	if processes > maxProcesses {
		problems = append(problems, fileProblem("%d clones of all sections together: lower numjobs to at most %d in all",
			processes, maxProcesses))
	}
	return problems
}

// resultProblems refuse what fio would not report as results.
func resultProblems(f *JobFile) (problems []problem) {
	r := f.resolve()
	for _, together := range r.groups {
		problems = append(problems, groupProblems(together)...)
	}
	figures := 0
	for _, together := range r.reported {
		problems = append(problems, mixedProblems(together)...)
		figures += len(measures(together))
	}
	switch groups := len(r.reported); {
	case groups > MaxGroups:
		problems = append(problems, fileProblem("%d groups of results: a job file may have %d; use group_reporting in "+
			"[global], "+
			"which joins those that run at the same time, or split it into several workloads", groups, MaxGroups))
	case figures > maxFigures:
		problems = append(problems, fileProblem("the groups of results have reads, writes, trims and syncs %d times "+
			"together, "+
			"and a report has room for %d; use group_reporting in [global], or split it into several workloads",
			figures, maxFigures))
	}
	return problems
}

// waitingProblems refuse a job that waits for one that fio does not know yet.
func waitingProblems(j *job, above map[string]bool) []problem {
	if !j.has(waitFor) || above[j.text(waitFor, "")] {
		return nil
	}
	return []problem{j.problem(waitFor, "there is no such section above, and fio waits for no other: "+
		"move that section up, or use stonewall to wait for all before")}
}

// kindProblems refuse kinds of I/O that a volume does not serve.
func kindProblems(j *job, block, readOnly bool) []problem {
	switch {
	case readOnly && j.overwrites():
		return []problem{j.problem("rw", "the volume holds data of its own and is only read: "+
			"write read or randread, or measure a new volume")}
	case !block && strings.Contains(j.rw, "trim"):
		return []problem{j.problem("rw", "trims are for raw block devices: set volumeMode Block, or measure reads "+
			"and writes")}
	}
	return nil
}

// engineProblems refuse options that the job's engine does not know.
func engineProblems(j *job) (problems []problem) {
	for _, name := range slices.Sorted(maps.Keys(j.options)) {
		if known := byName[name]; known.engines != nil && !slices.Contains(known.engines, string(j.engine)) {
			problems = append(problems, j.problem(name, "ioengine %s does not know it: remove it, or set ioengine to one of %s",
				j.engine, strings.Join(known.engines, ", ")))
		}
	}
	return problems
}

// conflictRules refuse options that contradict each other.
var conflictRules = []rule{
	{"buffered", nil, func(j *job) bool { return j.has("direct") && j.on("direct") == j.on("buffered") },
		"it is the opposite of direct, which is given too: keep one"},
	{"rate_iops", nil, func(j *job) bool { return j.has("rate") }, "fio takes either rate or rate_iops: keep one"},
}

// conflictProblems refuse options that contradict each other, or mean nothing together.
func conflictProblems(j *job) []problem {
	problems := broken(conflictRules, j)
	if j.has("rwmixread") && j.has("rwmixwrite") && j.readPercent != 100-j.number("rwmixwrite", 0) {
		problems = append(problems, j.problem("rwmixwrite", "it is 100 less rwmixread, which is given too (%s): keep one",
			humanize.Excerpt(j.options["rwmixread"].String())))
	}
	problems = append(problems, rateProblems(j, "rate", j.rate)...)
	problems = append(problems, rateProblems(j, "rate_iops", j.rateIOPS)...)
	if j.timeBased && j.runtime == 0 {
		problems = append(problems, j.problem("time_based", "the job would never end: set runtime, for example to 60"))
	}
	return problems
}

// rateProblems refuse rates by which a job has no limit, of parameters and matrices: readers who see rate=0 beside
// results take it for something else. A job file does what it does with fio.
func rateProblems(j *job, name string, l limits) []problem {
	if !j.has(name) || j.isLimited(l) {
		return nil
	}
	switch j.options[name].Field {
	case "":
		return nil
	case matrixField:
		return []problem{j.problem(name, "fio takes 0 for no limit, so that these runs have none: "+
			"write at least 1, and a workload of its own for runs without a limit")}
	default:
		return []problem{j.problem(name, "fio takes 0 for no limit, so that the job has none: write at least 1, or "+
			"remove it")}
	}
}

var binaryUnit = regexp.MustCompile(`[0-9](?i:[kmgtp])[iI][bB]`)

// unitProblems refuse units that mean the opposite of what everyone but fio takes them for.
func unitProblems(j *job) (problems []problem) {
	if j.kilo != 1024 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(j.options)) {
		if byName[name].value.measure != nil && binaryUnit.MatchString(j.options[name].Value) {
			problems = append(problems, j.problem(name,
				"fio takes KiB for 1,000 bytes unless kb_base is 1000: write k, m or g for powers of 1,024"))
		}
	}
	return problems
}

// fileProblems refuse sizes and numbers of files that a job in a file system cannot have.
func fileProblems(j *job) (problems []problem) {
	hasFileSize := j.fileSize != (amount{})
	for _, name := range []string{"size", "offset", "offset_increment"} {
		ofFile := name == "size" && hasFileSize
		if strings.HasSuffix(j.text(name, ""), "%") && !ofFile {
			problems = append(problems, j.problem(name, "a percentage is for raw block devices, because a file has no "+
				"size yet: "+
				"write a number of bytes such as 1G"))
		}
	}
	if j.size == (amount{}) && !hasFileSize && !j.on("fill_device") {
		size := j.problem("size", "files need a size: write for example size=1G")
		size.isRequired = true
		problems = append(problems, size)
	}
	if files := j.files * j.clones; files > maxFiles {
		problems = append(problems, j.problem("nrfiles", "%d files of all clones: lower nrfiles or numjobs to at most "+
			"%d in all",
			files, maxFiles))
	}
	return problems
}

// groupProblems refuse jobs that run together and differ in what fio wants to be the same.
func groupProblems(together []*job) (problems []problem) {
	first := together[0]
	for _, j := range together {
		if j.on(groupReporting) != first.on(groupReporting) {
			problems = append(problems, j.problem(groupReporting, "section [%s] runs at the same time, and fio drops results "+
				"if only one of them has group_reporting: put it into [global]", first.name))
			break
		}
	}
	for _, j := range together[1:] {
		if j.steadyState() != first.steadyState() { // which fio rejects when it has begun
			return append(problems, j.problem("steadystate", "section [%s] is in the same group of jobs, and fio wants "+
				"the same steadystate options of both: put them into [global], or new_group into this section", first.name))
		}
	}
	return problems
}

// steadyState is what a job says about when it is steady enough to end: the criterion, and times in microseconds.
type steadyState struct {
	criterion string
	times     [3]int64
}

func (j *job) steadyState() steadyState {
	s := steadyState{criterion: j.text("steadystate", "")}
	for i, name := range []string{"steadystate_duration", "steadystate_ramp_time", "steadystate_check_interval"} {
		s.times[i], _ = parseMicroseconds(j.text(name, "0"))
	}
	if s.times[0] == 0 {
		return steadyState{} // without one fio looks at nothing
	}
	return s
}
