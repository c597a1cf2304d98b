package fioimport

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// imported is what an import is expected to be: a workload in YAML, or problems.
type imported struct {
	workload string
	block    bool
	notes    []string
	problems []string
}

// check compares an import with what it should be.
func (want imported) check(t *testing.T, got *Import, err error) {
	t.Helper()
	if diff := cmp.Diff(strings.Join(want.problems, "\n"), message(err)); diff != "" {
		t.Fatalf("problems (-want +got):\n%s", diff)
	}
	if err != nil {
		return
	}
	var workload v1alpha1.Workload
	if err := yaml.UnmarshalStrict([]byte(want.workload), &workload); err != nil {
		t.Fatal(err)
	}
	if workload.Fio != nil {
		explicit(workload.Fio)
	}
	if diff := cmp.Diff(&Import{Workload: workload, Block: want.block, Notes: want.notes}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// explicit writes down fio's defaults where those of spec.fio are others.
func explicit(p *v1alpha1.FioParameters) {
	timeBased := new(false)
	if ptr.Deref(p.TimeBased, false) {
		timeBased = nil // implied by a runtime
	}
	p.Inherit(&v1alpha1.FioParameters{IOEngine: new("psync"), Direct: new(false)})
	if *p.IOEngine == "libaio" {
		p.Inherit(&v1alpha1.FioParameters{IODepth: new(int32(1))})
	}
	p.TimeBased = timeBased
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

const kept = "what fio prints is kept of each run anyway"

// TestCommandLine: how arguments are read, and what becomes of them.
func TestCommandLine(t *testing.T) {
	for name, test := range map[string]struct {
		args string
		want imported
	}{
		"one dash or two, values behind = or apart": {
			"fio -rw=randwrite --bs 4k -size 1G --iodepth=4 --name=a -time_based --runtime 30 -direct 1",
			imported{workload: "{name: a, fio: {rw: randwrite, bs: 4k, size: 1G, iodepth: 4, timeBased: true, runtimeSeconds: 30, direct: true}}"},
		},
		"aliases and suffixes": {
			"/usr/bin/fio --name=a --readwrite=randread --blocksize=16kb --nr_files=2 --size=1gb --timeout=1h --wait_for_previous",
			imported{workload: "{name: a, fio: {rw: randread, bs: 16k, nrfiles: 2, size: 1g, runtimeSeconds: 3600}}"},
		},
		"without fio, the name last": {"-rw=read -size=1M -name=Seq_Read", imported{workload: "{name: seq-read, fio: {rw: read, size: 1M}}"}},
		"KiB, which is 1,000 bytes":  {"--name=a --rw=read --size=1M --bs=4KiB", imported{workload: "{name: a, fio: {rw: read, size: 1M, bs: '4000'}}", notes: []string{"bs=4KiB: to fio KiB are 1,000 bytes unless kb_base is 1000, so this is bs=4000; write k, m or g for powers of 1,024"}}},
		"KiB of kb_base 1000": {
			"--name=a --kb_base=1000 --rw=read --size=1M --bs=4KiB",
			imported{workload: "{name: a, fio: {rw: read, size: 1M, bs: '4096', options: {kb_base: '1000'}}}", notes: []string{"bs=4KiB: to fio KiB are 1,000 bytes unless kb_base is 1000, so this is bs=4096; write k, m or g for powers of 1,024"}},
		},
		"kb_base too late": {"--name=a --rw=read --size=1M --kb_base=1000", imported{problems: []string{"kb_base=1000: fio has read size=1M before it, with k for 1,024: write kb_base first"}}},
		"fio's own options": {
			"--output=x --output-format json --eta=always --name=a --rw=read --size=1M --minimal --status-interval=1 --readonly --client=host --write_bw_log=x --log_avg_msec=500",
			imported{workload: "{name: a, fio: {rw: read, size: 1M}}", notes: []string{
				"--output=x, --output-format=json, --eta=always, --minimal, --status-interval=1, write_bw_log=x, log_avg_msec=500 left out: " + kept,
				"--readonly left out: rw alone says whether fio writes",
				"--client=host left out: set spec.clients to measure from several nodes",
			}},
		},
		"a directory and a file": {
			"--name=a --rw=read --size=1M --directory=/mnt/a --numjobs=2 --group_reporting --filename=/mnt/a/f",
			imported{workload: "{name: a, fio: {rw: read, size: 1M, numjobs: 2, options: {filename: f}}}", notes: []string{
				"directory=/mnt/a left out: the volume of the target takes its place", "filename=/mnt/a/f: the volume of the target takes the place of /mnt/a",
			}},
		},
		"files on several": {
			`--name=a --rw=read --size=1M --filename=/mnt/a/f:/mnt/b/g:h`,
			imported{workload: "{name: a, fio: {rw: read, size: 1M, options: {filename: 'f:g:h'}}}", notes: []string{
				"filename=/mnt/a/f: the volume of the target takes the place of /mnt/a", "filename=/mnt/b/g: the volume of the target takes the place of /mnt/b",
				"/mnt/a, /mnt/b: a target is one volume, so all files are on the same",
			}},
		},
		"a file with a colon": {`--name=a --rw=read --size=1M --filename=h\:i`, imported{problems: []string{`filename=h\:i: a colon in the name of a file: rename it`}}},
		"files of one name":   {"--name=a --rw=read --size=1M --filename=/mnt/a/f:/mnt/b/f", imported{problems: []string{"filename=/mnt/a/f:/mnt/b/f: without their directories, files have the same name: rename one"}}},
		"a device": {
			"--name=a --rw=randread --filename=/dev/nvme1n1 --runtime=60 --time_based",
			imported{workload: "{name: a, fio: {rw: randread, size: 100%, runtimeSeconds: 60, timeBased: true}}", block: true, notes: []string{
				"filename=/dev/nvme1n1 left out: the volume of the target takes its place, without a file system (volumeMode Block)",
			}},
		},
		"all of a device": {
			"--name=a --rw=read --filename=/dev/sdb",
			imported{workload: "{name: a, fio: {rw: read, size: 100%}}", block: true, notes: []string{
				"filename=/dev/sdb left out: the volume of the target takes its place, without a file system (volumeMode Block)",
			}},
		},
		"two devices":         {"--name=a --rw=read --filename=/dev/sdb:/dev/sdc", imported{problems: []string{"/dev/sdb, /dev/sdc: a target is one volume: import each device by itself, or give several targets"}}},
		"a device and a file": {"--name=a --rw=read --size=1M --filename=/dev/sdb:/mnt/f", imported{problems: []string{"filename=/dev/sdb:/mnt/f: a volume is either a device or has files: import each by itself"}}},
		"a file in memory":    {"--name=a --rw=read --size=1M --filename=/dev/shm/f", imported{workload: "{name: a, fio: {rw: read, size: 1M, options: {filename: f}}}", notes: []string{"filename=/dev/shm/f: the volume of the target takes the place of /dev/shm"}}},
		"twice":               {"--name=a --rw=read --bs=4k --size=1M --blocksize=8k", imported{workload: "{name: a, fio: {rw: read, bs: 8k, size: 1M}}", notes: []string{"bs=4k left out: fio takes the last, blocksize=8k"}}},
		"numjobs apart":       {"--name=a --rw=read --size=1M --numjobs=4", imported{workload: "{name: a, fio: {rw: read, size: 1M, numjobs: 4}}", notes: []string{"the 4 jobs of numjobs are reported together, as with group_reporting"}}},
		"what parameters cannot say": {
			"--name=a --rw=read:8 --size=1M", imported{
				workload: "{name: a, jobFile: \"[a]\\nrw=read:8\\nsize=1M\\n\"}", notes: []string{"kept as a job file, because parameters cannot say it: rw=read:8 is more than a type of I/O"},
			},
		},
		"several jobs at the same time": {
			"--direct=1 --size=1M --name=a --rw=read --name=b --rw=write",
			imported{workload: "{name: a, jobFile: \"[global]\\ndirect=1\\nsize=1M\\n\\n[a]\\nrw=read\\n\\n[b]\\nrw=write\\n\"}", notes: []string{
				"2 jobs, all at the same time, are one fio run: they stay together as a job file, which gives 2 results (a, b)",
			}},
		},
		"several jobs one after the other": {
			"--name=global --size=1M --group_reporting --name=a --rw=read --name=b --rw=write --stonewall --name=c --rw=write --stonewall",
			imported{workload: "{name: a, jobFile: \"[global]\\nsize=1M\\ngroup_reporting\\n\\n[a]\\nrw=read\\n\\n[b]\\nrw=write\\nstonewall\\n\\n[c]\\nrw=write\\nstonewall\\n\"}", notes: []string{
				"3 jobs, one after the other, are one fio run: they stay together as a job file, which gives 3 results (a, b, c)",
			}},
		},
		"several jobs, partly": {
			"--size=1M --name=a --rw=read --name=b --rw=write --stonewall --name=c --rw=write",
			imported{workload: "{name: a, jobFile: \"[global]\\nsize=1M\\n\\n[a]\\nrw=read\\n\\n[b]\\nrw=write\\nstonewall\\n\\n[c]\\nrw=write\\n\"}", notes: []string{
				"3 jobs, some of them at the same time, are one fio run: they stay together as a job file, which gives 3 results (a, b, c)",
			}},
		},
		"all problems at once": {
			"--section=x --name=a --rw=read --size=1M --exec_prerun=id --uid=3 --runt=5 --direct --iodepth=x",
			imported{problems: []string{
				"--section=x: remove the other sections from the job file",
				"exec_prerun=id: section [a]: it runs commands: remove it",
				"uid=3: section [a]: it changes the user: set spec.pod.securityContext",
				"runt=5: section [a]: it is no option that storagebench knows: remove it",
				"direct: section [a]: it has no value: write direct=, then 1 or 0",
				"iodepth=x: section [a]: write a whole number",
			}},
		},
		"fio's own options that are refused": {
			"--server --section=b --help --trigger=reboot job.fio",
			imported{problems: []string{
				"--server: set spec.clients to measure from several nodes", "--section=b: remove the other sections from the job file", "--help: it measures nothing: remove it",
				"--trigger=reboot: it runs commands: remove it", "job.fio: fio takes it for the name of a job file: import that one with -f",
			}},
		},
		"no job":                             {"--rw=read --size=1M", imported{problems: []string{"there is no job: give it a name, such as --name=randwrite, before its options"}}},
		"nothing":                            {"fio", imported{problems: []string{"there is no job: give it a name, such as --name=randwrite, before its options"}}},
		"no size":                            {"--name=a --rw=read", imported{problems: []string{"section [a]: files need a size: write for example size=1G"}}},
		"a flag that stands before a number": {"--name=a --rw=read --size=1M --runtime=5 --time_based 1", imported{problems: []string{"1: fio takes it for the name of a job file: import that one with -f"}}},
		"a control character":                {"--name=a --rw=read --size=1M --bs=4k\x1b[1m", imported{problems: []string{`"bs=4k\x1b[1m": it has a character that cannot be printed: remove it`}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Options{}.CommandLine(strings.Fields(test.args))
			test.want.check(t, got, err)
		})
	}
}

// TestJobFile: of several jobs the text stays, with its comments.
func TestJobFile(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want imported
	}{
		"one section": {
			"; what\n[global]\ndirect=1\nbs=4k\n[Rand Write]\nrw=randwrite # how\nbs=8k\nsize=1M\n",
			imported{workload: "{name: rand-write, fio: {rw: randwrite, bs: 8k, size: 1M, direct: true}}"},
		},
		"several": {
			"# All.\n[global]\n\tdirectory = /mnt/a ; where\nsize = 128m\t# how much\nfilename=/mnt/a/f # one file\n\n[a]\nrw=read\nbs=4KiB\nbs=8KiB\n\n[b]\nrw=write\nstonewall\nlog_avg_msec=5\n\n\n",
			imported{
				workload: "name: a\njobFile: |\n  # All.\n  [global]\n  size=128m # how much\n  filename=f # one file\n\n  [a]\n  rw=read\n  bs=8000\n\n  [b]\n  rw=write\n  stonewall\n",
				notes: []string{
					"directory=/mnt/a left out: the volume of the target takes its place", "bs=4KiB left out: fio takes the last, bs=8KiB", "log_avg_msec=5 left out: " + kept,
					"filename=/mnt/a/f: the volume of the target takes the place of /mnt/a",
					"bs=8KiB: to fio KiB are 1,000 bytes unless kb_base is 1000, so this is bs=8000; write k, m or g for powers of 1,024",
					"2 jobs, one after the other, are one fio run: they stay together as a job file, which gives 2 results (a, b)",
				},
			},
		},
		"a comment that cannot be shown": {
			"# \x00\n[global]\nsize=1M\n[a]\n[b]\n",
			imported{workload: "name: a\njobFile: |\n  [global]\n  size=1M\n\n  [a]\n\n  [b]\n", notes: []string{"2 jobs, all at the same time, are one fio run: they stay together as a job file, which gives 2 results (a, b)"}},
		},
		"comments for which there is no room": {
			"# " + strings.Repeat("x", maxJobFile) + "\n[global]\nsize=1M\n[a]\n[b]\n",
			imported{workload: "name: a\njobFile: |\n  [global]\n  size=1M\n\n  [a]\n\n  [b]\n", notes: []string{"2 jobs, all at the same time, are one fio run: they stay together as a job file, which gives 2 results (a, b)"}},
		},
		"all of a device, with a global section at the end": {
			"[a]\nfilename=/dev/sdb\n[global]\nbs=4k\n",
			imported{workload: "{name: a, fio: {rw: read, size: 100%}}", block: true, notes: []string{
				"filename=/dev/sdb left out: the volume of the target takes its place, without a file system (volumeMode Block)",
			}},
		},
		"no job file": {"rw=read\n", imported{problems: []string{`line 1: option "rw=read" stands before any section: put a line such as [global] above it`}}},
		"refused": {
			"[global]\nsize=1M\nexec_prerun=id\ninclude x.fio\n[a]\nfilename=/mnt/f\n[b]\nioengine=rbd\nioscheduler=none\n",
			imported{problems: []string{
				"exec_prerun=id: line 3, section [global]: it runs commands: remove it",
				"include x.fio: line 4, section [global]: it reads another file: write the options of that file here",
				"ioengine=rbd: line 8, section [b]: it speaks to storage by itself, past the volume: write one of psync, sync, vsync, pvsync, pvsync2, libaio, io_uring, posixaio, mmap",
				"ioscheduler=none: line 9, section [b]: it changes the node's device settings: remove it",
			}},
		},
		"files of global and of a section": {
			"[global]\nsize=1M\nfilename=/mnt/f\n[a]\nfilename=/mnt/g\n",
			imported{problems: []string{"filename=g: line 5, section [a]: a [global] section above names files, and fio would use both: keep one"}},
		},
		"kb_base of a later global section": {
			"[a]\nbs=4KiB\nsize=1M\n[global]\nkb_base=1000\n[b]\nbs=4KiB\nsize=1M\n",
			imported{
				workload: "name: a\njobFile: |\n  [a]\n  bs=4000\n  size=1M\n  [global]\n  kb_base=1000\n  [b]\n  bs=4096\n  size=1M\n",
				notes: []string{
					"bs=4KiB: to fio KiB are 1,000 bytes unless kb_base is 1000, so this is bs=4000; write k, m or g for powers of 1,024",
					"bs=4KiB: to fio KiB are 1,000 bytes unless kb_base is 1000, so this is bs=4096; write k, m or g for powers of 1,024",
					"2 jobs, all at the same time, are one fio run: they stay together as a job file, which gives 2 results (a, b)",
				},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Options{}.JobFile(test.text)
			test.want.check(t, got, err)
		})
	}
}

func TestLabel(t *testing.T) {
	for name, want := range map[string]string{
		"gp3": "gp3", "Seq Read_4k": "seq-read-4k", "-a-": "a", "": "job", "ä": "job", strings.Repeat("a", 40): strings.Repeat("a", 32), strings.Repeat("a", 31) + "-b": strings.Repeat("a", 31), "fast.example.com": "fast-example-com",
	} {
		if got := Label(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}
