package fio

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/internal/humanize"
)

// refusal says why options are not let pass whose names begin alike.
type refusal struct {
	prefix, reason, remedy string
}

// refusals are the options that deserve more of an answer than that they are not known.
var refusals = []refusal{
	{"exec", "it runs commands", "remove it"},
	{"include", "it reads another file", "write the options of that file here"},
	{"directory", "the operator sets it to the volume under test", "remove it; filename takes plain names"},
	{"opendir", "it names files outside of the volume", "remove it; use filename or nrfiles"},
	{"name", "results are known by the section's name", "name the section instead"},
	{"write_mode", commandsOnly, "remove it"},
	{"write_zone_", zonedOnly, "remove it"},
	{"write_", "it writes log files", "remove it; the histogram of latencies is part of each result"},
	{"log_", "it is about log files", "remove it; the histogram of latencies is part of each result"},
	{"per_job_logs", "it is about log files", "remove it"},
	{"read_iolog", "it reads a trace outside of the volume", "describe the I/O with rw, bs and rate"},
	{"replay", "it replays a trace outside of the volume", "remove it"},
	{"merge_blktrace", "it reads and writes traces outside of the volume", "remove it"},
	{"verify_state_load", "it reads files outside of the volume", "remove it"},
	{"cgroup", "it changes cgroups of the node", "set spec.pod.resources"},
	{"uid", "it changes the user", "set spec.pod.securityContext"},
	{"gid", "it changes the group", "set spec.pod.securityContext"},
	{"ioscheduler", "it changes the node's device settings", "remove it"},
	{"profile", "it replaces the job file by a program's own", "write the options out"},
	{"allow_mounted_write", "it destroys file systems in use", "remove it"},
	{"create_only", "the operator lays out files before it measures", "remove it"},
	{"ignore_error", "it hides failures", "remove it"},
	{"error_dump", "it is about ignored errors", "remove it"},
	{"percentile_list", "results have the percentiles 50 to 99.99 and the whole histogram", "remove it"},
	{"block_error_percentiles", "it changes what fio reports", "remove it"},
	{"experimental_verify", "it is about traces", "remove it"},
	{"lockmem", "it needs privileges that the pod does not have", "remove it"},
	{"gtod_cpu", "it takes a CPU of the node", "remove it"},
	{"max_open_zones", zonedOnly, "remove it"},
	{"job_max_open_zones", zonedOnly, "remove it"},
	{"read_beyond_wp", zonedOnly, "remove it"},
	{"zone_reset_", zonedOnly, "remove it"},
	{"ignore_zone_limits", zonedOnly, "remove it"},
	{"recover_zbd_write_error", zonedOnly, "remove it"},
	{"cmd_type", commandsOnly, "remove it"},
	{"fdp", commandsOnly, "remove it"},
	{"md_per_io_size", commandsOnly, "remove it"},
	{"pi_", commandsOnly, "remove it"},
	{"apptag", commandsOnly, "remove it"},
	{"comm", since("3.42"), "remove it; it only names fio's process"},
	{"end_syncfs", since("3.42"), "write end_fsync=1, which syncs each file"},
	{"ramp_size", since("3.42"), "write ramp_time"},
	{"filetype", since("3.41"), "remove it; fio finds out the type of a file by itself"},
	{"sprandom", since("3.41"), "remove it"},
	{"spr_", since("3.41"), "remove it"},
	{"verify_header_seed", since("3.40"), "remove it"},
	{"verify_pattern_interval", since("3.40"), "remove it"},
	{"verify_policy", noRelease, "remove it"},
	{"random_sequence_stride", noRelease, "remove it"},
}

const (
	zonedOnly    = "it is for zoned block devices, which no volume is"
	commandsOnly = "it is for ioengine io_uring_cmd, which sends a device commands of its own, past the volume"
	noRelease    = "no released fio knows it"
)

// runnerVersion is the version of fio in the runner's image.
const runnerVersion = "3.39"

// since is the reason for which what another version brings is refused.
func since(version string) string {
	return "fio has it since " + version + ", and the runner has fio " + runnerVersion
}

// whyRefused says why an option is not among those that pass, and what to do.
func whyRefused(name string) (reason, remedy string) {
	for _, r := range refusals {
		if strings.HasPrefix(name, r.prefix) {
			return r.reason, r.remedy
		}
	}
	if _, ok := byField[name]; ok {
		return "it is the name of a field", "set it there"
	}
	if similar := humanize.Closest(name, slices.Sorted(maps.Keys(byName))); similar != "" {
		return "it is no option that storagebench knows", "did you mean " + similar + "? Otherwise remove it"
	}
	return "it is no option that storagebench knows", "remove it"
}

// valueRefusal says why values of an option are not let pass that begin alike.
type valueRefusal struct{ option, prefix, reason string }

var valueRefusals = []valueRefusal{
	{"steadystate", "lat", since("3.42")},
	{"random_distribution", "sequence", noRelease},
	{"stats", "0", "it leaves the job out of fio's report, and each has a result"},
	{"verify_dump", "1", "it writes files outside of the volume"},
	{"verify_state_save", "1", "it writes files outside of the volume"},
	{"clat_percentiles", "0", "results have percentiles"},
	{"unified_rw_reporting", "", "results have reads, writes and trims apart"},
}

// engineRefusals say of engines why they are not let pass.
var engineRefusals = []struct {
	engines []string
	reason  string
}{
	{[]string{"null", "cpuio", "page_fault"}, "it does no I/O"},
	{[]string{"exec"}, "it runs commands"},
	{[]string{"external"}, "it loads a program"},
	{[]string{"aio", "linuxaio"}, "it is another name of libaio"},
	{[]string{"net", "netsplice", "rdma", "librpma_apm_client", "librpma_apm_server", "librpma_gpspm_client", "librpma_gpspm_server"}, "it sends data from machine to machine, past the volume"},
	{
		[]string{"rbd", "rados", "http", "nfs", "libiscsi", "nbd", "gfapi", "gfapi_async", "libhdfs", "dfs", "ime_psync", "ime_psyncv", "ime_aio"},
		"it speaks to storage by itself, past the volume",
	},
	{
		[]string{"sg", "io_uring_cmd", "libzbc", "xnvme", "libblkio", "mtd", "dev-dax", "libpmem", "pmemblk", "libcufile", "libhipfile"},
		"it is for devices of another kind than volumes",
	},
	{[]string{"falloc", "ftruncate", "e4defrag"}, "it moves blocks of files and no data"},
}

var (
	zones       = form(`[0-9]+z`)
	machineWord = regexp.MustCompile(`\$(?:ncpus|pagesize|mb_memory)`)
)

// whyValue says why a value of an option that passes is not let pass: "" if that is only for its form.
func whyValue(option, value string) string {
	for _, r := range valueRefusals {
		if r.option == option && strings.HasPrefix(value, r.prefix) {
			return r.reason
		}
	}
	engine, _, _ := strings.Cut(value, ":")
	for _, r := range engineRefusals {
		if option == "ioengine" && slices.Contains(r.engines, engine) {
			return r.reason
		}
	}
	switch {
	case strings.Contains(value, "${"):
		return "fio takes it from the environment that it runs in, which is another one here"
	case machineWord.MatchString(value):
		return "it depends on the machine that fio runs on"
	case zones.MatchString(value) && isAboutBytes(option):
		return "it counts zones of a zoned block device, which no volume is"
	case strings.HasPrefix(value, "("):
		return "it has to be worked out first"
	default:
		return ""
	}
}
