package fio

import "slices"

// Traps are what jobs ask for that does not do, or does not measure, what it seems to.
type Traps struct {
	// IgnoredDepth is the greatest iodepth of jobs whose engine waits for each I/O, so that they keep one in flight. 0 if there is none.
	IgnoredDepth int64
	// BufferedAsync says whether jobs go through the page cache with libaio, which the kernel then makes wait for each I/O.
	BufferedAsync bool
	// AlikeData is the option by which the data that is written is easy to compress, or often the same. "" if none is given.
	AlikeData string
	// InlineRate says whether jobs hold themselves to a rate, and submit I/Os in the thread that waits for them: who waits submits late, and fio does not count
	// that as latency.
	InlineRate bool
	// OtherFilesSynced says whether jobs have several files, and sync another one than they have just written.
	OtherFilesSynced bool
}

// alikeOptions are the options by which data is easy to compress, or often the same.
var alikeOptions = []string{"zero_buffers", "dedupe_percentage", "buffer_compress_percentage", "buffer_pattern"}

// ShapesData returns an option by which a job asks for data of a certain kind, "" if none does.
func (f *JobFile) ShapesData() string {
	for _, j := range f.jobs() {
		for _, option := range append([]string{"buffer_compress_chunk"}, alikeOptions...) {
			if j.has(option) {
				return option
			}
		}
	}
	return ""
}

// add takes in what a job asks for.
func (t *Traps) add(j job) {
	if depth := j.number("iodepth", 1); depth > j.depth() {
		t.IgnoredDepth = max(t.IgnoredDepth, depth)
	}
	t.BufferedAsync = t.BufferedAsync || j.text("ioengine", "psync") == "libaio" && j.buffered()
	if option := j.alikeData(); option != "" && t.AlikeData == "" {
		t.AlikeData = option
	}
	t.InlineRate = t.InlineRate || (j.isLimited("rate") || j.isLimited("rate_iops")) && j.text("io_submit_mode", "inline") != "offload"
	t.OtherFilesSynced = t.OtherFilesSynced || j.syncsOtherFiles()
}

// alikeData is the option by which what the job writes is alike, "" if there is none. Without scramble_buffers fio writes the same block again and again, unless
// it fills its buffer anew each time.
func (j job) alikeData() string {
	const scramble = "scramble_buffers"
	i := slices.IndexFunc(alikeOptions, j.on)
	switch {
	case !j.writes():
		return ""
	case i >= 0:
		return alikeOptions[i]
	case j.has(scramble) && !j.on(scramble) && !j.on("refill_buffers"):
		return scramble + "=0"
	}
	return ""
}

// syncsOtherFiles says whether a sync of the job is of the file whose turn it is, and not of the one that it has just written. Only where
// each file is written to its end before the next one, these are the same: TestFioSyncsOtherFiles.
// https://github.com/axboe/fio/issues/1904
func (j job) syncsOtherFiles() bool {
	files := j.files()
	if list := j.text("filename", ""); list != "" {
		files = int64(len(j.fileNames()))
	}
	return j.syncs() && min(files, j.number("openfiles", files)) > 1 && j.text("file_service_type", "roundrobin") != "sequential"
}
