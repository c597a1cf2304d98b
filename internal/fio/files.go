package fio

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

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

// FileBytes returns how large the test files of all jobs of job files that use one directory become.
// Files that jobs share count once, at their largest. It is false if that cannot be known from the files, as
// with fill_device or a percentage, or exceeds an int64.
func FileBytes(jobFiles ...*JobFile) (int64, bool) {
	return bytesOfJobs(func(*job) bool { return true }, jobFiles)
}

// LayoutBytes returns how much of that fio writes before it measures: it makes some files as it opens them, and of
// others it only reserves the blocks.
func LayoutBytes(jobFiles ...*JobFile) (int64, bool) {
	return bytesOfJobs(func(j *job) bool { return j.needsFiles() && (j.reads || j.fills) }, jobFiles)
}

// bytesOfJobs returns how large the test files of some jobs become.
func bytesOfJobs(counts func(*job) bool, jobFiles []*JobFile) (int64, bool) {
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
	total := sum(sets)
	return total.bytes, !total.unknown
}

// sum returns the bytes of all files, each at its largest; unknown if they exceed an int64.
func sum(sets []fileSet) (total amount) {
	eachSet(sets, func(set fileSet, _, from int64) {
		total = total.plus(amount{bytes: set.bytes}.times(set.files - from))
	})
	return total
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

// fileSets returns the files of a job and its clones; false if their sizes cannot be known, or there are more
// than can be.
func (j *job) fileSets() ([]fileSet, bool) {
	if j.on("fill_device") || j.on("file_append") || j.clones > maxClones || j.files > maxFiles {
		return nil, false
	}
	sets, bytes := j.fileNames(), j.largestFile()
	for i := range sets {
		sets[i].bytes = bytes.bytes
	}
	return sets, !bytes.unknown
}

// defaultFormat is what fio takes for option filename_format when it is not given.
const defaultFormat = "$jobname.$jobnum.$filenum"

// keyword matches what fio replaces in option filename_format.
var keyword = regexp.MustCompile(keywordForm)

// format is option filename_format.
func (j *job) format() string { return j.text("filename_format", defaultFormat) }

// ownFormat is option filename_format of files that others do not have. Jobs of metadata have files to themselves: of a
// matrix of engines some would find what others have made, or a file in the place of a directory.
func (j *job) ownFormat() string {
	if j.engine.isMetadata() {
		return string(j.engine) + "." + j.format()
	}
	return j.format()
}

// names are those of option filename, which clones share; nil without it.
func (j *job) names() []string {
	if list := j.text("filename", ""); list != "" {
		return strings.Split(list, ":")
	}
	return nil
}

// fileNames returns the job's files without their size: those of option filename, or nrfiles for each clone, named by
// option filename_format.
func (j *job) fileNames() []fileSet { return j.filesNamed(j.ownFormat()) }

// filesNamed is fileNames with a value in the place of option filename_format.
func (j *job) filesNamed(format string) []fileSet {
	if names := j.names(); names != nil {
		sets := make([]fileSet, len(names))
		for i, name := range names {
			sets[i] = fileSet{name: name, clones: 1, files: 1}
		}
		return sets
	}
	format = keyword.ReplaceAllStringFunc(format, strings.ToLower)
	set := fileSet{name: strings.ReplaceAll(format, "$jobname", j.name), clones: 1, files: 1}
	if strings.Contains(format, "$jobnum") {
		set.clones = j.clones
	}
	if strings.Contains(format, "$filenum") {
		set.files = j.files
	}
	return []fileSet{set}
}

// largestFile returns the size of the largest of the job's files: filesize, or its part of size, behind the
// offset of the last clone.
func (j *job) largestFile() amount {
	if j.fileSize.unknown || j.fileSize.bytes > 0 {
		return j.fileSize
	}
	if !j.size.isSet() {
		return amount{unknown: true}
	}
	files := j.files
	if j.has("filename") {
		files = max(int64(len(j.names())), 1)
	}
	return amount{bytes: roundUp(j.size.bytes, files)}.plus(j.lastOffset())
}

// lastOffset returns the offset at which the last clone begins.
func (j *job) lastOffset() amount { return j.offset.plus(j.increment.times(j.clones - 1)) }

// needsFiles reports whether files have to be there before the job is measured, which fio --create_only makes.
func (j *job) needsFiles() bool {
	if j.engine.isMetadata() {
		return !j.engine.creates() && !j.engine.ofDirectories()
	}
	return !j.on("create_on_open")
}

// layoutBlockBytes is the largest block in which files are laid out: the most that the kernel hands to FUSE at once.
const layoutBlockBytes = 1 << 20

// blockOfMetadata is the size of blocks with which fio pretends one I/O for each file, so that it has nothing to do
// between two operations. Of files that are larger than what fio is to have memory for it is the most that it is to
// have.
func (j *job) blockOfMetadata() int64 {
	largest := j.largestFile()
	if largest.unknown {
		return pageBytes
	}
	bytes := largest.bytes
	// A part of size that is no whole number of bytes is rounded up by largestFile, and down by fio.
	if j.size.isSet() && j.fileSize == (amount{}) {
		bytes = j.size.bytes / j.files
	}
	return max(min(bytes, layoutBlockBytes), 1)
}

// FilesRead returns patterns, in the form of filepath.Match, of the files that jobs with reads use, as names
// relative to the jobs' directory. It returns none for a raw block device. Where a job has several clones or
// files, its pattern matches any number of them: also what is left of a run with more.
func (f *JobFile) FilesRead() []string {
	var patterns []string
	for _, j := range f.jobs() {
		if j.reads && !j.engine.isMetadata() {
			patterns = append(patterns, j.filePatterns()...)
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

// filePatterns returns patterns of the job's files. Unlike fileNames it keeps the case of their names.
func (j *job) filePatterns() []string {
	if list := j.text("filename", ""); list != "" {
		if strings.HasPrefix(list, "/") {
			return nil // a raw block device, as On sets it
		}
		return strings.Split(escapePattern(list), ":")
	}
	format, name := escapePattern(j.format()), escapePattern(j.name)
	return []string{formatted(format, name, numberPattern(j.clones), numberPattern(j.files))}
}

// formatted returns a name by a format. $clientuid is empty without a fio server.
func formatted(format, job, clone, file string) string {
	values := map[string]string{"$jobname": job, "$jobnum": clone, "$filenum": file}
	return keyword.ReplaceAllStringFunc(format, func(word string) string { return values[strings.ToLower(word)] })
}

// numberPattern returns a pattern of the numbers from 0 that are less than count.
func numberPattern(count int64) string {
	if count == 1 {
		return "0"
	}
	return "[0-9]*"
}

// escapePattern returns a pattern that matches the text itself only.
var escapePattern = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace

// nameOf returns the name of one of the files.
func (s *fileSet) nameOf(clone, file int64) string {
	jobnum, filenum := strconv.FormatInt(clone, 10), strconv.FormatInt(file, 10)
	return strings.NewReplacer("$jobnum", jobnum, "$filenum", filenum, "$clientuid", "").Replace(s.name)
}
