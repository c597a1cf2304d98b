package fio

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/fiorun"
)

// refused returns what the guard says of a job file.
func refused(t *testing.T, text string, mode corev1.PersistentVolumeMode, readOnly bool) field.ErrorList {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("jobFile"), "", err.Error())}
	}
	return Validate(nil, f, mode, readOnly)
}

// TestAttacks holds what must never reach fio. Each line is put into a job that is fine without it.
func TestAttacks(t *testing.T) {
	for _, lines := range [][]string{
		{ // run commands
			"exec_prerun=id", "exec_prerun = id", "  exec_prerun=id", "exec_postrun=id", "exec_prerun", "EXEC_PRERUN=id", "exec=id",
			"ioengine=exec", "program=/bin/sh", "arguments=-c id", "ioengine=external:/data/evil.so", "ioengine=/data/evil.so",
			"ioengine=libaio:/x", "ioengine=psync,exec", "ioengine=psync exec", "ioengine=PSYNC", "ioengine=", "ioengine",
			"profile=tiobench", "trigger=id", "trigger-file=/data/x", "trigger-remote=id", "bs=$ncpus'; id; '",
			"size=$mb_memory+1", "iodepth=$ncpus*2", "bs=`id`", "description=`id`", "description=$(id)", "description='id'",
		}, { // other engines
			"ioengine=null", "ioengine=net", "ioengine=netsplice", "ioengine=cpuio", "ioengine=rdma", "ioengine=sg",
			"ioengine=splice", "ioengine=io_uring_cmd", "ioengine=http", "ioengine=libhdfs", "ioengine=nbd", "ioengine=libiscsi",
			"ioengine=filelink", "ioengine=ftruncate", "ioengine=mtd", "ioengine=xnvme",
			"ioengine=rados", "ioengine=e4defrag", "ioengine=dev-dax", "ioengine=libpmem", "ioengine=posixaio_", "hostname=10.0.0.1", "uri=nbd://x",
		}, { // leave the volume
			"filename=/etc/passwd", "filename=../x", "filename=x/../../y", "filename=..", "filename=.", "filename=-", "filename=sub/x",
			"filename=a:/etc/passwd", `filename=a\:b`, `filename=a\:/etc/passwd`, "filename=:/etc/passwd", "filename=a:", "filename=a::b",
			`filename=\\.\PhysicalDrive0`, "filename=${HOME}/x", "filename=$jobname", "filename =/etc/passwd", "filename=a b", "filename=.hidden",
			"filename_format=/etc/$jobname", "filename_format=../$jobnum", "filename_format=$jobname/$jobnum", "filename_format=..",
			"filename_format=$ncpus", "filename_format=$jobname$pagesize", "filename_format=${HOME}", "filename_format=$", "filename_format=-",
			"filename_format=" + strings.Repeat("$jobname", 60),
			"directory=/", "directory=/proc:/sys", "directory=.", "opendir=/etc", "opendir=.",
			"include /etc/passwd", "include=/etc/passwd", "include\t/etc/passwd", "includes", "include",
			"write_bw_log=/etc/x", "write_bw_log", "write_lat_log=x", "write_iops_log=x", "write_hist_log=x", "per_job_logs=1", "log_avg_msec=1",
			"log_compression=1", "log_store_compressed=1", "write_iolog=x", "read_iolog=/etc/passwd", "read_iolog=-", "read_iolog_chunked=1",
			"replay_redirect=/dev/sda", "replay_no_stall=1", "replay_skip=write", "merge_blktrace_file=/x", "merge_blktrace_iters=1",
			"verify_state_load=1", "verify_state_save=1", "verify_dump=1", "aux-path=/etc", "mem=mmaphuge:/etc/x", "mem=mmapshared:/etc/x",
			"mem=cudamalloc", "iomem=mmap:/etc/x", "mem=mmaphuge", "buffer_pattern='/etc/passwd'", "verify_pattern='/etc/passwd'",
			`buffer_pattern="x"'/etc/passwd'`, "dedupe_mode=/x", "cmdprio_bssplit=1/2", "output=/etc/x", "bandwidth-log", "mmapfile=/x",
		}, { // reach the node or other users
			"cgroup=x", "cgroup_weight=100", "cgroup_nodelete=1", "uid=0", "gid=0", "ioscheduler=none", "allow_mounted_write=1", "allow_mounted_write=0",
			"lockmem=1t", "gtod_cpu=0", "chroot=/x", "client=10.0.0.1", "server", "idle-prof=percpu", "nodev=1", "zone_reset_threshold=1",
		}, { // change what is reported
			"unified_rw_reporting=1", "unified_rw_reporting=mixed", "unified_rw_reporting=both", "unified_rw_reporting=2", "clat_percentiles=0",
			"percentile_list=50", "stats=0", "output-format=terse", "terse-version=3", "minimal", "status-interval=1", "name=other", "ignore_error=EIO",
			"error_dump=1", "block_error_percentiles=1", "create_only=1", "wait_for=other", "eta=always", "group_reporting=yes", "parse-only",
		}, { // be read otherwise by fio
			"rw=read;rw=write=1", "bs=4k=4k", "bs==4k", "=4k", "bs", "bs=", "b=4k", "blocksiz=4k", "Bs=4k", "bs=4kk", "bs=4 k", "bs=-4k", "bs=4k,,,4k", "bs=0x1000",
			"bs=(4*1024)", "size=1e9", "size=1.5g", "size=16384p", "size=999999999999999p", "size=4zb", "size=-1", "size=101%", "size=0%", "size=10z",
			"runtime=30sec", "runtime=5min", "runtime=-1", "runtime=1:30", "runtime=999999999999d", "iodepth=0", "iodepth=70000", "numjobs=0", "numjobs=1025",
			"numjobs=-1", "numjobs=1k", "numjobs=2,3", "nrfiles=0", "nrfiles=1000000", "direct=true", "direct=2", "direct", "thread=on", "stonewall=yes", "rw=reads",
			"rw=read,write", "rw=", "rw", "rwmixread=101", "latency_percentile=99.9:50", "verify_async_cpus=0;1x", "random_distribution=zoned:x", "description=",
			"description=" + strings.Repeat("x", 129), "cpus_allowed=0-", "bssplit=" + strings.Repeat("4k/1:", 999), "hipri=1", "--bs=4k", "-bs=4k", "[b", "bs=4k]",
			"b\u0073=\u202e4k", "bs=4k\u00a0", "\u200bbs=4k", "direct=1\u2028rw=write", "bs=４k",
		},
	} {
		for _, line := range lines {
			text := "[a]\nsize=1M\nfallocate=none\n" + line + "\n"
			if line, _, _ := strings.Cut(line, ";"); strings.HasPrefix(line, "size") {
				text = "[a]\nfallocate=none\n" + line + "\n"
			}
			for _, mode := range []corev1.PersistentVolumeMode{corev1.PersistentVolumeFilesystem, corev1.PersistentVolumeBlock} {
				errs := refused(t, text, mode, false)
				if len(errs) == 0 && !harmless[line] {
					t.Errorf("%s: %q passes", mode, line)
				}
				for _, err := range errs {
					if strings.HasSuffix(err.Error(), "\n") || len(err.Error()) > 1024 {
						t.Errorf("%q: message %q", line, err)
					}
				}
			}
		}
	}
}

// harmless are lines that look like an attack and are not: what is after ; is a comment.
var harmless = map[string]bool{
	"rw=read;rw=write=1": true, "verify_async_cpus=0;1x": true, "bs=$ncpus'; id; '": false, "size=4zb": false, "bs=4k\u00a0": true,
}

func TestSectionNames(t *testing.T) {
	for name, want := range map[string]string{
		"seq-rw 16k (QD=4)":     "",
		"500M@1+1,2":            "",
		"global":                "",
		"globals":               "rename the section",
		"global2":               "rename the section",
		"/dev/sda":              "fio names files after it",
		"..":                    "fio names files after it",
		"-x":                    "fio names files after it",
		" x":                    "fio names files after it",
		"a/b":                   "fio names files after it",
		`a\b`:                   "fio names files after it",
		"a:b":                   "fio names files after it",
		"$jobnum":               "fio names files after it",
		"a%s":                   "fio names files after it",
		"`id`":                  "fio names files after it",
		"\u00e4":                "fio names files after it",
		strings.Repeat("x", 65): "fio names files after it",
		"other":                 "occurs twice",
	} {
		errs := refused(t, fmt.Sprintf("[other]\nsize=1M\n[%s]\nsize=1M\n", name), corev1.PersistentVolumeFilesystem, false)
		got := ""
		if len(errs) > 0 {
			got = errs.ToAggregate().Error()
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("[%s]: %q, want %q in it", name, got, want)
		}
	}
}

func TestExtent(t *testing.T) {
	sections := func(n int, options string) string {
		var text strings.Builder
		text.WriteString("[global]\nsize=4k\n")
		for i := range n {
			fmt.Fprintf(&text, "[s%d]\n%s", i, options)
		}
		return text.String()
	}
	fs := corev1.PersistentVolumeFilesystem
	for name, tt := range map[string]struct{ text, want string }{
		"16 groups":            {sections(16, ""), ""},
		"17 groups":            {sections(17, ""), "17 groups of results: a job file may have 16"},
		"200 in one":           {"[global]\ngroup_reporting\n" + sections(200, ""), ""},
		"4096 processes":       {"[global]\ngroup_reporting\nnumjobs=256\n" + sections(16, ""), ""},
		"more processes":       {"[global]\ngroup_reporting\nnumjobs=257\n" + sections(16, ""), "4112 clones"},
		"257 sections":         {sections(256, ""), "257 sections: a job file may have 256"},
		"many options":         {sections(250, "bs=4k\nrw=read\ndirect=1\niodepth=1\nthread\n"), "1251 options"},
		"twice":                {"[a]\nsize=1M\nbs=4k\nblocksize=8k\n", "given twice, first as bs=4k"},
		"a million files":      {"[a]\nsize=1G\nnrfiles=10000\nnumjobs=100\n", ""},
		"more files":           {"[a]\nsize=1G\nnrfiles=10000\nnumjobs=101\n", "1010000 files"},
		"reported differently": {"[a]\nsize=1M\n[b]\nsize=1M\ngroup_reporting\n", "fio drops results"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if errs := refused(t, tt.text, fs, false); len(errs) > 0 {
				got = errs.ToAggregate().Error()
			}
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q in it", got, tt.want)
			}
		})
	}
	many := strings.Repeat("[a]\nexec_prerun=id\nopendir=/\n", 100)
	if errs := refused(t, many, fs, false); len(errs) != maxErrors {
		t.Errorf("%d errors, want %d", len(errs), maxErrors)
	}
}

func TestWhereOptionsGo(t *testing.T) {
	const fs, block = corev1.PersistentVolumeFilesystem, corev1.PersistentVolumeBlock
	for _, tt := range []struct {
		text     string
		mode     corev1.PersistentVolumeMode
		readOnly bool
		want     string
	}{
		{"[a]\nsize=1M\nfilename=x:y\n", fs, false, ""},
		{"[a]\nsize=1M\nfilename=x\n", block, false, "the operator sets it to the device"},
		{"[a]\nsize=1M\nfilename_format=$jobname.$jobnum\n", fs, false, ""},
		{"[a]\nsize=1M\nfilename_format=$jobname\n", block, false, "it is about files"},
		{"[a]\nsize=1M\nnrfiles=2\n", block, false, "it is about files"},
		{"[a]\nsize=1M\nunlink=1\n", block, false, "it is about files"},
		{"[a]\nfilesize=1M\n", fs, false, ""},
		{"[a]\nfilesize=1M\n", block, false, "size takes its place"},
		{"[global]\nfilename=x\nsize=1M\n[a]\nfilename=y\n", fs, false, "fio would use both"},
		{"[a]\nfilename=x\nsize=1M\n[b]\nfilename=y\nsize=1M\n", fs, false, ""},
		{"[a]\n", fs, false, "files need a size"},
		{"[a]\nsize=0\n", fs, false, "files need a size"},
		{"[a]\nfill_device=1\n", fs, false, ""},
		{"[a]\nruntime=10\n", block, false, ""},
		{"[a]\nsize=50%\n", block, false, ""},
		{"[a]\nsize=50%\n", fs, false, "a percentage is for raw block devices"},
		{"[a]\nsize=1M\noffset=50%\n", fs, false, "a percentage is for raw block devices"},
		{"[a]\nsize=1M\nio_size=50%\n", fs, false, ""},
		{"[a]\nsize=1M\nrw=randtrim\n", fs, false, "trims are for raw block devices"},
		{"[a]\nsize=1M\nrw=randtrim\n", block, false, ""},
		{"[a]\nsize=1M\nrw=randread:8\n", block, true, ""},
		{"[a]\nsize=1M\n", block, true, ""},
		{"[a]\nsize=1M\nrw=write\n", block, true, "is only read"},
		{"[a]\nsize=1M\nrw=randrw\n", block, true, "is only read"},
		{"[a]\nsize=1M\nrw=trim\n", block, true, "is only read"},
		{"[a]\nsize=1M\nreadwrite=rw\n", block, true, "is only read"},
		{"[global]\nrw=write\n[a]\nsize=1M\n", block, true, "is only read"},
		{"[global]\nrw=write\n[a]\nsize=1M\nrw=read\n", block, true, ""},
		{"[a]\nsize=1M\nhipri\nioengine=pvsync2\n", fs, false, ""},
		{"[a]\nsize=1M\nhipri\n", fs, false, "ioengine psync does not know it"},
		{"[global]\nhipri\nsize=1M\n[a]\nioengine=io_uring\n[b]\nioengine=libaio\n", fs, false, "ioengine libaio does not know it"},
		{"[a]\nsize=1M\nbs=4KiB\n", fs, false, "fio takes KiB for 1,000 bytes"},
		{"[a]\nsize=1MiB\nkb_base=1000\n", fs, false, ""},
		{"[a]\nsize=1Mi\n", fs, false, ""},
		{"[a]\nsize=1M\ndirect=1\nbuffered=1\n", fs, false, "opposite of direct"},
		{"[a]\nsize=1M\nrate=1m\nrate_iops=5\n", fs, false, "either rate or rate_iops"},
		{"[a]\nsize=1M\nrate_iops=0\n", fs, false, ""},
		{"[a]\nsize=1M\nrw=randrw\nrwmixwrite=30\n", fs, false, ""},
		{"[a]\nsize=1M\ntime_based\n", fs, false, "would never end"},
		{"[a]\nsize=1M\ntime_based\nruntime=0\n", fs, false, "would never end"},
		{"[a]\nsize=1M\ntime_based=0\n", fs, false, ""},
		{"[global]\nname=any thing/$x\n[a]\nsize=1M\n", fs, false, ""},
		{"[a]\nname=b\nsize=1M\n", fs, false, "name the section instead"},
		{"[a]\nsize=1M\nfilename=x\nfilename=y\n", fs, false, "fio uses both: write one list with colons"},
		{"[a]\nfilesize=1M\nsize=50%\n", fs, false, ""},
		{"[a]\nfilesize=0\nsize=50%\n", fs, false, "a percentage is for raw block devices"},
		{"[a]\nrw=read:-8k\nsize=1M\n", block, true, ""},
		{"[a]\nrw=write:-8k\nsize=1M\n", block, true, "is only read"},
		{"[a]\nrw=randread:-8\nsize=1M\n", fs, false, "write one of read"},
		{"[a]\nsize=1M\n[b]\nsize=1M\nwait_for=a\n", fs, false, ""},
		{"[a]\nsize=1M\nwait_for=b\n[b]\nsize=1M\n", fs, false, "no such section above"},
		{"[a]\nsize=1M\nwait_for=a\n", fs, false, "no such section above"},
		{"[global]\nwait_for=a\n[a]\nsize=1M\n[b]\nsize=1M\n", fs, false, "no such section above"},
		{"[a]\nsize=1M\nwait_for\n", fs, false, "it has no value: write wait_for=, then the name of a section above"},
		{"[a]\nsize=1M\nrate=,500k\nbs=,8k\nrate_min=,,1k\n", fs, false, ""},
		{"[a]\nsize=1M\nrate=,\n", fs, false, "write a number of bytes"},
		{"[a]\nsize=1M\nrate=,,\n", fs, false, "write a number of bytes"},
		{"[a]\nsize=1M\nrate=,1k,1k,1k\n", fs, false, "write a number of bytes"},
		{"[global]\nbs=16k\n[a]\nsize=1M\nblocksize=,8k\n", fs, false, "write all values here"},
		{"[a]\nsize=1M\nbs=16k\n[b]\nsize=1M\nbs=,8k\n", fs, false, ""},
		{"[a]\nsize=1M\nbsrange=512:4k,1k-8k\n", fs, false, ""},
		{"[a]\nsize=1M\nioengine=libaio\ncmdprio_bssplit=4k/20:64k/0\nlibaio_vectored=1\n", fs, false, ""},
		{"[global]\nsize=1M\nss=iops:5%\n[a]\nss_dur=10\n[b]\nss_dur=10s\n", fs, false, ""},
		{"[global]\nsize=1M\nss=iops:5%\n[a]\n[b]\nss_dur=0\n", fs, false, ""},
		{"[global]\nsize=1M\nss_dur=10\n[a]\nss=iops:5%\n[b]\nss=bw:5%\nnew_group\n", fs, false, ""},
		{"[global]\nsize=1M\nss_dur=10\n[a]\nss=iops:5%\n[b]\nss=bw:5%\n", fs, false, "fio wants the same steadystate options of both"},
		{"[a]\nsize=1M\nss=iops:5%\nss_dur=9\n[b]\nsize=1M\n", fs, false, "fio wants the same steadystate options of both"},
		{"[a]\nsize=1M\ncmdprio_bssplit=4k/20\n", fs, false, "ioengine psync does not know it"},
	} {
		got := ""
		if errs := refused(t, tt.text, tt.mode, tt.readOnly); len(errs) > 0 {
			got = errs.ToAggregate().Error()
		}
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%q on %s, read only %t: %q, want %q in it", tt.text, tt.mode, tt.readOnly, got, tt.want)
		}
	}
}

// TestReasons: what is refused is refused for what is true of it, with what to write instead.
func TestReasons(t *testing.T) {
	const engines = ": write one of psync, sync, vsync, pvsync, pvsync2, libaio, io_uring, posixaio, mmap"
	for option, want := range map[string]string{
		"ioengine=null":                         "it does no I/O" + engines,
		"ioengine=aio":                          "it is another name of libaio" + engines,
		"ioengine=external:/x.so":               "it loads a program" + engines,
		"ioengine=rdma":                         "it sends data from machine to machine, past the volume" + engines,
		"ioengine=nbd":                          "it speaks to storage by itself, past the volume" + engines,
		"ioengine=sg":                           "it is for devices of another kind than volumes" + engines,
		"ioengine=falloc":                       "it moves blocks of files and no data" + engines,
		"ioengine=splice":                       "write one of psync, sync, vsync, pvsync, pvsync2, libaio, io_uring, posixaio, mmap",
		"bs=${BS}":                              "fio takes it from the environment that it runs in, which is another one here: write a number of bytes such as 4k, or up to three with commas (reads, writes, trims)",
		"numjobs=$ncpus":                        "it depends on the machine that fio runs on: write a whole number",
		"size=8*$pagesize":                      "it depends on the machine that fio runs on: write a number of bytes such as 10G, or a percentage from 1% to 100%",
		"size=4z":                               "it counts zones of a zoned block device, which no volume is: write a number of bytes such as 10G, or a percentage from 1% to 100%",
		"bs=(4*1024)":                           "it has to be worked out first: write a number of bytes such as 4k, or up to three with commas (reads, writes, trims)",
		"steadystate=lat:5%":                    "fio has it since 3.42, and the runner has fio 3.39: write a criterion such as iops:20% or bw_slope:10%",
		"ss=lat_slope:5%":                       "fio has it since 3.42, and the runner has fio 3.39: write a criterion such as iops:20% or bw_slope:10%",
		"random_distribution=sequence:2,0":      "no released fio knows it: write one of random, zipf:1.2, pareto:0.9, normal:50, zoned:60/10:40/90",
		"stats=0":                               "it leaves the job out of fio's report, and each has a result: write one of 1",
		"verify_dump=1":                         "it writes files outside of the volume: write one of 0",
		"unified_rw_reporting=both":             "results have reads, writes and trims apart: write one of 0, none",
		"end_syncfs=1":                          "fio has it since 3.42, and the runner has fio 3.39: write end_fsync=1, which syncs each file",
		"ramp_size=1G":                          "fio has it since 3.42, and the runner has fio 3.39: write ramp_time",
		"comm=x":                                "fio has it since 3.42, and the runner has fio 3.39: remove it; it only names fio's process",
		"filetype=file":                         "fio has it since 3.41, and the runner has fio 3.39: remove it; fio finds out the type of a file by itself",
		"verify_header_seed=0":                  "fio has it since 3.40, and the runner has fio 3.39: remove it",
		"random_sequence_stride=1":              "no released fio knows it: remove it",
		"max_open_zones=8":                      "it is for zoned block devices, which no volume is: remove it",
		"write_zone_remainders=1":               "it is for zoned block devices, which no volume is: remove it",
		"write_mode=write":                      "it is for ioengine io_uring_cmd, which sends a device commands of its own, past the volume: remove it",
		"fdp_pli=1,2":                           "it is for ioengine io_uring_cmd, which sends a device commands of its own, past the volume: remove it",
		"offset=50%":                            "a percentage is for raw block devices, because a file has no size yet: write a number of bytes such as 1G",
		"threads=1":                             "it is no option that storagebench knows: did you mean thread? Otherwise remove it",
		"write_bw_log=x":                        "it writes log files: remove it; the histogram of latencies is part of each result",
		"random_distribution=sequence:${ORDER}": "no released fio knows it: write one of random, zipf:1.2, pareto:0.9, normal:50, zoned:60/10:40/90",
	} {
		text := "[a]\nfilesize=1M\n" + option + "\n"
		got := ""
		if errs := refused(t, text, corev1.PersistentVolumeFilesystem, false); len(errs) > 0 {
			got = errs[0].Detail
		}
		if diff := cmp.Diff("line 3, section [a]: "+want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", option, diff)
		}
	}
}

// TestRunnerVersion: the version of fio that refusals name is the one of the image.
func TestRunnerVersion(t *testing.T) {
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if want := "\nARG FIO_VERSION=" + runnerVersion + "-"; !strings.Contains(string(text), want) {
		t.Errorf("no %q in the Dockerfile", want)
	}
}

// TestMessages shows what users read.
func TestMessages(t *testing.T) {
	jobFile := field.NewPath("spec", "workloads").Index(0)
	typedPath := field.NewPath("spec", "workloads").Index(1)
	jobs := func(text string) *JobFile { return mustParse(t, text) }
	typed := func(p v1alpha1.FioParameters) *JobFile { return FromParameters("w", &p) }
	options := func(name string, value v1alpha1.FioOptionValue) map[string]v1alpha1.FioOptionValue {
		return map[string]v1alpha1.FioOptionValue{name: value}
	}
	for _, tt := range []struct {
		path *field.Path
		file *JobFile
		want string
	}{
		{jobFile, jobs("[a]\nsize=1M\nexec_prerun=id\n"),
			`spec.workloads[0].jobFile: Invalid value: "exec_prerun=id": line 3, section [a]: it runs commands: remove it`},
		{jobFile, jobs("[a]\nsize=1M\nblokcsize=4k\n"),
			`spec.workloads[0].jobFile: Invalid value: "blokcsize=4k": line 3, section [a]: it is no option that storagebench knows: did you mean blocksize? Otherwise remove it`},
		{jobFile, jobs("[a]\nsize=1M\niodepht=4\n"),
			`spec.workloads[0].jobFile: Invalid value: "iodepht=4": line 3, section [a]: it is no option that storagebench knows: did you mean iodepth? Otherwise remove it`},
		{jobFile, jobs("[a]\nsize=1M\nfrobnicate\n"),
			`spec.workloads[0].jobFile: Invalid value: "frobnicate": line 3, section [a]: it is no option that storagebench knows: remove it`},
		{jobFile, jobs("[a]\nsize=1M\nbs\n"),
			`spec.workloads[0].jobFile: Invalid value: "bs": line 3, section [a]: it has no value: write bs=, then a number of bytes such as 4k, or up to three with commas (reads, writes, trims)`},
		{jobFile, jobs("[a]\n"),
			`spec.workloads[0].jobFile: Required value: section [a]: files need a size: write for example size=1G`},
		{jobFile, jobs("[a]\nsize=1M\niodepth=0\n"),
			`spec.workloads[0].jobFile: Invalid value: "iodepth=0": line 3, section [a]: write a whole number from 1 to 65536`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M"), IOEngine: new("exec")}),
			`spec.workloads[1].fio.ioengine: Invalid value: "exec": it runs commands: write one of psync, sync, vsync, pvsync, pvsync2, libaio, io_uring, posixaio, mmap`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", RuntimeSeconds: new(int32(5))}),
			`spec.workloads[1].fio.size: Required value: files need a size: write for example size=1G`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M"), TimeBased: new(true)}),
			`spec.workloads[1].fio.timeBased: Invalid value: "1": the job would never end: set runtime, for example to 60`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M"), Options: options("exec_prerun", "id")}),
			`spec.workloads[1].fio.options[exec_prerun]: Invalid value: "id": it runs commands: remove it`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M"), Options: options("thinktime", "1\nexec_prerun=id")}),
			`spec.workloads[1].fio.options[thinktime]: Invalid value: "1 exec_prerun=id": write a time such as 60, 60s, 5m or 500ms`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M"), Options: options("thinktime=1\nexec_prerun", "id")}),
			"spec.workloads[1].fio.options[thinktime=1 exec_prerun]: Invalid value: \"id\": it is no option that storagebench knows: remove it"},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M"), Options: options("runtimeSeconds", "5")}),
			`spec.workloads[1].fio.options[runtimeSeconds]: Invalid value: "5": it is the name of a field: set it there`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M"), RuntimeSeconds: new(int32(5)), Options: options("timeout", "5")}),
			`spec.workloads[1].fio.options[timeout]: Invalid value: "5": it has a field of its own: set runtimeSeconds`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M"), BS: new("4k"), Options: options("blocksize", "4k")}),
			`spec.workloads[1].fio.options[blocksize]: Invalid value: "4k": it has a field of its own: set bs`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M"), Options: options("group_reporting", "0")}),
			`spec.workloads[1].fio.options[group_reporting]: Invalid value: "0": the clones of a job of parameters are always reported together: remove it, or write a jobFile`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M"), Direct: new(true), Options: options("buffered", "1")}),
			`spec.workloads[1].fio.options[buffered]: Invalid value: "1": it is the opposite of direct, which is given too: keep one`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "randrw", Size: new("1M"), RWMixRead: new(int32(70)), Options: options("rwmixwrite", "30")}),
			`spec.workloads[1].fio.options[rwmixwrite]: Invalid value: "30": it has a field of its own: set rwmixread`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "randrw", Size: new("1M"), Options: options("rwmixwrite", "30")}).With([]Setting{{"rwmixread", "50"}}),
			`spec.workloads[1].fio.options[rwmixwrite]: Invalid value: "30": it has a field of its own: set rwmixread`},
		{jobFile, jobs("[global]\nrwmixread=70\n[a]\nrw=randrw\nsize=1M\nrwmixwrite=20\n"),
			`spec.workloads[0].jobFile: Invalid value: "rwmixwrite=20": line 6, section [a]: it is 100 less rwmixread, which is given too (rwmixread=70): keep one`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M"), RateIOPS: new(intstr.FromString("0"))}),
			`spec.workloads[1].fio.rateIOPS: Invalid value: "0": fio takes 0 for no limit, so that the job has none: write at least 1, or remove it`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "write", Size: new("1M"), RateIOPS: new(intstr.FromString("100,0"))}),
			`spec.workloads[1].fio.rateIOPS: Invalid value: "100,0": fio takes 0 for no limit, so that the job has none: write at least 1, or remove it`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "write", Size: new("1M"), Rate: new("0")}),
			`spec.workloads[1].fio.rate: Invalid value: "0": fio takes 0 for no limit, so that the job has none: write at least 1, or remove it`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "write", Size: new("1M"), Options: options("rate_iops", "0")}),
			`spec.workloads[1].fio.options[rate_iops]: Invalid value: "0": it has a field of its own: set rateIOPS`},
		{jobFile, jobs("[a]\nsize=1M\n").With([]Setting{{"rateIOPS", "0"}}),
			`spec.workloads[0].matrix[rateIOPS]: Invalid value: "0": fio takes 0 for no limit, so that these runs have none: write at least 1, and a workload of its own for runs without a limit`},
		{jobFile, jobs("[a]\nsize=1M\n").With([]Setting{{"exec_prerun", "id"}}),
			`spec.workloads[0].matrix[exec_prerun]: Invalid value: "id": it runs commands: remove it`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M")}).With([]Setting{{"runtimeSeconds", "soon"}}),
			`spec.workloads[1].matrix[runtimeSeconds]: Invalid value: "soon": write a time such as 60, 60s, 5m or 500ms`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M")}).With([]Setting{{"stonewall", "1"}}),
			`spec.workloads[1].matrix[stonewall]: Invalid value: "1": it decides what makes one result, which has to be the same in all cases: remove it`},
		{typedPath, typed(v1alpha1.FioParameters{RW: "read", Size: new("1M")}).With([]Setting{{"bs", "4 k"}}),
			`spec.workloads[1].matrix[bs]: Invalid value: "4 k": write a number of bytes such as 4k, or up to three with commas (reads, writes, trims)`},
	} {
		errs := Validate(tt.path, tt.file, corev1.PersistentVolumeFilesystem, false)
		if len(errs) != 1 {
			t.Errorf("%d errors, want one: %s", len(errs), tt.want)
			continue
		}
		if diff := cmp.Diff(tt.want, errs[0].Error()); diff != "" {
			t.Error(diff)
		}
	}
}

// newerOptions are those that fio 3.33 does not know, and the runner's does.
var newerOptions = []string{"steadystate_check_interval", "priohint", "cmdprio_hint", "thinkcycles", "verify_write_sequence", "libaio_vectored"}

// TestFioKnowsWhatPasses gives each option that passes, by each of its names and with each value of a list,
// to the installed fio.
func TestFioKnowsWhatPasses(t *testing.T) {
	t.Parallel()
	known := slices.DeleteFunc(slices.Clone(knownOptions), func(o option) bool { return slices.Contains(newerOptions, o.name) })
	if run := fiorun.Run(t, jobOfEach(t, known), "--parse-only"); run.Code != 0 {
		t.Errorf("fio: %s%s%s", run.Stdout, run.Stderr, run.Output)
	}
}

// TestNewerFioKnowsWhatPasses gives all options to a fio as new as the runner's.
func TestNewerFioKnowsWhatPasses(t *testing.T) {
	t.Parallel()
	if run := fiorun.RunNewer(t, jobOfEach(t, knownOptions), "--parse-only"); run.Code != 0 {
		t.Errorf("fio: %s%s%s", run.Stdout, run.Stderr, run.Output)
	}
}

// jobOfEach returns a job file with a section for each name and sample value of options.
func jobOfEach(t *testing.T, options []option) string {
	t.Helper()
	var text strings.Builder
	section := 0
	for _, o := range options {
		engine := "psync"
		if o.engines != nil {
			engine = o.engines[0]
		}
		for _, name := range append([]string{o.name}, o.aliases...) {
			for _, value := range sampleValues(t, o) {
				section++
				fmt.Fprintf(&text, "[s%d]\n", section)
				if o.name != "ioengine" {
					fmt.Fprintf(&text, "ioengine=%s\n", engine)
				}
				fmt.Fprintf(&text, "%s=%s\n", name, value)
			}
		}
	}
	return text.String()
}

// sampleValues returns values of an option that the guard lets pass: all that its example lists, or one.
func sampleValues(t *testing.T, o option) []string {
	t.Helper()
	if value, ok := map[string]string{"verify_interval": "512", "verify_offset": "64", "bsrange": "4k-8k", "size": "1M", waitFor: "s1"}[o.name]; ok {
		return []string{value}
	}
	if values, ok := strings.CutPrefix(o.value.example, "one of "); ok {
		return strings.Split(values, ", ")
	}
	words := strings.Fields(o.value.example)
	for _, sample := range append([]string{"1", "0", "4k", "10s", "0-1"}, words...) {
		sample = strings.TrimSuffix(sample, ",")
		if o.value.form.MatchString(sample) && (!o.value.number || o.contains(sample)) {
			return []string{sample}
		}
	}
	t.Fatalf("no sample for option %s: %s", o.name, o.value.example)
	return nil
}

// TestEveryEngineRuns runs each engine that passes, but for io_uring, which the machine may forbid.
func TestEveryEngineRuns(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		if engine == "io_uring" {
			continue
		}
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			output := measure(t, mustParse(t, "[a]\nrw=randrw\nsize=64k\nioengine="+engine+"\n"))
			if err := output.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOptionsTable(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range knownOptions {
		for _, name := range append([]string{o.name}, o.aliases...) {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
		if o.value.number && o.least > o.most || !o.value.number && o.least+o.most != 0 {
			t.Errorf("%s: bounds %d to %d", o.name, o.least, o.most)
		}
		for _, engine := range o.engines {
			if !slices.Contains(engines, engine) && !IsMetadata(engine) {
				t.Errorf("%s: engine %s is not let pass", o.name, engine)
			}
		}
	}
}
