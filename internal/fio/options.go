package fio

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// option is what the guard knows of a fio option that it lets pass.
type option struct {
	name    string
	aliases []string
	value   kind
	// field is the field of v1alpha1.FioParameters for the option, "" if there is none.
	field string
	// engines are the I/O engines that know the option; nil if all do.
	engines []string
	// filesOnly says that the option is about files, and so not for a raw block device.
	filesOnly bool
	// bounds of a number kind
	least, most int64
}

// kind is a form that values of an option can have.
type kind struct {
	// form is what the value must match, "" included if the option may stand without one.
	form *regexp.Regexp
	// example ends the sentence "write ...".
	example string
	// number says that the value is an integer within the option's bounds.
	number bool
	// flag says that the option may stand without value, and then is on.
	flag bool
	// measure reads each quantity in the value, if set, and reports whether fio can hold it.
	measure func(string) bool
}

var quantity = regexp.MustCompile(`[0-9]+[A-Za-z]*`)

// measures reports whether fio can hold each quantity in the value.
func (k kind) measures(value string) bool {
	for _, text := range quantity.FindAllString(value, -1) {
		if !k.measure(text) {
			return false
		}
	}
	return true
}

func isBytes(text string) bool {
	_, ok := parseBytes(text, 1024)
	return ok
}

func isTime(text string) bool {
	_, ok := parseMicroseconds(text)
	return ok
}

// Forms of values. They are stricter than fio's, which reads "30sec" as 30 us, 4kfoo as 4k, takes a
// value after ( for arithmetic and one after ' for the name of a file.
const (
	integerForm  = `-?[0-9]{1,18}`
	bytesForm    = `[0-9]{1,15}(?i:[kmgtp](?:ib?|b)?|b)?`
	percentForm  = `(?:[1-9][0-9]?|100)%`
	durationForm = `[0-9]{1,12}(?i:d|h|m|s|ms|us|msec|usec)?`
	decimalForm  = `[0-9]{1,9}(?:\.[0-9]{1,9})?`
	cpusForm     = `[0-9]{1,4}(?:-[0-9]{1,4})?(?:,[0-9]{1,4}(?:-[0-9]{1,4})?)*`
	fileNameForm = `[A-Za-z0-9_][A-Za-z0-9_.+=@-]{0,127}`
	keywordForm  = `(?i:\$jobname|\$jobnum|\$filenum|\$clientuid)`
	patternForm  = `0x[0-9a-fA-F]{1,64}|[0-9]{1,10}`
)

var (
	flag      = kind{form: form(`[01]?`), example: "1 or 0", flag: true}
	boolean   = kind{form: form(`[01]`), example: "1 or 0"}
	integer   = kind{form: form(integerForm), example: "a whole number", number: true}
	integers  = kind{form: form(list(integerForm)), example: "a whole number, or up to three with commas (reads, writes, trims)"}
	size      = kind{form: form(bytesForm), example: "a number of bytes such as 4096, 64k or 1G", measure: isBytes}
	sizes     = kind{form: form(list(bytesForm)), example: "a number of bytes such as 4k, or up to three with commas (reads, writes, trims)", measure: isBytes}
	share     = kind{form: form(bytesForm + `|` + percentForm), example: "a number of bytes such as 10G, or a percentage from 1% to 100%", measure: isBytes}
	ranges    = kind{form: form(list(bytesForm + `[-:]` + bytesForm)), example: "a range of bytes such as 4k-64k, or up to three with commas", measure: isBytes}
	duration  = kind{form: form(durationForm), example: "a time such as 60, 60s, 5m or 500ms", measure: isTime}
	delays    = kind{form: form(durationForm + `(?:-` + durationForm + `)?`), example: "a time such as 10s, or a range such as 5s-10s", measure: isTime}
	fileSizes = kind{form: form(bytesForm + `(?:-` + bytesForm + `)?`), example: "a number of bytes such as 1G, or a range such as 1M-8M", measure: isBytes}
	decimal   = kind{form: form(decimalForm), example: "a number such as 99.9"}
	cpus      = kind{form: form(cpusForm), example: "CPU numbers such as 0-3,8"}
	pattern   = kind{form: form(patternForm), example: "a pattern such as 0xdeadbeef"}
	fileName  = kind{form: form(fileNameForm + `(?::` + fileNameForm + `)*`), example: "a plain file name such as test.dat, or several with colons: directories are set by the operator"}
	nameForm  = kind{form: form(`(?:[A-Za-z0-9_]|` + keywordForm + `)(?:[A-Za-z0-9_.+=@-]|` + keywordForm + `){0,39}`), example: "a plain file name of up to 40 letters, digits and keywords ($jobname, $jobnum, $filenum), such as $jobname.$jobnum.$filenum"}
	prose     = kind{form: form(`[A-Za-z0-9(][A-Za-z0-9 ()/:=,.+_-]{0,127}`), example: "up to 128 letters, digits, blanks and ()/:=,.+_-"}
)

// sectionName is the form of names of sections, of which fio makes names of files.
var sectionName = regexp.MustCompile(`\A[A-Za-z0-9_][A-Za-z0-9_.,=+@() -]{0,63}\z`)

// optionsField and matrixField are Option.Field of what v1alpha1.FioParameters.Options holds, and of what a matrix
// sets.
const optionsField, matrixField = "options", "matrix"

// form compiles an expression that whole values must match.
func form(expression string) *regexp.Regexp {
	return regexp.MustCompile(`\A(?:` + expression + `)\z`)
}

// list is the expression of one to three values with commas, for reads, writes and trims. Any but one of them may be
// empty: of reads and writes that have none fio takes what it takes without the option.
func list(expression string) string {
	return `(?:` + expression + `)(?:,(?:` + expression + `)?){0,2}|,(?:` + expression + `)(?:,(?:` + expression + `)?)?|,,(?:` + expression + `)`
}

// oneOf is the kind of values out of a list.
func oneOf(values ...string) kind {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = regexp.QuoteMeta(value)
	}
	return kind{form: form(strings.Join(quoted, "|")), example: "one of " + strings.Join(values, ", ")}
}

// matching is the kind of values that match an expression.
func matching(expression, example string) kind {
	return kind{form: form(expression), example: example}
}

const (
	unbounded = 1<<63 - 1
	maxInt32  = 1<<31 - 1
	// maxClones bounds numjobs, maxFiles the test files of a job, clones included.
	maxClones = 1024
	maxFiles  = 1_000_000
	// maxProcesses bounds the clones of all sections, as fio itself does.
	maxProcesses = 4096
)

const (
	// waitFor is the option that names a job that has to end before this one begins.
	waitFor = "wait_for"
	// groupReporting is the option that reports the clones of a job together.
	groupReporting = "group_reporting"
)

// knownOptions are the options that the guard lets pass, as the runner's fio knows them. An option is here
// when a value of its kind neither runs anything, nor leaves the volume, nor changes what fio reports.
var knownOptions = []option{
	// What I/O is done.
	{name: "description", value: prose},
	{name: "rw", aliases: []string{"readwrite"}, field: "rw", value: matching(
		`(?:(?:read|write|trim|rw|readwrite|trimwrite)(?::-?`+bytesForm+`)?|(?:randread|randwrite|randtrim|randrw|randtrimwrite)(?::`+bytesForm+`)?)`,
		"one of read, write, trim, randread, randwrite, randtrim, rw, readwrite, randrw, trimwrite, randtrimwrite")},
	{name: "rw_sequencer", value: oneOf("sequential", "identical")},
	{name: "rwmixread", field: "rwmixread", value: integer, most: 100},
	{name: "rwmixwrite", value: integer, most: 100},
	{name: "ioengine", field: "ioengine", value: kind{form: oneOf(slices.Concat(engines, metadataEngines)...).form, example: oneOf(engines...).example}},
	{name: "bs", aliases: []string{"blocksize"}, field: "bs", value: sizes},
	{name: "ba", aliases: []string{"blockalign"}, value: sizes},
	{name: "bsrange", aliases: []string{"blocksize_range"}, value: ranges},
	{name: "bssplit", value: matching(`[0-9kKmMgGiIbB/:,]{1,255}`, "block sizes and percentages such as 4k/60:64k/40")},
	{name: "bs_unaligned", aliases: []string{"blocksize_unaligned"}, value: flag},
	{name: "bs_is_seq_rand", value: boolean},
	{name: "direct", field: "direct", value: boolean},
	{name: "buffered", value: boolean},
	{name: "atomic", value: boolean},
	{name: "sync", field: "sync", value: oneOf("none", "0", "sync", "1", "dsync")},
	{name: "fsync", field: "fsync", value: integer, most: maxInt32},
	{name: "fdatasync", field: "fdatasync", value: integer, most: maxInt32},
	{name: "end_fsync", field: "endFsync", value: boolean},
	{name: "fsync_on_close", value: boolean},
	{name: "write_barrier", value: integer, most: maxInt32},
	{name: "sync_file_range", value: matching(`(?:wait_before|write|wait_after)(?:,(?:wait_before|write|wait_after)){0,2}:[0-9]{1,9}`, "flags and a number of writes such as wait_before,write:8")},
	{name: "fadvise_hint", value: oneOf("0", "1", "random", "sequential")},
	{name: "write_hint", value: oneOf("none", "short", "medium", "long", "extreme")},
	{name: "overwrite", value: boolean},
	{name: "invalidate", field: "invalidate", value: boolean},
	{name: "pre_read", value: boolean},

	// Where in the volume.
	{name: "filename", value: fileName, filesOnly: true},
	{name: "filename_format", value: nameForm, filesOnly: true},
	{name: "unique_filename", value: boolean, filesOnly: true},
	{name: "lockfile", value: oneOf("none", "exclusive", "readwrite"), filesOnly: true},
	{name: "size", field: "size", value: share},
	{name: "io_size", aliases: []string{"io_limit"}, value: share},
	{name: "filesize", value: fileSizes, filesOnly: true},
	{name: "fill_device", aliases: []string{"fill_fs"}, value: boolean},
	{name: "file_append", value: boolean, filesOnly: true},
	{name: "offset", aliases: []string{"fileoffset"}, value: share},
	{name: "offset_align", value: size},
	{name: "offset_increment", value: share},
	{name: "number_ios", value: integer, least: 1, most: unbounded},
	{name: "nrfiles", aliases: []string{"nr_files"}, field: "nrfiles", value: integer, least: 1, most: 100_000, filesOnly: true},
	{name: "openfiles", value: integer, least: 1, most: 100_000, filesOnly: true},
	{name: "file_service_type", value: matching(`random|roundrobin|sequential|(?:zipf|pareto|normal|gauss)(?::`+decimalForm+`)?`, "one of random, roundrobin, sequential, zipf, pareto, normal, gauss"), filesOnly: true},
	{name: "fallocate", value: oneOf("none", "native", "posix", "keep", "truncate", "0", "1")},
	{name: "create_serialize", value: boolean},
	{name: "create_fsync", value: boolean},
	{name: "create_on_open", value: boolean},
	{name: "allow_file_create", value: boolean},
	{name: "unlink", value: boolean, filesOnly: true},
	{name: "unlink_each_loop", value: boolean, filesOnly: true},
	{name: "zonemode", value: oneOf("none", "strided", "zbd")},
	{name: "zonesize", value: size},
	{name: "zonerange", value: size},
	{name: "zoneskip", value: size},

	// In which order.
	{name: "randrepeat", value: boolean},
	{name: "allrandrepeat", value: boolean},
	{name: "randseed", value: integer, most: unbounded},
	{name: "norandommap", field: "norandommap", value: flag},
	{name: "softrandommap", value: boolean},
	{name: "random_generator", value: oneOf("tausworthe", "lfsr", "tausworthe64")},
	{name: "random_distribution", value: matching(`random|(?:zipf|pareto|normal|gauss)(?::`+decimalForm+`){0,2}|zoned(?:_abs)?:[0-9kKmMgGtT./:,]{1,200}`, "one of random, zipf:1.2, pareto:0.9, normal:50, zoned:60/10:40/90")},
	{name: "percentage_random", value: integers},

	// How much at a time.
	{name: "iodepth", field: "iodepth", value: integer, least: 1, most: 65_536},
	{name: "iodepth_batch", aliases: []string{"iodepth_batch_submit"}, value: integer, most: 65_536},
	{name: "iodepth_batch_complete_min", aliases: []string{"iodepth_batch_complete"}, value: integer, most: 65_536},
	{name: "iodepth_batch_complete_max", value: integer, most: 65_536},
	{name: "iodepth_low", value: integer, most: 65_536},
	{name: "serialize_overlap", value: boolean},
	{name: "io_submit_mode", value: oneOf("inline", "offload")},
	{name: "numjobs", field: "numjobs", value: integer, least: 1, most: maxClones},
	{name: "thread", value: flag},
	{name: "rate", field: "rate", value: sizes},
	{name: "rate_min", aliases: []string{"ratemin"}, value: sizes},
	{name: "rate_iops", field: "rateIOPS", value: integers},
	{name: "rate_iops_min", value: integers},
	{name: "rate_process", value: oneOf("linear", "poisson")},
	{name: "rate_cycle", aliases: []string{"ratecycle"}, value: integer, most: maxInt32},
	{name: "rate_ignore_thinktime", value: boolean},
	{name: "thinkcycles", value: integer, most: maxInt32},
	{name: "thinktime", value: duration},
	{name: "thinktime_spin", value: duration},
	{name: "thinktime_iotime", value: duration},
	{name: "thinktime_blocks", value: integer, most: maxInt32},
	{name: "thinktime_blocks_type", value: oneOf("complete", "issue")},
	{name: "flow", value: integer, least: -maxInt32, most: maxInt32},
	{name: "flow_id", value: integer, most: maxInt32},
	{name: "flow_sleep", value: integer, most: maxInt32},
	{name: "max_latency", value: duration},
	{name: "latency_target", value: duration},
	{name: "latency_window", value: duration},
	{name: "latency_percentile", value: decimal},
	{name: "latency_run", value: boolean},

	// When, and for how long.
	{name: "runtime", aliases: []string{"timeout"}, field: "runtimeSeconds", value: duration},
	{name: "time_based", field: "timeBased", value: flag},
	{name: "ramp_time", field: "rampTimeSeconds", value: duration},
	{name: "startdelay", value: delays},
	{name: "loops", field: "loops", value: integer, least: 1, most: 1_000_000},
	{name: "stonewall", aliases: []string{"wait_for_previous"}, value: flag},
	{name: waitFor, value: kind{form: sectionName, example: "the name of a section above"}},
	{name: "new_group", value: flag},
	{name: "exitall", value: flag},
	{name: "exit_what", value: oneOf("group", "stonewall", "all")},
	{name: "exitall_on_error", value: flag},
	{name: "continue_on_error", value: oneOf("none", "read", "write", "io", "verify", "all", "0", "1")},
	{name: "steadystate", aliases: []string{"ss"}, value: matching(`(?:iops|bw)(?:_slope)?:`+decimalForm+`%?`, "a criterion such as iops:20% or bw_slope:10%")},
	{name: "steadystate_duration", aliases: []string{"ss_dur"}, value: duration},
	{name: "steadystate_ramp_time", aliases: []string{"ss_ramp"}, value: duration},
	{name: "steadystate_check_interval", aliases: []string{"ss_interval"}, value: duration},

	// What data.
	{name: "zero_buffers", value: flag},
	{name: "refill_buffers", value: flag},
	{name: "scramble_buffers", value: boolean},
	{name: "buffer_pattern", value: pattern},
	{name: "buffer_compress_percentage", value: integer, most: 100},
	{name: "buffer_compress_chunk", value: size},
	{name: "dedupe_percentage", value: integer, most: 100},
	{name: "dedupe_mode", value: oneOf("repeat", "working_set")},
	{name: "dedupe_global", value: boolean},
	{name: "dedupe_working_set_percentage", value: integer, most: 100},
	{name: "verify", value: oneOf("0", "md5", "crc64", "crc32", "crc32c", "crc32c-intel", "crc16", "crc7", "sha1", "sha256", "sha512", "sha3-224", "sha3-256", "sha3-384", "sha3-512", "xxhash", "meta", "pattern", "null")},
	{name: "do_verify", value: boolean},
	{name: "verify_only", value: flag},
	{name: "verify_write_sequence", value: boolean},
	{name: "verify_interval", value: size},
	{name: "verify_offset", value: size},
	{name: "verify_pattern", value: pattern},
	{name: "verify_fatal", value: boolean},
	{name: "verify_async", value: integer, most: 256},
	{name: "verify_async_cpus", value: cpus},
	{name: "verify_backlog", value: integer, most: unbounded},
	{name: "verify_backlog_batch", value: integer, most: maxInt32},
	{name: "verify_dump", value: oneOf("0")},
	{name: "verify_state_save", value: oneOf("0")},
	{name: "trim_percentage", value: integer, most: 100},
	{name: "trim_verify_zero", value: boolean},
	{name: "trim_backlog", value: integer, most: unbounded},
	{name: "trim_backlog_batch", value: integer, most: maxInt32},

	// With what memory and CPUs.
	{name: "mem", aliases: []string{"iomem"}, value: oneOf("malloc", "mmap", "shm")},
	{name: "iomem_align", aliases: []string{"mem_align"}, value: size},
	{name: "cpus_allowed", value: cpus},
	{name: "cpus_allowed_policy", value: oneOf("shared", "split")},
	{name: "cpumask", value: integer, most: maxInt32},
	{name: "numa_cpu_nodes", value: matching(cpusForm+`|all`, "node numbers such as 0-1")},
	{name: "numa_mem_policy", value: matching(`default|local|(?:prefer|bind|interleave):`+cpusForm, "a policy such as bind:0")},
	{name: "nice", value: integer, least: -20, most: 19},
	{name: "prio", value: integer, most: 7},
	{name: "prioclass", value: integer, most: 3},
	{name: "priohint", value: integer, most: 1023},
	{name: "clocksource", value: oneOf("gettimeofday", "clock_gettime", "cpu")},

	// What is measured.
	{name: "group_reporting", field: "group_reporting", value: flag},
	{name: "kb_base", value: oneOf("1000", "1024")},
	{name: "unit_base", value: oneOf("0", "1", "8")},
	{name: "clat_percentiles", value: oneOf("1")},
	{name: "lat_percentiles", value: boolean},
	{name: "slat_percentiles", value: boolean},
	{name: "unified_rw_reporting", value: oneOf("0", "none")},
	{name: "stats", value: oneOf("1")},
	{name: "disk_util", value: boolean},
	{name: "gtod_reduce", value: boolean},
	{name: "disable_lat", value: boolean},
	{name: "disable_clat", value: boolean},
	{name: "disable_slat", value: boolean},
	{name: "disable_bw_measurement", aliases: []string{"disable_bw"}, value: boolean},
	{name: "bwavgtime", value: integer, least: 1, most: maxInt32},
	{name: "iopsavgtime", value: integer, least: 1, most: maxInt32},
	{name: "significant_figures", value: integer, least: 1, most: 10},

	// Options of one engine.
	{name: "userspace_reap", value: flag, engines: []string{"libaio"}},
	{name: "libaio_vectored", value: boolean, engines: []string{"libaio"}},
	{name: "cmdprio_percentage", value: integers, engines: nativeEngines},
	{name: "cmdprio_class", value: integers, engines: nativeEngines},
	{name: "cmdprio", value: integers, engines: nativeEngines},
	{name: "cmdprio_hint", value: integers, engines: nativeEngines},
	{name: "cmdprio_bssplit", value: matching(`[0-9kKmMgGiIbB/:,]{1,255}`, "block sizes and percentages such as 64k/20:4k/0"), engines: nativeEngines},
	{name: "nowait", value: boolean, engines: nowaitEngines},
	{name: "hipri", value: flag, engines: pollEngines},
	{name: "hipri_percentage", value: integer, most: 100, engines: []string{"pvsync2"}},
	{name: "uncached", value: boolean, engines: pollEngines},
	{name: "fixedbufs", value: flag, engines: uringOnly},
	{name: "registerfiles", value: flag, engines: uringOnly},
	{name: "sqthread_poll", value: flag, engines: uringOnly},
	{name: "sqthread_poll_cpu", value: integer, most: 4095, engines: uringOnly},
	{name: "nonvectored", value: boolean, engines: uringOnly},
	{name: "force_async", value: integer, most: maxInt32, engines: uringOnly},
	{name: "thp", value: boolean, engines: []string{"mmap"}},
	{name: "stat_type", value: oneOf("stat", "lstat", "statx"), engines: lookups},
}

// byName finds the options that the guard lets pass by their names and aliases.
var byName = func() map[string]*option {
	index := map[string]*option{}
	for i := range knownOptions {
		known := &knownOptions[i]
		index[known.name] = known
		for _, alias := range known.aliases {
			index[alias] = known
		}
	}
	return index
}()

// byField finds the options that have a field of v1alpha1.FioParameters by its name.
var byField = func() map[string]*option {
	index := map[string]*option{}
	for i := range knownOptions {
		if known := &knownOptions[i]; known.field != "" {
			index[known.field] = known
		}
	}
	return index
}()

// Canonical returns the name of which another is an alias in fio, such as bs of blocksize, or the name itself.
func Canonical(name string) string {
	if known, ok := byName[name]; ok {
		return known.name
	}
	return name
}

// OptionName returns fio's name of an option that is called by a name of its own or by its field, such as runtime of
// runtimeSeconds, and any other name as it is.
func OptionName(name string) string {
	if known, ok := byField[name]; ok && byName[name] == nil {
		return known.name
	}
	return name
}

// FieldName returns the field of v1alpha1.FioParameters of an option that has one, by any of its names, and any other
// name as it is.
func FieldName(name string) string {
	if known := byName[name]; known != nil && known.field != "" {
		return known.field
	}
	return name
}

// fieldOf returns the field of v1alpha1.FioParameters in which an option, or another one that means the same, is set;
// "" if there is none.
func fieldOf(option string) string {
	switch option {
	case groupReporting:
		return ""
	case "rwmixwrite":
		option = "rwmixread"
	}
	return byName[option].field
}

// InOurWords returns what v1alpha1.FioParameters have for an option of fio that is none of their fields, such as
// runtimeSeconds: 60 for runtime and 60s; "" for a field, and for what is no option.
func InOurWords(name, value string) string {
	known := byName[name]
	if known == nil || known.field == name || name == optionsField {
		return ""
	}
	field := fieldOf(known.name)
	switch {
	case known.name == groupReporting:
		return "nothing: the jobs of numjobs are always reported together"
	case field == "":
		return fmt.Sprintf("options: {%s: %q}", name, value)
	case known.name == "rwmixwrite":
		return field + ": 100 less " + value
	case strings.HasSuffix(field, "Seconds"):
		if us, ok := parseMicroseconds(value); ok && us%second == 0 {
			value = fmt.Sprint(us / second)
		}
	case known.value.flag, known.value.form == boolean.form:
		value = fmt.Sprint(value != "0" && value != "false")
	}
	return field + ": " + value
}

// IsFlag reports whether an option takes no value on a command line, unless behind =.
func IsFlag(name string) bool {
	known, ok := byName[name]
	return ok && known.value.flag
}

// isAboutBytes reports whether values of an option are bytes, and not times, which have other units.
func isAboutBytes(name string) bool {
	known, ok := byName[name]
	return ok && known.value.measure != nil && known.value.measure("1g")
}
