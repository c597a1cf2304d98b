package fio

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// whereAndHowLong are options that do not change what each I/O does: where files are, how much and how long fio
// measures, and what it reports.
var whereAndHowLong = []string{
	"name", "description", "directory", "filename", "filename_format", "file_service_type", "openfiles", "unlink",
	"allow_file_create", "size", "filesize", "runtime", "time_based", "ramp_time", "startdelay", "loops", "create_on_open",
	"create_serialize", "create_fsync", "fallocate", "overwrite", "invalidate", "norandommap", "randrepeat",
	"allrandrepeat", "randseed", "thread", "stonewall", "new_group", groupReporting, "kb_base", "unit_base",
	"clat_percentiles",
	"slat_percentiles", "lat_percentiles", "percentile_list", "disk_util", "log_avg_msec", "write_bw_log", "write_lat_log",
	"write_iops_log", "write_hist_log", "log_hist_msec", "significant_figures",
}

// unsetValues are what fio takes for options that are not given, other than 0.
var unsetValues = map[string]string{
	"rw": "read", "bs": "4096", "ioengine": "psync", "iodepth": "1", "numjobs": "1", "nrfiles": "1", "rwmixread": "50",
}

// sameValues are values that have the same effect as another.
var sameValues = map[string]map[string]string{
	"rw":       {"readwrite": "rw"},
	"ioengine": {"sync": "psync", "pvsync": "psync", "pvsync2": "psync"},
	"sync":     {"none": "0"},
}

// Deviations returns how the only job of a file differs from that of another in what each I/O does, such as "bs is
// 4096, not 2300". Size and time are not compared.
func (f *JobFile) Deviations(from *JobFile) []string {
	jobs, wanted := f.jobs(), from.jobs()
	if len(jobs) != 1 || len(wanted) != 1 {
		return []string{fmt.Sprintf("it has %d jobs, not %d", len(jobs), len(wanted))}
	}
	own, other := jobs[0].effects(), wanted[0].effects()
	names := slices.Collect(maps.Keys(own))
	names = slices.AppendSeq(names, maps.Keys(other))
	slices.Sort(names)
	var all []string
	for _, name := range slices.Compact(names) {
		has, wants := own.valueOf(name), other.valueOf(name)
		if has == wants {
			continue
		}
		word := "is " + has
		if _, given := own[name]; !given {
			word = "is not set"
		}
		all = append(all, fmt.Sprintf("%s %s, not %s", name, word, wants))
	}
	return all
}

// effects are the options that change what each I/O does, in one spelling.
type effects map[string]string

func (e effects) valueOf(name string) string {
	if value, given := e[name]; given {
		return value
	}
	if unset, other := unsetValues[name]; other {
		return unset
	}
	return "0"
}

// effects returns the options of the job that change what each I/O does.
func (j *job) effects() effects {
	all := effects{}
	for name, option := range j.options {
		if !slices.Contains(whereAndHowLong, name) && j.has(name) && !j.isWithoutEffect(name) {
			all[name] = j.spelled(name, option)
		}
	}
	return all
}

// isWithoutEffect reports whether an option has no effect on this job.
func (j *job) isWithoutEffect(name string) bool {
	switch name {
	case "iodepth":
		return !j.queues
	case "rwmixread":
		return !j.isMixed()
	}
	return false
}

// spelled returns the value of an option as others spell it: bytes and numbers in digits, flags as 0 and 1.
func (j *job) spelled(name string, option *Option) string {
	if !option.HasValue {
		return "1"
	}
	if same, known := sameValues[name][option.Value]; known {
		return same
	}
	if bytes, ok := parseBytes(option.Value, j.kilo); ok && isAboutBytes(name) {
		return strconv.FormatInt(bytes, 10)
	}
	return option.Value
}

// Extents returns size and runtime of the only job of a file, in bytes and seconds. They are 0 where they are not
// known.
func (f *JobFile) Extents() (bytes, seconds int64) {
	jobs := f.jobs()
	if len(jobs) != 1 {
		return 0, 0
	}
	return jobs[0].size.bytes, jobs[0].runtime / second
}
