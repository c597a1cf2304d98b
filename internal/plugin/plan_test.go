package plugin

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// execution is what a command printed, and whether it failed, with exit code 1.
type execution struct {
	Out, Err string
	Failed   bool
}

func execute(t *testing.T, in string, args ...string) execution {
	t.Helper()
	var out, notes bytes.Buffer
	cmd := newCommand("dev")
	cmd.SetArgs(args)
	cmd.SetIn(strings.NewReader(in))
	cmd.SetOut(&out)
	cmd.SetErr(&notes)
	err := cmd.ExecuteContext(t.Context())
	return execution{out.String(), notes.String(), err != nil}
}

const e1 = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: gp3-vs-efs}
spec:
  targets:
  - {name: gp3, storageClassName: gp3, capacity: 30Gi}
  - {name: efs, claimName: efs}
  workloads:
  - name: randwrite
    fio: {rw: randwrite, ioengine: psync, direct: true, size: 1G, numjobs: 16, timeBased: true, runtimeSeconds: 60, norandommap: true}
    matrix: {bs: [16k, 64k]}
`

const e1Plan = `NUMBER  RUN                   WORKLOAD   PARAMETERS  TARGET  REPETITION  RUNTIME
     1  randwrite.bs-16k.gp3  randwrite  bs=16k      gp3              1     1m0s
     2  randwrite.bs-16k.efs  randwrite  bs=16k      efs              1     1m0s
     3  randwrite.bs-64k.gp3  randwrite  bs=64k      gp3              1     1m0s
     4  randwrite.bs-64k.efs  randwrite  bs=64k      efs              1     1m0s

4 runs on 2 targets, at least 4m0s of measuring

Estimated time: at least 4m8s
  4m0s      fio measures
  8s        pods start and report
Not in it: volumes being made, images being pulled, waiting for nodes, and storage that is slower than its limits.
Not known: writing test files on gp3, efs. The spec does not tell what limits or files there are.
`

const bySize = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: by-size}
spec:
  targets: [{name: t, storageClassName: gp3}]
  workloads: [{name: w, fio: {rw: read, size: 1M, timeBased: false}}]
`

const bySizePlan = `NUMBER  RUN  WORKLOAD  TARGET  REPETITION  RUNTIME
     1  w.t  w         t                1  by size

1 run on 1 target

Estimated time: at least 2s
  2s        pods start and report
Not in it: volumes being made, images being pulled, waiting for nodes, and storage that is slower than its limits.
Not known: writing test files on t. The spec does not tell what limits or files there are.
Not known: runs that end by size on t. The spec does not tell what limits or files there are.
`

const known = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: known}
spec:
  targets:
  - {name: gp3, capacity: 30Gi, ebs: {throughput: 125}}
  - {name: efs, claimName: efs, limits: {bytesPerSecond: 104857600}}
  workloads:
  - {name: w, fio: {rw: write, bs: 1m, size: 1G, timeBased: false}}
`

const knownPlan = `NUMBER  RUN    WORKLOAD  TARGET  REPETITION  RUNTIME
     1  w.gp3  w         gp3              1  by size
     2  w.efs  w         efs              1  by size

2 runs on 2 targets

Estimated time: about 41s
  19s       fio measures
  19s       test files are written, before the first run on a target, at the limits of its storage
  4s        pods start and report
Not in it: volumes being made, images being pulled, waiting for nodes, and storage that is slower than its limits.
`

// deleted has files that fio deletes behind each run, and others that stay: 1 GiB at 125 MiB/s takes 8.192 s, four times here, and once.
const deleted = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: deleted}
spec:
  repetitions: 2
  targets:
  - {name: gp3, capacity: 30Gi, ebs: {throughput: 125}}
  workloads:
  - {name: log, fio: {rw: write, bs: 1m, size: 1G, timeBased: false, options: {unlink: "1"}}, matrix: {iodepth: [1, 2], ioengine: [libaio]}}
  - {name: data, fio: {rw: write, bs: 1m, size: 1G, timeBased: false}}
`

const deletedEstimate = `
Estimated time: about 1m43s
  50s       fio measures
  9s        test files are written, before the first run on a target, at the limits of its storage
  33s       test files are written, before each run that deletes them (unlink, filedelete), at the limits of its storage
  12s       pods start and report
Not in it: volumes being made, images being pulled, waiting for nodes, and storage that is slower than its limits.
`

const small = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: small}
spec:
  targets:
  - {name: gp3, ebs: {}}
  workloads:
  - {name: files, fio: {rw: read, ioengine: filecreate, nrfiles: 1000, size: 4000k, runtimeSeconds: 60}}
`

const smallPlan = `NUMBER  RUN        WORKLOAD  TARGET  REPETITION     RUNTIME
     1  files.gp3  files     gp3              1  up to 1m0s

1 run on 1 target

Estimated time: up to 1m2s
  1m0s      fio measures
  2s        pods start and report
Not in it: volumes being made, images being pulled, waiting for nodes, and storage that is slower than its limits.
Runs that create, look up or delete files end with the last file. No limit tells how long that takes.
`

const restored = `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: restored}
spec:
  targets:
  - {name: empty, capacity: 30Gi, volumeMode: Block, ebs: {}}
  - name: restored
    capacity: 30Gi
    volumeMode: Block
    ebs: {}
    dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: db}
  workloads:
  - {name: w, fio: {rw: randread, runtimeSeconds: 60, timeBased: true}}
`

const restoredPlan = `NUMBER  RUN         WORKLOAD  TARGET    REPETITION  RUNTIME
     1  w.empty     w         empty              1     1m0s
     2  w.restored  w         restored           1     1m0s

2 runs on 2 targets, at least 2m0s of measuring
Volumes of target restored are made from VolumeSnapshot db, and nothing is laid out on them.

Estimated time: about 2m4s
  2m0s      fio measures
  4s        pods start and report
Not in it: volumes being made, images being pulled, waiting for nodes, and storage that is slower than its limits.
`

const clientsPlan = `NUMBER  RUN                      WORKLOAD   PARAMETERS  TARGET  CLIENTS  REPETITION  RUNTIME
     1  randwrite.clients-1.gp3  randwrite  clients=1   gp3           1           1     1m0s
     2  randwrite.clients-1.efs  randwrite  clients=1   efs           1           1     1m0s
     3  randwrite.clients-4.gp3  randwrite  clients=4   gp3           4           1     1m0s
     4  randwrite.clients-4.efs  randwrite  clients=4   efs           4           1     1m0s

4 runs on 2 targets, at least 4m0s of measuring

Estimated time: at least 4m14s
  4m0s      fio measures
  14s       pods start and report
Not in it: volumes being made, images being pulled, waiting for nodes, and storage that is slower than its limits.
Not known: writing test files on gp3, efs. The spec does not tell what limits or files there are.
`

func TestPlan(t *testing.T) {
	for name, test := range map[string]struct {
		in   string
		want execution
	}{
		"one benchmark":         {e1, execution{Out: e1Plan}},
		"limits that are known": {known, execution{Out: knownPlan}},
		"operations on files":   {small, execution{Out: smallPlan}},
		"volumes of snapshots":  {restored, execution{Out: restoredPlan}},
		"among others": {
			"# Nothing but a comment.\n---\napiVersion: v1\nkind: Service\nfoo: bar\n---\n" + bySize + "---\napiVersion: storagebench.dev/v1\nkind: StorageBenchmark\n",
			execution{Out: bySizePlan, Err: "document 2: skipped, it is a Service of v1\ndocument 4: skipped, it is a StorageBenchmark of storagebench.dev/v1\n"},
		},
		"several": {bySize + "---\n" + bySize, execution{Out: "by-size\n\n" + bySizePlan + "\nby-size\n\n" + bySizePlan}},
		"clients": {
			strings.Replace(e1, "matrix: {bs: [16k, 64k]}", "clients: [1, 4]", 1), execution{Out: clientsPlan},
		},
		"too many clients": {
			strings.Replace(bySize, "spec:\n", "spec:\n  clients: 129\n", 1),
			execution{Err: "by-size: spec.clients: Invalid value: 129: give a number of clients from 1 to 128, such as 4\n" +
				"Error: standard input: 1 of 1 StorageBenchmarks cannot be carried out\n", Failed: true},
		},
		"fio's spelling": {
			strings.NewReplacer("size: 1M", `size: 1M, runtime: 60s, blocksize: 4k, rate_iops: 500, thinktime: 1ms, time_based: 1, iodeth: 4`).Replace(bySize),
			execution{Err: `document 1: spec.workloads[0].fio.iodeth: Forbidden: there is no such field: did you mean iodepth?
document 1: spec.workloads[0].fio.blocksize: Forbidden: this is fio's own spelling: write bs: 4k
document 1: spec.workloads[0].fio.rate_iops: Forbidden: this is fio's own spelling: write rateIOPS: 500
document 1: spec.workloads[0].fio.runtime: Forbidden: this is fio's own spelling: write runtimeSeconds: 60
document 1: spec.workloads[0].fio.thinktime: Forbidden: this is fio's own spelling: write options: {thinktime: "1ms"}
document 1: spec.workloads[0].fio.time_based: Forbidden: this is fio's own spelling: write timeBased: true
Error: standard input: 1 of 1 StorageBenchmarks cannot be carried out
`, Failed: true},
		},
		"JSON": {
			`{"apiVersion": "storagebench.dev/v1alpha1", "kind": "StorageBenchmark", "metadata": {"name": "j"}, "spec": {"targets": [{"name": "t", "storageClassName": "c"}], ` +
				`"workloads": [{"name": "w", "fio": {"rw": "read", "size": "1M", "timeBased": false}}]}}`, execution{Out: bySizePlan},
		},
		"unknown fields": {
			strings.NewReplacer("storageClassName", "class", "size", "length").Replace(bySize) + "---\n" + bySize,
			execution{Out: bySizePlan, Err: "document 1: spec.targets[0].class: Forbidden: there is no such field: did you mean storageClassName?\n" +
				"document 1: spec.workloads[0].fio.length: Forbidden: there is no such field: known are bs, direct, endFsync, fdatasync, fsync, invalidate, iodepth, ioengine, loops, norandommap, nrfiles, numjobs and 10 more\n" +
				"Error: standard input: 1 of 2 StorageBenchmarks cannot be carried out\n", Failed: true},
		},
		"a key twice": {
			strings.Replace(bySize, "rw: read", "rw: read, rw: write", 1),
			execution{Err: "document 1: yaml: unmarshal errors:\n  line 6: key \"rw\" already set in map\nError: standard input: 1 of 1 StorageBenchmarks cannot be carried out\n", Failed: true},
		},
		"a type that is another": {
			strings.Replace(bySize, "[{name: t, storageClassName: gp3}]", "gp3", 1),
			execution{Err: "document 1: json: cannot unmarshal string into Go struct field StorageBenchmarkSpec.spec.targets of type []v1alpha1.Target\n" +
				"Error: standard input: 1 of 1 StorageBenchmarks cannot be carried out\n", Failed: true},
		},
		"values that YAML misreads": {
			strings.Replace(bySize, "size: 1M, timeBased: false}", "size: 1M, options: {thinktime: 100, zero_buffers: yes}}, matrix: {direct: [true, off, 1, \"0\"], steadystate_ramp_time: [99.9], size: [5000000000], bs: 4k}", 1),
			execution{Err: "document 1: spec.workloads[0].fio.options[thinktime]: Invalid value: 100: it is a number, and options take text: put it into quotes\n" +
				"document 1: spec.workloads[0].fio.options[zero_buffers]: Invalid value: true: it is a boolean, and options take text: write \"1\", as for fio\n" +
				"document 1: spec.workloads[0].matrix[bs]: Invalid value: \"4k\": a matrix has a list of values for each option: put it into [ ]\n" +
				"document 1: spec.workloads[0].matrix[direct][0]: Invalid value: true: it is a boolean, and a matrix takes text and whole numbers: write 1, as for fio\n" +
				"document 1: spec.workloads[0].matrix[direct][1]: Invalid value: false: it is a boolean, and a matrix takes text and whole numbers: write 0, as for fio\n" +
				"document 1: spec.workloads[0].matrix[size][0]: Invalid value: 5000000000: it is more than 2147483647: put it into quotes, so that it is text\n" +
				"document 1: spec.workloads[0].matrix[steadystate_ramp_time][0]: Invalid value: 99.9: it is no whole number: put it into quotes, so that it is text\n" +
				"Error: standard input: 1 of 1 StorageBenchmarks cannot be carried out\n", Failed: true},
		},
		"a ramp time that is no whole number": {
			strings.Replace(bySize, "size: 1M, timeBased: false}", "size: 1M, rampTimeSeconds: 1.5}", 1),
			execution{Err: "document 1: spec.workloads[0].fio.rampTimeSeconds: Invalid value: 1.5: rampTimeSeconds must be a number of seconds from 0 to 86400, or auto\n" +
				"Error: standard input: 1 of 1 StorageBenchmarks cannot be carried out\n", Failed: true},
		},
		"no kind": {
			"metadata: {name: x}\n",
			execution{Err: "document 1: Object 'Kind' is missing in 'metadata: {name: x}\n'\nError: standard input: 1 of 1 StorageBenchmarks cannot be carried out\n", Failed: true},
		},
		"problems of the plan": {
			strings.Replace(bySize, "size: 1M, timeBased: false}", "size: 1T}, matrix: {bs: [4k, 4K], runtimeSeconds: [5]}", 1) + "---\n" + bySize + "---\n" + strings.Replace(bySize, "1M", "1T", 1),
			execution{Out: "by-size\n\n" + bySizePlan, Err: "by-size: spec.workloads[0].matrix[bs][1]: Invalid value: \"4K\": it is the same as \"4k\": remove one\n" +
				"by-size: spec.targets[0].capacity: Invalid value: \"10Gi\": 10Gi holds 9957Mi of files, the workloads need 1Ti: set capacity to at least 1042Gi, or lower size or numjobs\n" +
				"Error: standard input: 2 of 3 StorageBenchmarks cannot be carried out\n", Failed: true},
		},
		"a schedule": {scheduleOf(e1), execution{Out: e1Plan}},
		"a schedule that is wrong": {
			strings.Replace(scheduleOf(e1), "ioengine: psync", "engine: psync", 1),
			execution{Err: "document 1: spec.template.spec.workloads[0].fio.engine: Forbidden: there is no such field: did you mean ioengine?\n" +
				"Error: standard input: 1 of 1 StorageBenchmarks cannot be carried out\n", Failed: true},
		},
		"nothing": {"\n", execution{Err: "Error: standard input has no StorageBenchmark or StorageBenchmarkSchedule of storagebench.dev/v1alpha1\n", Failed: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, execute(t, test.in, "plan", "-f", "-")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// scheduleOf returns a StorageBenchmarkSchedule with the spec of a StorageBenchmark.
func scheduleOf(benchmark string) string {
	_, spec, _ := strings.Cut(benchmark, "spec:\n")
	return `apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmarkSchedule
metadata: {name: nightly}
spec:
  schedule: 0 3 * * *
  template:
    spec:
` + strings.ReplaceAll("      "+strings.TrimSpace(strings.ReplaceAll(spec, "\n", "\n    ")), "\n      ", "\n      ") + "\n"
}

// What is laid out before each run is told apart from what is laid out once.
func TestPlanOfWhatIsDeleted(t *testing.T) {
	_, estimate, _ := strings.Cut(execute(t, deleted, "plan", "-f", "-").Out, "\n\n")
	if _, estimate, _ = strings.Cut(estimate, "\n"); estimate != deletedEstimate {
		t.Errorf("-want +got:\n%s", cmp.Diff(deletedEstimate, estimate))
	}
}

func TestPlanOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "benchmark.yaml")
	if err := os.WriteFile(path, []byte(bySize), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(execution{Out: bySizePlan}, execute(t, "", "plan", "--filename", path)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	missing := filepath.Join(t.TempDir(), "missing.yaml")
	want := execution{Err: "Error: open " + missing + ": no such file or directory\n", Failed: true}
	if diff := cmp.Diff(want, execute(t, "", "plan", "-f", missing)); diff != "" {
		t.Errorf("a file that is missing (-want +got):\n%s", diff)
	}
	want = execution{Err: "Error: required flag(s) \"filename\" not set\n", Failed: true}
	if diff := cmp.Diff(want, execute(t, "", "plan")); diff != "" {
		t.Errorf("no file (-want +got):\n%s", diff)
	}
}
