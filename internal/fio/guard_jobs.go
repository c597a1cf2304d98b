package fio

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/internal/humanize"
)

// maxFiles bounds the test files of a job, clones included.
const maxFiles = 1_000_000

// checkJobs checks what options mean together.
func (g *guard) checkJobs(f *JobFile) {
	g.checkFileNames(f)
	g.checkEmptyValues(f)
	processes, above := int64(0), map[string]bool{}
	for _, j := range f.jobs() {
		g.checkWaiting(j, above)
		above[j.name] = true
		if j.isMetadata() {
			g.checkMetadata(j)
		} else {
			g.checkDirection(j)
		}
		g.checkEngine(j)
		g.checkConflicts(j)
		g.checkUnits(j)
		if !g.block {
			g.checkFiles(j)
		}
		processes += j.clones()
	}
	g.checkMetadataShared(f)
	if processes > maxProcesses {
		g.refuse("%d clones of all sections together: lower numjobs to at most %d in all", processes, maxProcesses)
	}
}

// checkFileNames refuses option filename in a section to which one applies already: fio would use both.
func (g *guard) checkFileNames(f *JobFile) {
	shared := false
	for _, section := range f.sections {
		for _, o := range section.Options {
			if o.Name != "filename" {
				continue
			}
			if shared {
				g.refuseOption(section.Name, o, "a [global] section above names files, and fio would use both: keep one")
			}
			shared = shared || !section.isJob()
		}
	}
}

// checkEmptyValues refuses a list without a first value in a section to which the option applies already: fio would mix both.
func (g *guard) checkEmptyValues(f *JobFile) {
	shared := map[string]bool{}
	for _, section := range f.sections {
		for _, o := range section.Options {
			name := Canonical(o.Name)
			if shared[name] && strings.HasPrefix(o.Value, ",") {
				g.refuseOption(section.Name, o, "a [global] section above sets it too, and fio would take the first value from there: write all values here")
			}
			shared[name] = shared[name] || !section.isJob()
		}
	}
}

func (g *guard) checkDirection(j job) {
	direction := j.direction()
	switch {
	case g.readOnly && j.overwrites():
		g.refuseIn(j, "rw", "the volume holds data of its own and is only read: write read or randread, or measure a new volume")
	case !g.block && strings.Contains(direction, "trim"):
		g.refuseIn(j, "rw", "trims are for raw block devices: set volumeMode Block, or measure reads and writes")
	}
}

// checkWaiting refuses a job that waits for one that fio does not know yet.
func (g *guard) checkWaiting(j job, above map[string]bool) {
	if j.has(waitFor) && !above[j.text(waitFor, "")] {
		g.refuseIn(j, waitFor, "there is no such section above, and fio waits for no other: move that section up, or use stonewall to wait for all before")
	}
}

// checkEngine refuses options that the job's engine does not know.
func (g *guard) checkEngine(j job) {
	engine := j.engine()
	for _, name := range slices.Sorted(maps.Keys(j.options)) {
		if known := byName[name]; known.engines != nil && !slices.Contains(known.engines, engine) {
			g.refuseIn(j, name, "ioengine %s does not know it: remove it, or set ioengine to one of %s",
				engine, strings.Join(known.engines, ", "))
		}
	}
}

// checkConflicts refuses options that contradict each other.
func (g *guard) checkConflicts(j job) {
	if j.has("direct") && j.has("buffered") && j.on("direct") == j.on("buffered") {
		g.refuseIn(j, "buffered", "it is the opposite of direct, which is given too: keep one")
	}
	if j.has("rate") && j.has("rate_iops") {
		g.refuseIn(j, "rate_iops", "fio takes either rate or rate_iops: keep one")
	}
	if j.has("rwmixread") && j.has("rwmixwrite") && j.number("rwmixread", 0)+j.number("rwmixwrite", 0) != 100 {
		g.refuseIn(j, "rwmixwrite", "it is 100 less rwmixread, which is given too (%s): keep one", humanize.Excerpt(j.options["rwmixread"].String()))
	}
	g.checkRates(j)
	if runtime, _ := parseMicroseconds(j.text("runtime", "0")); j.on("time_based") && runtime == 0 {
		g.refuseIn(j, "time_based", "the job would never end: set runtime, for example to 60")
	}
}

// checkRates refuses rates by which a job has no limit, of parameters and matrices: who reads rate=0 beside results takes it for something else. A job
// file does what it does with fio.
func (g *guard) checkRates(j job) {
	for _, name := range []string{"rate", "rate_iops"} {
		if !j.has(name) || j.isLimited(name) {
			continue
		}
		switch j.options[name].Field {
		case "":
		case matrixField:
			g.refuseIn(j, name, "fio takes 0 for no limit, so that these runs have none: write at least 1, and a workload of its own for runs without a limit")
		default:
			g.refuseIn(j, name, "fio takes 0 for no limit, so that the job has none: write at least 1, or remove it")
		}
	}
}

var binaryUnit = regexp.MustCompile(`[0-9](?i:[kmgtp])[iI][bB]`)

// checkUnits refuses units that mean the opposite of what everyone but fio takes them for.
func (g *guard) checkUnits(j job) {
	if j.kiloBase() != 1024 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(j.options)) {
		if byName[name].value.measure != nil && binaryUnit.MatchString(j.options[name].Value) {
			g.refuseIn(j, name, "fio takes KiB for 1,000 bytes unless kb_base is 1000: write k, m or g for powers of 1,024")
		}
	}
}

// checkFiles checks a job in a file system.
func (g *guard) checkFiles(j job) {
	for _, name := range []string{"size", "offset", "offset_increment"} {
		ofFile := name == "size" && j.text("filesize", "0") != "0"
		if strings.HasSuffix(j.text(name, ""), "%") && !ofFile {
			g.refuseIn(j, name, "a percentage is for raw block devices, because a file has no size yet: write a number of bytes such as 1G")
		}
	}
	size, _ := j.size("size")
	if size == 0 && j.text("filesize", "0") == "0" && !strings.HasSuffix(j.text("size", ""), "%") && !j.on("fill_device") {
		g.require(j, "size", "files need a size: write for example size=1G")
	}
	if files := j.files() * j.clones(); files > maxFiles {
		g.refuseIn(j, "nrfiles", "%d files of all clones: lower nrfiles or numjobs to at most %d in all", files, maxFiles)
	}
}

// checkGroups checks what fio reports.
func (g *guard) checkGroups(f *JobFile) {
	for _, together := range f.resolve().groups {
		for _, j := range together {
			if j.on("group_reporting") != together[0].on("group_reporting") {
				g.refuseIn(j, "group_reporting", "section [%s] runs at the same time, and fio drops results if only one of them has group_reporting: put it into [global]", together[0].name)
				break
			}
		}
		g.checkSteadyState(together)
	}
	g.checkMetadataGroups(f)
	if count := len(f.Groups()); count > MaxGroups {
		g.refuse("%d groups of results: a job file may have %d; use group_reporting in [global], which joins those that run at the same time, or split it into several workloads", count, MaxGroups)
		return
	}
	if figures := f.countFigures(); figures > maxFigures {
		g.refuse("the groups of results have reads, writes, trims and syncs %d times together, and a report has room for %d; use group_reporting in [global], or split it into several workloads",
			figures, maxFigures)
	}
}

// checkSteadyState refuses jobs of a group that end by different criteria, which fio rejects when it has begun.
func (g *guard) checkSteadyState(together []job) {
	first := together[0]
	for _, j := range together[1:] {
		if j.steadyState() != first.steadyState() {
			g.refuseIn(j, "steadystate", "section [%s] is in the same group of jobs, and fio wants the same steadystate options of both: put them into [global], or new_group into this section", first.name)
			return
		}
	}
}

// countFigures returns how many directions of I/O the results have, with syncs as one more.
func (f *JobFile) countFigures() int {
	figures := 0
	for _, jobs := range f.resolve().reported {
		directions, syncs := sets.New[int](), 0
		for _, j := range jobs {
			directions.Insert(j.directions()...)
			if j.syncs() {
				syncs = 1
			}
		}
		figures += directions.Len() + syncs
	}
	return figures
}

// refuseIn adds an error about an option that applies to a job, or should.
func (g *guard) refuseIn(j job, name, format string, args ...any) {
	if o, ok := j.options[name]; ok {
		g.refuseOption(j.name, *o, format, args...)
		return
	}
	g.refuse("section [%s], %s: %s", j.name, name, fmt.Sprintf(format, args...))
}

// require adds an error about an option that a job lacks, or that has an empty value.
func (g *guard) require(j job, name, remedy string) {
	if j.has(name) {
		g.refuseIn(j, name, "%s", remedy)
		return
	}
	if j.typed {
		g.errs = append(g.errs, field.Required(g.path.Child(byName[name].field), remedy))
		return
	}
	g.errs = append(g.errs, field.Required(g.path, fmt.Sprintf("section [%s]: %s", j.name, remedy)))
}
