package fio

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Groups returns the names of the groups of results in the order in which fio reports them. Jobs that run
// together and have group_reporting make one, named after the first of them; stonewall and new_group
// begin another. Without group_reporting each section makes one, the clones of numjobs together.
func (f *JobFile) Groups() []string {
	var names []string
	for _, jobs := range f.resolve().reported {
		names = append(names, jobs[0].name)
	}
	return names
}

// Extent returns how many options the jobs of the file have together, those of global sections in each of them, with so
// many more in each; a job itself counts as one. It is what the file takes to be looked at, and is counted without that.
func (f *JobFile) Extent(more int) int {
	extent, shared := 0, 0
	for _, section := range f.sections {
		if section.isJob() {
			extent += 1 + shared + len(section.Options) + more
		} else {
			shared += len(section.Options)
		}
	}
	return extent + shared
}

// Clones returns how many jobs do the same at the same time: those of the only section. It is 0 if there are several sections, and of a
// section that moves no data.
func (f *JobFile) Clones() int64 {
	jobs := f.jobs()
	if len(jobs) != 1 || jobs[0].isMetadata() {
		return 0
	}
	return jobs[0].clones()
}

// partition splits jobs before each that begins another part.
func partition(jobs []job, begins func(job) bool) [][]job {
	var parts [][]job
	for i, j := range jobs {
		if i == 0 || begins(j) {
			parts = append(parts, nil)
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], j)
	}
	return parts
}

// byDepth splits jobs that begin together by how many of the others come before them.
func byDepth(jobs []job) [][]job {
	depths := map[string]int{}
	var parts [][]job
	for _, j := range jobs {
		depth := 0
		if before, here := depths[j.text(waitFor, "")]; here {
			depth = before + 1
		}
		depths[j.name] = depth
		if depth == len(parts) {
			parts = append(parts, nil)
		}
		parts[depth] = append(parts[depth], j)
	}
	return parts
}

// RuntimeSeconds returns the longest time that the file's jobs run by their own options: start delay, ramp
// and runtime, of jobs that wait for each other the sum. It is false if a job is bounded by its size only,
// or the time exceeds an int64. Laying out files is not part of it.
func (f *JobFile) RuntimeSeconds() (int64, bool) {
	var total int64
	for _, together := range f.resolve().stages {
		var longest int64
		for _, j := range together {
			us, ok := j.microseconds()
			if !ok || us == math.MaxInt64 {
				return 0, false
			}
			longest = max(longest, us)
		}
		var ok bool
		if total, ok = add(total, longest); !ok {
			return 0, false
		}
	}
	const second = 1_000_000
	seconds := total / second
	if total%second > 0 {
		seconds++
	}
	return seconds, true
}

// microseconds returns the longest time that a job runs, at most what an int64 can be; false if it has no runtime.
func (j job) microseconds() (int64, bool) {
	runtime, ok := parseMicroseconds(j.text("runtime", "0"))
	if !ok || runtime == 0 {
		return 0, false
	}
	total := runtime
	_, latestStart, isRange := strings.Cut(j.text("startdelay", "0"), "-")
	if !isRange {
		latestStart = j.text("startdelay", "0")
	}
	for _, text := range []string{j.text("ramp_time", "0"), latestStart} {
		us, ok := parseMicroseconds(text)
		if !ok {
			return 0, false
		}
		if total, ok = add(total, us); !ok {
			return math.MaxInt64, true
		}
	}
	return total, true
}

// FileBytes returns how large the test files of all jobs of job files that use one directory become.
// Files that jobs share count once, at their largest. It is false if that cannot be known from the files, as
// with fill_device or a percentage, or exceeds an int64.
func FileBytes(jobFiles ...*JobFile) (int64, bool) {
	return bytesOfJobs(func(job) bool { return true }, jobFiles)
}

// LayoutBytes returns how much of that fio writes before it measures: it makes some files as it opens them, and of others it only reserves the
// blocks.
func LayoutBytes(jobFiles ...*JobFile) (int64, bool) {
	return bytesOfJobs(func(j job) bool { return j.needsFiles() && (j.reads() || j.fills()) }, jobFiles)
}

// bytesOfJobs returns how large the test files of some jobs become.
func bytesOfJobs(counts func(job) bool, jobFiles []*JobFile) (int64, bool) {
	var sets []fileSet
	for _, f := range jobFiles {
		for _, j := range f.jobs() {
			if !counts(j) {
				continue
			}
			more, ok := j.fileSets()
			if !ok {
				return 0, false
			}
			sets = append(sets, more...)
		}
	}
	return sum(sets)
}

// sum returns the bytes of all files, each at its largest; false if they exceed an int64.
func sum(sets []fileSet) (total int64, ok bool) {
	ok = true
	eachSet(sets, func(set fileSet, _, from int64) {
		bytes, fits := multiply(set.files-from, set.bytes)
		ok = ok && fits
		total, fits = add(total, bytes)
		ok = ok && fits
	})
	return total, ok
}

// eachSet calls visit for the clones of all sets, the sets with the largest files first, with the number of the
// first file that was not visited under the same name before.
func eachSet(sets []fileSet, visit func(set fileSet, clone, from int64)) {
	sets = slices.Clone(sets)
	slices.SortFunc(sets, func(a, b fileSet) int { return cmp.Compare(b.bytes, a.bytes) })
	visited := map[string][]int64{} // by the name of the set, then by the clone: its files, as large or larger
	for _, set := range slices.Compact(sets) {
		files := visited[set.name]
		files = append(files, make([]int64, max(set.clones-int64(len(files)), 0))...)
		visited[set.name] = files
		for clone := range set.clones {
			if files[clone] < set.files {
				visit(set, clone, files[clone])
				files[clone] = set.files
			}
		}
	}
}

// fileSet is files whose names differ in the numbers of the clone and of the file only.
type fileSet struct {
	name string
	// clones is the number of clones, files that of each one's files, bytes the size of the largest.
	clones, files, bytes int64
	// least is the size of the smallest, and appends is set where the bytes are added to a file that exists. Only
	// growingSets sets these.
	least   int64
	appends bool
}

// fileSets returns the files of a job and its clones; false if their sizes cannot be known, or there are more
// than can be.
func (j job) fileSets() ([]fileSet, bool) {
	if j.on("fill_device") || j.on("file_append") || j.clones() > maxClones || j.files() > maxFiles {
		return nil, false
	}
	sets := j.fileNames()
	bytes, ok := j.fileBytes(sets)
	for i := range sets {
		sets[i].bytes = bytes
	}
	return sets, ok
}

// defaultFormat is what fio takes for option filename_format when it is not given.
const defaultFormat = "$jobname.$jobnum.$filenum"

// fileNames returns the job's files without their size: those of option filename, which clones share, or
// nrfiles for each clone, named by option filename_format.
func (j job) fileNames() []fileSet { return j.filesNamed(j.nameFormat()) }

// filesNamed is fileNames with a value in the place of option filename_format.
func (j job) filesNamed(format string) []fileSet {
	if list := j.text("filename", ""); list != "" {
		var sets []fileSet
		for name := range strings.SplitSeq(list, ":") {
			sets = append(sets, fileSet{name: name, clones: 1, files: 1})
		}
		return sets
	}
	format = keyword.ReplaceAllStringFunc(format, strings.ToLower)
	set := fileSet{name: strings.ReplaceAll(format, "$jobname", j.name), clones: 1, files: 1}
	if strings.Contains(format, "$jobnum") {
		set.clones = j.clones()
	}
	if strings.Contains(format, "$filenum") {
		set.files = j.files()
	}
	return []fileSet{set}
}

// files is the number of files of each clone.
func (j job) files() int64 {
	return max(j.number("nrfiles", 1), 1)
}

// fileBytes returns the size of the largest of the job's files: filesize, or its part of size, behind the
// offset of the last clone.
func (j job) fileBytes(sets []fileSet) (int64, bool) {
	if size := j.text("filesize", "0"); size != "0" {
		least, most, isRange := strings.Cut(size, "-")
		if !isRange {
			most = least
		}
		return parseBytes(most, j.kiloBase())
	}
	size, ok := j.size("size")
	if !ok || size == 0 {
		return 0, false
	}
	files := j.files()
	if j.has("filename") {
		files = int64(len(sets))
	}
	offset, ok := j.lastOffset()
	if !ok {
		return 0, false
	}
	largest := size / files
	if size%files > 0 {
		largest++
	}
	return add(largest, offset)
}

// lastOffset returns the offset at which the last clone begins.
func (j job) lastOffset() (int64, bool) {
	offset, ok := j.size("offset")
	if !ok {
		return 0, false
	}
	increment, ok := j.size("offset_increment")
	if !ok {
		return 0, false
	}
	if increment, ok = multiply(increment, j.clones()-1); !ok {
		return 0, false
	}
	return add(offset, increment)
}
