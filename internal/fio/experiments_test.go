package fio

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/fiorun"
)

// experiment is a published measurement that storagebench must be able to repeat, in all ways to write it.
type experiment struct {
	name string
	// published is how the author ran fio, for one row of the results.
	published string
	// parameters are the same, one workload a section.
	parameters map[string]v1alpha1.FioParameters
	// quick are options that make the job last a moment.
	quick map[string]string
	// groups, bytes and seconds are what is foretold, seconds 0 if size bounds the run.
	groups  []string
	bytes   int64
	seconds int64
}

const mebibyte = 1 << 20

func experiments() []experiment {
	return []experiment{{
		name: "E1 gp3 against EFS",
		published: `[randwrite]
ioengine=psync
direct=1
rw=randwrite
bs=16k
size=1G
numjobs=16
time_based
runtime=60
group_reporting
norandommap
`,
		parameters: map[string]v1alpha1.FioParameters{"randwrite": {
			RW: "randwrite", BS: new("16k"), IOEngine: new("psync"), Direct: new(true), Size: new("1G"),
			NumJobs: new(int32(16)), TimeBased: new(true), RuntimeSeconds: new(int32(60)), NoRandomMap: new(true),
		}},
		quick:  map[string]string{"size": "1M", "runtime": "200ms"},
		groups: []string{"randwrite"}, bytes: 16 * 1024 * mebibyte, seconds: 60,
	}, {
		name: "E2 gp2 against gp3",
		published: `# One file for all, one pattern after the other.
[global]
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
		parameters: map[string]v1alpha1.FioParameters{
			"rw-16k": {
				RW: "readwrite", BS: new("16k"), Direct: new(true), Size: new("128m"), NumJobs: new(int32(2)),
				Options: map[string]v1alpha1.FioOptionValue{"filename": "fio-bench", "stonewall": "1"},
			},
			"rw-256k": {
				RW: "readwrite", BS: new("256k"), Direct: new(true), Size: new("128m"), NumJobs: new(int32(16)),
				Options: map[string]v1alpha1.FioOptionValue{"filename": "fio-bench", "stonewall": "1"},
			},
		},
		quick:  map[string]string{"size": "1m"},
		groups: []string{"rw-16k", "rw-256k"}, bytes: 128 * mebibyte,
	}, {
		name: "E3 magnetic against SSD",
		published: `[global]
bs=16k
size=1G
numjobs=4
runtime=60
direct=1
invalidate=1
ioengine=libaio
group_reporting
[read]
rw=read
stonewall
[randrw]
stonewall
rw=randrw
rwmixread=70
`,
		parameters: map[string]v1alpha1.FioParameters{
			"read": {
				RW: "read", BS: new("16k"), Size: new("1G"), NumJobs: new(int32(4)), RuntimeSeconds: new(int32(60)), TimeBased: new(false),
				Direct: new(true), Invalidate: new(true), IOEngine: new("libaio"),
				Options: map[string]v1alpha1.FioOptionValue{"stonewall": "1"},
			},
			"randrw": {
				RW: "randrw", BS: new("16k"), Size: new("1G"), NumJobs: new(int32(4)), RuntimeSeconds: new(int32(60)), TimeBased: new(false),
				Direct: new(true), Invalidate: new(true), IOEngine: new("libaio"), RWMixRead: new(int32(70)),
				Options: map[string]v1alpha1.FioOptionValue{"stonewall": "1"},
			},
		},
		quick:  map[string]string{"size": "1M", "runtime": "1"},
		groups: []string{"read", "randrw"}, bytes: 8 * 1024 * mebibyte, seconds: 120,
	}, {
		name: "E4 EFS operations",
		published: `[write-1]
rw=write
bs=1
size=1
sync=1
loops=1000000
time_based=1
runtime=60
numjobs=40
group_reporting
`,
		parameters: map[string]v1alpha1.FioParameters{"write-1": {
			RW: "write", BS: new("1"), Size: new("1"), Sync: new("sync"), Loops: new(int32(1_000_000)),
			TimeBased: new(true), RuntimeSeconds: new(int32(60)), NumJobs: new(int32(40)),
		}},
		quick:  map[string]string{"numjobs": "2", "runtime": "200ms"},
		groups: []string{"write-1"}, bytes: 40, seconds: 60,
	}, {
		name: "E5 Mountpoint for S3",
		published: `[global]
ioengine=libaio
direct=1
kb_base=1024
iodepth=128
bs=8m
rw=read
stonewall
group_reporting
[500M-1]
size=500M
numjobs=1
[3g-16]
size=3g
numjobs=16
`,
		parameters: map[string]v1alpha1.FioParameters{
			"500M-1": {
				RW: "read", BS: new("8m"), IOEngine: new("libaio"), Direct: new(true), IODepth: new(int32(128)),
				Size: new("500M"), NumJobs: new(int32(1)),
				Options: map[string]v1alpha1.FioOptionValue{"kb_base": "1024", "stonewall": "1"},
			},
			"3g-16": {
				RW: "read", BS: new("8m"), IOEngine: new("libaio"), Direct: new(true), IODepth: new(int32(128)),
				Size: new("3g"), NumJobs: new(int32(16)),
				Options: map[string]v1alpha1.FioOptionValue{"kb_base": "1024", "stonewall": "1"},
			},
		},
		quick:  map[string]string{"size": "1m", "bs": "64k", "numjobs": "2"},
		groups: []string{"500M-1", "3g-16"}, bytes: 500*mebibyte + 16*3*1024*mebibyte,
	}}
}

// TestExperimentsMeanTheSameToFio compares what fio makes of the published job, of what storagebench makes
// of that, and of the same as parameters.
func TestExperimentsMeanTheSameToFio(t *testing.T) {
	t.Parallel()
	for _, e := range experiments() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			want := fioOptions(t, e.published)
			f := mustParse(t, e.published)
			if diff := cmp.Diff(want, fioOptions(t, f.String())); diff != "" {
				t.Errorf("job file (-published +rendered):\n%s", diff)
			}
			for name, p := range e.parameters {
				got := fioOptions(t, FromParameters(name, &p).String())
				if got[name]["time_based"] == "0" {
					delete(got[name], "time_based") // fio's default
				}
				if diff := cmp.Diff(want[name], got[name]); diff != "" {
					t.Errorf("parameters of %s (-published +rendered):\n%s", name, diff)
				}
			}
			if len(e.parameters) != len(e.groups) {
				t.Errorf("parameters for %d sections, want %d", len(e.parameters), len(e.groups))
			}
		})
	}
}

func TestExperimentsPass(t *testing.T) {
	t.Parallel()
	for _, e := range experiments() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			path := field.NewPath("spec", "workloads").Index(0)
			f := mustParse(t, e.published)
			for _, err := range Validate(path, f, corev1.PersistentVolumeFilesystem, false) {
				t.Error(err)
			}
			for name, p := range e.parameters {
				for _, err := range Validate(path, FromParameters(name, &p), corev1.PersistentVolumeFilesystem, false) {
					t.Error(err)
				}
			}
			if diff := cmp.Diff(e.groups, f.Groups()); diff != "" {
				t.Errorf("groups: %s", diff)
			}
			if got, ok := FileBytes(f); got != e.bytes || !ok {
				t.Errorf("FileBytes %d, %t, want %d", got, ok, e.bytes)
			}
			if got, ok := f.RuntimeSeconds(); got != e.seconds || ok != (e.seconds > 0) {
				t.Errorf("RuntimeSeconds %d, %t, want %d", got, ok, e.seconds)
			}
			if !f.NeedsLayout() {
				t.Error("NeedsLayout is false")
			}
		})
	}
}

// TestExperimentsRun runs the experiments with less to do.
func TestExperimentsRun(t *testing.T) {
	t.Parallel()
	for _, e := range experiments() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			f := mustParse(t, e.published)
			sections := f.Sections()
			for _, section := range sections {
				for i, o := range section.Options {
					if value, ok := e.quick[o.Name]; ok {
						section.Options[i].Value = value
					}
				}
			}
			f = sections.File()
			output := measure(t, f)
			if err := output.Err(); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, group := range output.Groups {
				names = append(names, group.Name)
				if group.Read == nil && group.Write == nil {
					t.Errorf("group %s measured nothing", group.Name)
				}
			}
			if diff := cmp.Diff(f.Groups(), names); diff != "" {
				t.Errorf("groups (-foretold +reported): %s", diff)
			}
		})
	}
}

// fioOptions asks fio for the effective options of each job of a job file.
func fioOptions(t *testing.T, text string) map[string]map[string]string {
	t.Helper()
	run := fiorun.Run(t, text, "--showcmd")
	if run.Code != 0 {
		t.Fatalf("fio --showcmd: %s%s\n%s", run.Stdout, run.Stderr, text)
	}
	shared, jobs := map[string]string{}, map[string]map[string]string{}
	options := shared
	for word := range strings.FieldsSeq(string(run.Stdout) + string(run.Output)) {
		name, value, hasValue := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		switch {
		case word == "fio":
		case name == "name":
			options = maps.Clone(shared)
			jobs[value] = options
		case !hasValue:
			options[name] = "1"
		default:
			options[Canonical(name)] = value
		}
	}
	for _, options := range jobs {
		if options["sync"] == "sync" {
			options["sync"] = "1"
		}
	}
	if len(jobs) == 0 {
		t.Fatalf("fio --showcmd named no jobs: %s", fmt.Sprint(run))
	}
	return jobs
}
