package plan

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/test/builder"
)

// TestCases: options go by their names, values by the spec, and the last option changes fastest.
func TestCases(t *testing.T) {
	w := builder.NewWorkload("w")
	w.Matrix = matrix{"numjobs": {intstr.FromInt(2), intstr.FromInt(16)}, "bs": of("64K", "4k")}
	runs, problems := Runs(spec(builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("t")).Workload(w)), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	type run struct {
		Name       string
		Parameters map[string]string
		Repetition int32
	}
	var got []run
	for _, r := range runs {
		got = append(got, run{r.Name, r.Parameters, r.Repetition})
		for name, value := range r.Parameters {
			if text := r.Job.String(); strings.Count(text, name+"="+value+"\n") != 1 {
				t.Errorf("%s is not %s once in\n%s", name, value, text)
			}
		}
	}
	want := []run{
		{"w.bs-64k-numjobs-2.t", map[string]string{"bs": "64K", "numjobs": "2"}, 1},
		{"w.bs-64k-numjobs-16.t", map[string]string{"bs": "64K", "numjobs": "16"}, 1},
		{"w.bs-4k-numjobs-2.t", map[string]string{"bs": "4k", "numjobs": "2"}, 1},
		{"w.bs-4k-numjobs-16.t", map[string]string{"bs": "4k", "numjobs": "16"}, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	runs, _ = Runs(spec(builder.OneRun("ns", "sb")), nil)
	if len(runs) != 1 || runs[0].Parameters != nil || runs[0].Repetition != 1 {
		t.Errorf("runs without a matrix are %+v", runs)
	}
}

func TestMatrixProblems(t *testing.T) {
	const path = "spec.workloads[0].matrix"
	long := strings.Repeat("1", 65)
	huge := matrix{}
	for _, name := range []string{"bs", "iodepth", "numjobs", "nrfiles", "loops", "fsync", "fdatasync", "rwmixread"} {
		huge[name] = many(64)
	}
	overflow := maps.Clone(huge)
	for _, name := range []string{"thinktime_blocks", "verify_backlog", "rwmixwrite"} {
		overflow[name] = many(64)
	}
	tooMany := path + ": Invalid value: the product of the values has more than 200 cases, the most that a benchmark can hold; give fewer values, or split the benchmark"
	for name, test := range map[string]struct {
		matrix matrix
		want   []string // nil if it is fine
	}{
		"64 to the power of 8": {huge, []string{tooMany}},
		"201 cases":            {matrix{"bs": many(201)}, []string{tooMany}},
		"200 cases":            {matrix{"bs": many(200)}, nil},
		"long names and values": {
			matrix{"buffer_compress_percentage": of(long[:64]), "bssplit": of(long[:64]), "random_distribution": of("1", long[:64])},
			[]string{path + ": Invalid value: names and values of one case have 244 characters: shorten them to 192, or move options that have one value only to fio or jobFile"},
		},
		"64 to the power of 11, which is more than a number holds": {overflow, []string{tooMany}},
		"an alias": {
			matrix{"rw": of("read"), "readwrite": of("write")}, []string{path + "[rw]: Forbidden: it is the same fio option as readwrite: remove one"},
		},
		"another alias": {
			matrix{"bs": of("4k"), "blocksize": of("4k")}, []string{path + "[bs]: Forbidden: it is the same fio option as blocksize: remove one"},
		},
		"an alias alone":             {matrix{"blocksize": of("4k", "8k")}, nil},
		"a value twice":              {matrix{"bs": of("4k", "8k", "4k")}, []string{path + `[bs][2]: Invalid value: "4k": it is the same as "4k": remove one`}},
		"as a number and as text":    {matrix{"numjobs": {intstr.FromInt(2), intstr.FromString("2")}}, []string{path + `[numjobs][1]: Invalid value: "2": it is the same as "2": remove one`}},
		"in upper and in lower case": {matrix{"bs": of("16k", "16K")}, []string{path + `[bs][1]: Invalid value: "16K": it is the same as "16k": remove one`}},
		"too long":                   {matrix{"bs": of(long, "4k")}, []string{path + "[bs][0]: Too long: may not be more than 64 bytes"}},
		"no values":                  {matrix{"bs": {}}, []string{path + "[bs]: Required value: give at least one value, or remove the option"}},
		"the name of a field": {
			matrix{"runtimeSeconds": of("5", "10"), "rateIOPS": of("500,200")}, nil,
		},
		"a value that the field's option does not take": {
			matrix{"runtimeSeconds": of("5", "soon")}, []string{path + `[runtimeSeconds]: Invalid value: "soon": write a time such as 60, 60s, 5m or 500ms`},
		},
		"an option and its field": {
			matrix{"runtime": of("5"), "runtimeSeconds": of("10")}, []string{path + "[runtimeSeconds]: Forbidden: it is the same fio option as runtime: remove one"},
		},
		"an option that runs commands": {matrix{"exec_prerun": of("id")}, []string{path + `[exec_prerun]: Invalid value: "id": it runs commands: remove it`}},
		"the same problem in all cases": {
			matrix{"exec_prerun": of("id"), "bs": of("4k", "8k")}, []string{path + `[exec_prerun]: Invalid value: "id": it runs commands: remove it`},
		},
		"an option in upper case": {
			matrix{"BS": of("4k")}, []string{path + `[BS]: Invalid value: "4k": it is no option that storagebench knows: remove it`},
		},
		"a value that is none": {
			matrix{"bs": of("4k", "4 k", "")}, []string{
				path + `[bs]: Invalid value: "4 k": write a number of bytes such as 4k, or up to three with commas (reads, writes, trims)`,
				path + `[bs]: Invalid value: "": write a number of bytes such as 4k, or up to three with commas (reads, writes, trims)`,
			},
		},
		"what makes one result": {
			matrix{"stonewall": of("1")}, []string{path + `[stonewall]: Invalid value: "1": it decides what makes one result, which has to be the same in all cases: remove it`},
		},
		"a choice that contradicts the workload": {
			matrix{"buffered": of("1"), "direct": of("1")}, []string{path + `[buffered]: Invalid value: "1": it is the opposite of direct, which is given too: keep one`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := builder.NewWorkload("w")
			w.Matrix = test.matrix
			// Two targets of one kind have the problems of one.
			b := builder.NewBenchmark("ns", "sb").Workload(w).Target(builder.NewTarget("t"))
			if test.want != nil {
				b.Target(builder.NewTarget("u"))
			}
			runs, problems := Runs(spec(b), nil)
			if diff := cmp.Diff(test.want, messages(problems)); diff != "" || (len(runs) == 0) != (len(problems) > 0) {
				t.Errorf("%d runs, problems (-want +got):\n%s", len(runs), diff)
			}
		})
	}
}

// TestMatrixReplaces: a matrix takes the place of what the workload says, in each section, and so also of what would
// contradict it.
func TestMatrixReplaces(t *testing.T) {
	w := builder.NewJobFile("w", "[global]\nrw=read\nsize=1M\nblocksize=1k\n[a]\nbs=2k\n[b]\nstonewall\n")
	w.Matrix = matrix{"bs": of("4k")}
	runs, problems := Runs(spec(builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("t")).Workload(w)), nil)
	if len(problems) > 0 || len(runs) != 1 {
		t.Fatalf("%d runs, problems %v", len(runs), problems)
	}
	want := "[global]\nrw=read\nsize=1M\n\n[a]\nbs=4k\n\n[b]\nstonewall\nbs=4k\n"
	if diff := cmp.Diff(want, runs[0].Job.String()); diff != "" {
		t.Errorf("job file (-want +got):\n%s", diff)
	}
}

// TestCaseNames are stable: they are in the status of benchmarks that run while the operator is updated.
func TestCaseNames(t *testing.T) {
	for _, test := range []struct {
		choice []fio.Setting
		want   string
	}{
		{[]fio.Setting{{Name: "bs", Value: "16k"}}, "bs-16k"},
		{[]fio.Setting{{Name: "bs", Value: "16K"}, {Name: "numjobs", Value: "2"}}, "bs-16k-numjobs-2"},
		{[]fio.Setting{{Name: "bs", Value: "16k"}, {Name: "clients", Value: "2"}}, "bs-16k-clients-2"},
		{[]fio.Setting{{Name: "rate_iops", Value: "100"}}, "rate-iops-100"},
		{[]fio.Setting{{Name: "rate", Value: "10m,5m"}}, "rate-10m-5m-410c279b"},
		{[]fio.Setting{{Name: "rate", Value: ",10m,5m"}}, "rate-10m-5m-dfd2b0f0"},
		{[]fio.Setting{{Name: "size", Value: "50%"}}, "size-50-8ece6ac8"},
		{[]fio.Setting{{Name: "random_distribution", Value: "zipf:1.2"}}, "random-distribution-zipf-1-2-fa142769"},
		{[]fio.Setting{{Name: "buffer_compress_percentage", Value: "50"}, {Name: "refill_buffers", Value: "1"}}, "buffer-compress-percentage-50-refill-buffers-1"},
		{[]fio.Setting{{Name: "buffer_compress_percentage", Value: "50"}, {Name: "dedupe_percentage", Value: "50"}}, "buffer-compress-percentage-50-dedupe-pe-091ac998"},
	} {
		got := caseName(test.choice)
		if got != test.want || len(got) > maxCaseName {
			t.Errorf("%v is named %s, want %s", test.choice, got, test.want)
		}
	}
}

// TestExperiments plans the five published experiments as matrices.
func TestExperiments(t *testing.T) {
	for name, test := range map[string]struct {
		spec        string
		runs        int
		first, last string
		job         string // of the last run
	}{
		"E1 gp3 against EFS": {`
targets:
- {name: gp3, storageClassName: gp3, capacity: 30Gi, limits: {iops: 3000, bytesPerSecond: 131072000}}
- {name: efs, claimName: efs}
workloads:
- name: randwrite
  fio: {rw: randwrite, ioengine: psync, direct: true, size: 1G, numjobs: 16, timeBased: true, runtimeSeconds: 60, norandommap: true}
  matrix: {bs: [16k, 64k]}
`, 4, "randwrite.bs-16k.gp3", "randwrite.bs-64k.efs",
			"[randwrite]\nrw=randwrite\nioengine=psync\ndirect=1\nsize=1G\nnumjobs=16\nruntime=60\ntime_based=1\nnorandommap=1\ngroup_reporting=1\nbs=64k\n"},
		"E2 gp2 against gp3": {`
targets:
- {name: gp2, storageClassName: gp2, capacity: 100Gi}
- {name: gp3, storageClassName: gp3, capacity: 100Gi}
workloads:
- name: mixed
  fio: {rw: readwrite, size: 128m, direct: true, options: {filename: fio-bench}}
  matrix: {numjobs: [2, 16], bs: [16k, 256k]}
repetitions: 4
`, 32, "mixed.bs-16k-numjobs-2.gp2.1", "mixed.bs-256k-numjobs-16.gp3.4",
			"[mixed]\nrw=readwrite\ndirect=1\nsize=128m\ngroup_reporting=1\nfilename=fio-bench\nbs=256k\nnumjobs=16\n"},
		"E3 magnetic against SSD": {`
targets:
- {name: standard, storageClassName: standard, capacity: 100Gi}
- {name: gp2, storageClassName: gp2, capacity: 100Gi}
workloads:
- name: pattern
  fio: {rw: randrw, rwmixread: 70, bs: 16k, size: 1G, numjobs: 4, runtimeSeconds: 60, timeBased: false, direct: true, invalidate: true, ioengine: libaio}
  matrix: {rw: [read, write, randread, randwrite, randrw]}
- name: beyond-the-cache
  fio: {rw: randrw, bs: 16k, size: 5G, numjobs: 4, runtimeSeconds: 60, timeBased: false, direct: true, invalidate: true, ioengine: libaio}
`, 12, "pattern.rw-read.standard", "beyond-the-cache.gp2",
			"[beyond-the-cache]\nrw=randrw\nbs=16k\nioengine=libaio\ndirect=1\nsize=5G\nnumjobs=4\nruntime=60\ntime_based=0\ninvalidate=1\ngroup_reporting=1\n"},
		"E4 EFS operations": {`
targets:
- {name: efs, claimName: efs}
workloads:
- name: write-1
  fio: {rw: write, bs: "1", size: "1", sync: sync, timeBased: true, runtimeSeconds: 60}
  matrix: {numjobs: [1, 20, 40]}
- name: write-10k
  fio: {rw: write, bs: 10k, size: 10k, sync: sync, timeBased: true, runtimeSeconds: 60}
  matrix: {numjobs: [1, 20, 40]}
`, 6, "write-1.numjobs-1.efs", "write-10k.numjobs-40.efs",
			"[write-10k]\nrw=write\nbs=10k\nsize=10k\nruntime=60\ntime_based=1\nsync=sync\ngroup_reporting=1\nnumjobs=40\n"},
		"E5 Mountpoint for S3": {`
targets:
- {name: s3, claimName: s3}
workloads:
- name: seqread
  fio: {rw: read, bs: 8m, ioengine: libaio, direct: true, iodepth: 128, size: 3g, options: {kb_base: "1024"}}
  matrix: {size: [500M, 1g, 3g], numjobs: [1, 8, 16]}
`, 9, "seqread.numjobs-1-size-500m.s3", "seqread.numjobs-16-size-3g.s3",
			"[seqread]\nrw=read\nbs=8m\nioengine=libaio\niodepth=128\ndirect=1\ngroup_reporting=1\nkb_base=1024\nnumjobs=16\nsize=3g\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := decode(t, []byte(test.spec))
			runs, problems := Runs(s, nil)
			if len(problems) > 0 || len(runs) != test.runs {
				t.Fatalf("%d runs, want %d; problems %v", len(runs), test.runs, problems)
			}
			last := runs[len(runs)-1]
			if diff := cmp.Diff([]string{test.first, test.last}, []string{runs[0].Name, last.Name}); diff != "" {
				t.Errorf("first and last run (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.job, last.Job.String()); diff != "" {
				t.Errorf("job of the last run (-want +got):\n%s", diff)
			}
		})
	}
}

// TestManyCasesHaveNamesOfTheirOwn, where names of cases are cut and hashed.
func TestManyCasesHaveNamesOfTheirOwn(t *testing.T) {
	var values []string
	for i := range 256 {
		values = append(values, fmt.Sprintf("%s/%d:4k/%d", strings.Repeat("4k/0:", 10), i%100, i))
	}
	seen := map[string]bool{}
	for _, value := range values {
		name := caseName([]fio.Setting{{Name: "bssplit", Value: value}})
		if seen[name] || len(name) > maxCaseName {
			t.Errorf("%s is %s", value, name)
		}
		seen[name] = true
	}
}
