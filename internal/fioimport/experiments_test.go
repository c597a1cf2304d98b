package fioimport

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
)

// experiment is a way to run fio: a command line, or a job file.
type experiment struct {
	name, args, jobFile string
	// moved are the options about places and reports, which the operator sets.
	moved []string
	// sample is one of config/samples that measures the same, and samples the run of it by the names of jobs.
	sample  string
	samples map[string]string
}

// experiments are the published ones, as their authors ran them, and the ways in which people write the same.
func experiments() []experiment {
	return []experiment{{
		name:   "E1 gp3 against EFS",
		args:   "fio --name=randwrite --ioengine=psync --direct=1 --rw=randwrite --bs=16k --size=1G --numjobs=16 --time_based --runtime=60 --group_reporting --norandommap --directory=/mnt/efs",
		moved:  []string{"directory"},
		sample: "gp3-vs-efs", samples: map[string]string{"randwrite": "randwrite.bs-16k.gp3"},
	}, {
		name: "E2 gp2 against gp3",
		jobFile: `[global]
size=128m
filename=fio-bench
direct=1
group_reporting

[rw-16k]
rw=readwrite
bs=16k
numjobs=2
stonewall

[rw-256k]
rw=readwrite
bs=256k
numjobs=16
stonewall
`,
		sample: "gp2-vs-gp3", samples: map[string]string{"rw-16k": "mixed.bs-16k-numjobs-2.gp2.1", "rw-256k": "mixed.bs-256k-numjobs-16.gp3.4"},
	}, {
		name:   "E3 magnetic against SSD",
		args:   "fio -filename=/mnt/ssd/file1 -direct=1 -invalidate=1 -rw=randrw -rwmixread=70 -bs=16k -size=1G -numjobs=4 -runtime=60 -group_reporting -ioengine=libaio -name=randrw",
		moved:  []string{"filename"},
		sample: "magnetic-vs-ssd", samples: map[string]string{"randrw": "pattern.rw-randrw.gp2"},
	}, {
		name: "E3 as a job file",
		jobFile: `[global]
bs=16k
size=1G
numjobs=4
runtime=60
direct=1
invalidate=1
ioengine=libaio
group_reporting
directory=/mnt/ssd
[read]
rw=read
stonewall
[randrw]
stonewall
rw=randrw
rwmixread=70
`,
		moved: []string{"directory"}, sample: "magnetic-vs-ssd", samples: map[string]string{"read": "pattern.rw-read.gp2", "randrw": "pattern.rw-randrw.gp2"},
	}, {
		name:   "E4 EFS operations",
		args:   "fio --name=writes --rw=write --ioengine=psync --direct=1 --bs=1 --size=40k --sync=1 --time_based --runtime=30s --numjobs=40 --group_reporting --directory=/mnt/efs --output-format=json --output=out.json",
		moved:  []string{"directory"},
		sample: "efs-operations", samples: map[string]string{"writes": "writes.bs-1-clients-1-numjobs-40.efs"},
	}, {
		name:   "E5 Mountpoint for S3",
		args:   "fio --directory=/mnt/s3 --name=3g-16 --ioengine=libaio --direct=1 --kb_base=1024 --iodepth=128 --bs=8m --rw=read --stonewall --group_reporting --size=3g --numjobs=16",
		moved:  []string{"directory"},
		sample: "s3-sequential-reads", samples: map[string]string{"3g-16": "sequential-read.numjobs-16-size-3g.s3"},
	}, {
		name: "aliases, single dashes and values apart",
		args: "fio -readwrite randwrite -blocksize 16kb -nr_files=2 -timeout 1m -wait_for_previous -size 1gb -iodepth_batch_submit=2 -name=a -mem_align=4k -ioengine libaio --rate=1M,2mb",
	}, {
		name: "units",
		args: "--name=a --kb_base=1000 --bs=4KiB --size=1GB --rw=read --io_limit=512MiB --ramp_time=2000ms --runtime=2m --thinktime=5ms --zonesize=1MiB",
	}, {
		name: "KiB of 1,000 bytes", args: "--name=a --bs=4KiB,8Ki,16kb --size=1GiB --rw=randrw --offset=1MiB",
	}, {
		name: "switched on and off",
		args: "--name=a --rw=randread --size=1M --norandommap=1 --time_based=0 --thread --group_reporting=1 --direct=0 --fsync=0 --sync=dsync --end_fsync=1 --randrepeat=0 --bs=4k --bs=8k --runtime=0",
	}, {
		name: "jobs that run together",
		args: "fio --direct=1 --size=16M --group_reporting --name=a --rw=read --bs=4KiB --name=b --rw=randwrite --rwmixread=70 --numjobs=2 --runtime=500ms --name=global --iodepth=4 --name=c --stonewall",
	}, {
		name: "a device", args: "fio --name=a --filename=/dev/null0 --rw=randread --ioengine=libaio --iodepth=32 --runtime=30 --time_based --numjobs=2 --group_reporting", moved: []string{"filename", "size"}, // all of the device
	}}
}

// TestExperiments holds that fio understands what the operator makes of an import as it understands what was imported.
func TestExperiments(t *testing.T) {
	for _, e := range experiments() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			want, imported := e.published(t)
			sb, err := imported.Benchmark("", []v1alpha1.Target{class("c")})
			if err != nil {
				t.Fatal(err)
			}
			runs, problems := plan.Runs(readAgain(t, sb), nil)
			if len(problems) > 0 || len(runs) != 1 {
				t.Fatalf("%d runs, problems %v", len(runs), problems)
			}
			got := parsedFile(t, runs[0].Job.String())
			for job := range want {
				if imported.Workload.Fio == nil {
					compare(t, job, want[job], got[job], e.moved)
				} else {
					compare(t, job, want[job], got[imported.Workload.Name], append(e.moved, "stonewall"))
				}
			}
			if len(want) == 0 || len(want) != len(got) {
				t.Errorf("%d jobs, want %d", len(got), len(want))
			}
			for job, run := range e.samples {
				compare(t, run, want[job], sampleRun(t, e.sample, run), append(e.moved, "stonewall"))
			}
		})
	}
}

// published returns what fio understands of the experiment, and what it is imported as.
func (e experiment) published(t *testing.T) (map[string]options, *Import) {
	t.Helper()
	if e.jobFile != "" {
		imported, err := Options{}.JobFile(e.jobFile)
		if err != nil {
			t.Fatal(err)
		}
		return parsedFile(t, e.jobFile), imported
	}
	args := strings.Fields(e.args)
	imported, err := Options{}.CommandLine(args)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, slices.DeleteFunc(args, func(arg string) bool { return arg == "fio" || strings.HasPrefix(arg, "--output") })...), imported
}

// readAgain returns the spec of a benchmark as it is read again.
func readAgain(t *testing.T, sb *v1alpha1.StorageBenchmark) *v1alpha1.StorageBenchmarkSpec {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, sb); err != nil {
		t.Fatal(err)
	}
	again := &v1alpha1.StorageBenchmark{}
	if err := yaml.UnmarshalStrict(out.Bytes(), again); err != nil {
		t.Fatal(err)
	}
	return &again.Spec
}

// sampleRun returns what fio understands of a run of one of config/samples.
func sampleRun(t *testing.T, sample, run string) options {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "config", "samples", sample+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	sb := &v1alpha1.StorageBenchmark{}
	if err := yaml.UnmarshalStrict(text, sb); err != nil {
		t.Fatal(err)
	}
	runs, problems := plan.Runs(sb.Spec.Default(), nil)
	at := slices.IndexFunc(runs, func(r plan.Run) bool { return r.Name == run })
	if len(problems) > 0 || at < 0 {
		t.Fatalf("no run %s in %s, problems %v", run, sample, problems)
	}
	return parsedFile(t, runs[at].Job.String())[runs[at].Workload.Name]
}

// options are values by fio's own names of options, as fio has parsed them.
type options map[string]string

// compare compares what fio understands of two jobs, but what the operator sets and what is fio's default.
func compare(t *testing.T, job string, want, got options, moved []string) {
	t.Helper()
	defaults := options{"kb_base": "1024", "group_reporting": "1", "time_based": "0", "runtime": "0", "ioengine": "psync", "iodepth": "1", "direct": "0"}
	usual := func(o options) options {
		o = maps.Clone(o)
		for _, name := range moved {
			delete(o, name)
		}
		for name, value := range defaults {
			if o[name] == value {
				delete(o, name)
			}
		}
		if o["rw"] != "randrw" && o["rw"] != "rw" && o["rw"] != "readwrite" {
			delete(o, "rwmixread")
		}
		return o
	}
	if diff := cmp.Diff(usual(want), usual(got)); diff != "" {
		t.Errorf("job %s (-as published +as imported):\n%s", job, diff)
	}
}

var (
	aboutSection = regexp.MustCompile(`^parse +\d+ +Parsing section \[(.*)\]$`)
	aboutOption  = regexp.MustCompile(`^parse +\d+ +handle_option=(\w+), ptr=(.*)$`)
	aboutValue   = regexp.MustCompile(`^parse +\d+ +ret=0, out=(-?\d+)$`)
)

// parsedFile returns what fio understands of a job file, by the names of jobs.
func parsedFile(t *testing.T, text string) map[string]options {
	t.Helper()
	path := filepath.Join(t.TempDir(), "job.fio")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return parsed(t, path)
}

// parsed asks fio what it understands of arguments, by the names of jobs: of numbers the value that it has read.
func parsed(t *testing.T, args ...string) map[string]options {
	t.Helper()
	program, err := exec.LookPath("fio")
	if err != nil {
		t.Fatalf("these tests run fio: install package fio (%v)", err)
	}
	command := exec.CommandContext(t.Context(), program, append([]string{"--debug=parse", "--parse-only"}, args...)...)
	command.Dir = t.TempDir()
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("fio %q: %v\n%s", args, err, said)
	}
	shared, jobs := options{}, map[string]options{}
	current, last := shared, ""
	begin := func(name string) {
		if current = shared; !strings.HasPrefix(name, "global") {
			current = maps.Clone(shared)
			jobs[name] = current
		}
	}
	for line := range strings.Lines(string(said)) {
		line = strings.TrimRight(line, "\n")
		if section := aboutSection.FindStringSubmatch(line); section != nil {
			begin(section[1])
		}
		if option := aboutOption.FindStringSubmatch(line); option != nil {
			last = option[1]
			if last == "name" {
				begin(option[2])
				continue
			}
			current[last] = named(option[1], option[2])
		}
		if value := aboutValue.FindStringSubmatch(line); value != nil && last != "name" {
			current[last] = value[1]
		}
	}
	return jobs
}

// named writes values alike that are names of the same.
func named(option, value string) string {
	if option != "sync" {
		return value
	}
	switch value {
	case "1":
		return "sync"
	case "0":
		return "none"
	default:
		return value
	}
}
