package fio

// Growth is what jobs add to the directory in which they work.
type Growth struct {
	// Files counts the files and directories that do not exist yet.
	Files int64
	// Bytes is how much of the files is not on the storage yet: math.MaxInt64 if an int64 cannot hold it.
	Bytes int64
}

// Present returns how many bytes of a file are on the storage, and whether the file exists. The name is relative to the
// directory of the jobs.
type Present func(name string) (bytes int64, exists bool)

// GrowthOf returns what jobs add when fio runs job files as they are: On has given them their directory. A file that
// several jobs use counts once, at its largest. Sizes that fio itself finds out (fill_device) count as 0. Without
// present, no file exists.
func GrowthOf(present Present, jobFiles ...*JobFile) Growth {
	var sets []fileSet
	for _, f := range jobFiles {
		for _, j := range f.jobs() {
			sets = append(sets, j.growingSets()...)
		}
	}
	var growth Growth
	eachSet(sets, func(set fileSet, clone, from int64) {
		if present == nil {
			growth.add(set.files-from, set.bytes)
			return
		}
		for file := from; file < set.files; file++ {
			growth.addFile(set, present, set.nameOf(clone, file))
		}
	})
	return growth
}

// addFile adds what a file lacks.
func (g *Growth) addFile(set fileSet, present Present, name string) {
	switch bytes, exists := present(name); {
	case !exists:
		g.add(1, set.bytes)
	case set.appends:
		g.Bytes = capped(add(g.Bytes, set.bytes))
	case bytes < set.least:
		g.Bytes = capped(add(g.Bytes, set.bytes-bytes))
	}
}

// SumOf returns what several growths add together.
func SumOf(growths ...Growth) (sum Growth) {
	for _, growth := range growths {
		sum.Files += growth.Files
		sum.Bytes = capped(add(sum.Bytes, growth.Bytes))
	}
	return sum
}

// add adds files that do not exist, of so many bytes each.
func (g *Growth) add(files, bytes int64) {
	g.Files += files
	g.Bytes = capped(add(g.Bytes, capped(multiply(files, bytes))))
}

// growingSets returns the files of a job and its clones under the names that fio gives them. Jobs that create
// files, and those of directories, write no data.
func (j *job) growingSets() []fileSet {
	sets, largest := j.filesNamed(j.format()), j.largestFile()
	bytes := largest.bytes
	if largest.unknown || j.engine.creates() || j.engine.ofDirectories() {
		bytes = 0
	}
	least := bytes
	if j.isRange {
		least = min(j.leastFile, bytes)
	}
	for i := range sets {
		sets[i].bytes, sets[i].least, sets[i].appends = bytes, least, j.on("file_append")
	}
	return sets
}
