package plan

import (
	stdcmp "cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

func spec(b *builder.Benchmark) *v1alpha1.StorageBenchmarkSpec { return &b.Build().Spec }

func names(runs []Run) []string {
	var names []string
	for _, run := range runs {
		names = append(names, run.Name)
	}
	return names
}

// The targets of a workload are measured close together, in the order of the spec.
func TestOrder(t *testing.T) {
	s := spec(builder.NewBenchmark("ns", "sb").
		Target(builder.NewTarget("a")).Target(builder.NewClaimTarget("b", "claim")).
		Workload(builder.NewWorkload("x")).Workload(builder.NewJobFile("y", "[j]\nrw=read\nsize=1M\n")))
	runs, problems := Runs(s, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if diff := cmp.Diff([]string{"x.a", "x.b", "y.a", "y.b"}, names(runs)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if run := runs[3]; run.Target != &s.Targets[1] || run.Workload.Name != "y" || run.Job == nil {
		t.Errorf("last run is %+v", run)
	}
	again, _ := Runs(s, nil)
	if diff := cmp.Diff(names(runs), names(again)); diff != "" {
		t.Errorf("the plan differs from time to time:\n%s", diff)
	}
}

func with(w v1alpha1.Workload, m matrix) v1alpha1.Workload {
	w.Matrix = m
	return w
}

// Both orders go through the same runs. What is not said is Interleaved, and once.
func TestOrders(t *testing.T) {
	benchmark := func() *builder.Benchmark {
		return builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("b")).Target(builder.NewTarget("a")).
			Workload(with(builder.NewWorkload("y"), matrix{"bs": of("16k", "4k")})).Workload(builder.NewWorkload("x"))
	}
	for _, test := range []struct {
		order       v1alpha1.Order
		repetitions *int32
		want        []string
	}{
		{"", nil, []string{"y.bs-16k.b", "y.bs-16k.a", "y.bs-4k.b", "y.bs-4k.a", "x.b", "x.a"}},
		{v1alpha1.OrderInterleaved, new(int32(1)), []string{"y.bs-16k.b", "y.bs-16k.a", "y.bs-4k.b", "y.bs-4k.a", "x.b", "x.a"}},
		{v1alpha1.OrderInterleaved, new(int32(2)), []string{
			"y.bs-16k.b.1", "y.bs-16k.a.1", "y.bs-4k.b.1", "y.bs-4k.a.1", "x.b.1", "x.a.1",
			"y.bs-16k.a.2", "y.bs-16k.b.2", "y.bs-4k.a.2", "y.bs-4k.b.2", "x.a.2", "x.b.2",
		}},
		{v1alpha1.OrderByTarget, new(int32(2)), []string{
			"y.bs-16k.b.1", "y.bs-4k.b.1", "x.b.1", "y.bs-16k.b.2", "y.bs-4k.b.2", "x.b.2",
			"y.bs-16k.a.1", "y.bs-4k.a.1", "x.a.1", "y.bs-16k.a.2", "y.bs-4k.a.2", "x.a.2",
		}},
	} {
		runs, problems := Runs(spec(benchmark().With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Order, sb.Spec.Repetitions = test.order, test.repetitions })), nil)
		if diff := cmp.Diff(test.want, names(runs)); diff != "" || len(problems) > 0 {
			t.Errorf("order %q, problems %v, runs (-want +got):\n%s", test.order, problems, diff)
		}
	}
}

// The sum of a target's places is the same for all after each pair of repetitions, and how often it is at each place after
// twice as many as there are targets.
func TestNoTargetIsAlwaysFirst(t *testing.T) {
	for n := 1; n <= 16; n++ {
		targets := make([]v1alpha1.Target, n)
		for i := range targets {
			targets[i].Name = string(rune('a' + i))
		}
		places, sums := make(map[[2]string]int), make(map[string]int)
		for repetition := int32(1); repetition <= int32(2*n); repetition++ {
			for place, target := range inTurn(targets, repetition) {
				places[[2]string{target.Name, fmt.Sprint(place)}]++
				sums[target.Name] += place
			}
			for name, sum := range sums {
				if repetition%2 == 0 && sum != sums["a"] {
					t.Errorf("%d targets, %d repetitions: the places of %s add up to %d, and those of a to %d", n, repetition, name, sum, sums["a"])
				}
			}
		}
		for key, times := range places {
			if times != 2 {
				t.Errorf("%d targets: %s was at place %s %d times in %d repetitions", n, key[0], key[1], times, 2*n)
			}
		}
	}
}

func TestBaseline(t *testing.T) {
	s := spec(builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("a")).Target(builder.NewTarget("b")))
	if got := Baseline(s); got != "a" {
		t.Errorf("the baseline is %s, want the first target", got)
	}
	s.Baseline = new("b")
	if got := Baseline(s); got != "b" {
		t.Errorf("the baseline is %s, want that of the spec", got)
	}
}

// TestShape: what the API server refuses is a problem without one too, and brings nothing down.
func TestShape(t *testing.T) {
	twice := builder.NewWorkload("w")
	twice.JobFile = new("[a]\nrw=read\nsize=1M\n")
	target, workload := builder.NewTarget("t"), builder.NewWorkload("w")
	long := strings.Repeat("a", 33)
	for name, test := range map[string]struct {
		spec v1alpha1.StorageBenchmarkSpec
		want []string
	}{
		"nothing": {v1alpha1.StorageBenchmarkSpec{}, []string{"spec.targets: Required value: give at least one", "spec.workloads: Required value: give at least one"}},
		"a workload of nothing": {
			v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{target}, Workloads: []v1alpha1.Workload{workload, {Name: "v"}}},
			[]string{`spec.workloads[1]: Invalid value: "v": set exactly one of preset (a workload that has a name), fio (parameters) and jobFile (a whole fio job file)`},
		},
		"a workload of both": {
			v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{target}, Workloads: []v1alpha1.Workload{twice}},
			[]string{`spec.workloads[0]: Invalid value: "w": set exactly one of preset (a workload that has a name), fio (parameters) and jobFile (a whole fio job file)`},
		},
		"names twice": {
			v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{target, target}, Workloads: []v1alpha1.Workload{workload, workload}},
			[]string{`spec.targets[1].name: Duplicate value: "t"`, `spec.workloads[1].name: Duplicate value: "w"`},
		},
		"names too long": {
			v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{builder.NewTarget(long)}, Workloads: []v1alpha1.Workload{builder.NewWorkload(long)}},
			[]string{"spec.targets[0].name: Too long: may not be more than 32 bytes", "spec.workloads[0].name: Too long: may not be more than 32 bytes"},
		},
		"another baseline": {
			v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{target}, Workloads: []v1alpha1.Workload{workload}, Baseline: new("u")},
			[]string{`spec.baseline: Unsupported value: "u": supported values: "t"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			runs, problems := Runs(&test.spec, nil)
			if diff := cmp.Diff(test.want, messages(problems)); diff != "" || runs != nil {
				t.Errorf("%d runs, problems (-want +got):\n%s", len(runs), diff)
			}
		})
	}
	_, problems := Runs(&v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{builder.NewTarget("A.b")}, Workloads: []v1alpha1.Workload{workload}}, nil)
	if len(problems) != 1 || problems[0].Field != "spec.targets[0].name" {
		t.Errorf("problems of a name with a dot: %v", problems)
	}
}

// Names of targets and workloads may have dashes, but no dots, so that two runs never share a name.
func TestNamesAreUnique(t *testing.T) {
	b := builder.NewBenchmark("ns", "sb")
	for _, name := range []string{"a", "a-b", "b", "a-b-a"} {
		b.Target(builder.NewTarget(name)).Workload(builder.NewWorkload(name))
	}
	runs, problems := Runs(spec(b), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	seen := map[string]bool{}
	for _, name := range names(runs) {
		if seen[name] {
			t.Errorf("two runs are named %s", name)
		}
		seen[name] = true
	}
}

func TestTooManyResults(t *testing.T) {
	const one, two = "[a]\nrw=read\nsize=1M\n", "[global]\nrw=read\nsize=1M\n[a]\n[b]\n"
	large := "[global]\ngroup_reporting\nrw=read\nsize=4k\n"
	for i := range 250 {
		large += fmt.Sprintf("[job-%d]\nbs=4k\niodepth=1\nloops=1\n", i)
	}
	full := matrix{"bs": many(50), "numjobs": many(4)}
	for _, test := range []struct {
		name                            string
		targets, workloads, repetitions int
		jobFile                         string
		matrix                          matrix
		results                         int
	}{
		{"workloads on targets", 4, 50, 1, one, nil, 200},
		{"a target more", 5, 50, 1, one, nil, 250},
		{"sections", 4, 25, 1, two, nil, 200},
		{"a workload of sections more", 4, 26, 1, two, nil, 208},
		{"repetitions", 5, 1, 40, one, nil, 200},
		{"a repetition more", 1, 1, 201, one, nil, 201},
		{"a matrix", 1, 1, 1, one, full, 200},
		{"all of them", 2, 2, 5, two, matrix{"bs": many(5)}, 200},
		{"all of them, and a value more", 2, 2, 5, two, matrix{"bs": many(6)}, 240},
		{"a workload more beside a matrix", 1, 2, 1, one, full, 400},
		{"as many as the API admits", 16, 64, 64, two, full, 2 * 200 * 16 * 64 * 64},
		{"job files as large as may be", 1, 15, 1, large, full, 200 * 15},
		{"and what a look at the cases would find", 1, 2, 1, "[a]\nrw=none\n", full, 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := builder.NewBenchmark("ns", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(test.repetitions)) })
			for i := range test.targets {
				b.Target(builder.NewTarget(fmt.Sprintf("t%d", i)))
			}
			for i := range test.workloads {
				w := builder.NewJobFile(fmt.Sprintf("w%d", i), test.jobFile)
				w.Matrix = test.matrix
				b.Workload(w)
			}
			runs, problems := Runs(spec(b), nil)
			if test.results <= MaxResults {
				if len(problems) > 0 || len(runs) == 0 {
					t.Errorf("%d runs, problems %v", len(runs), problems)
				}
				return
			}
			want := fmt.Sprintf("spec.workloads: Invalid value: %d: all workloads, in all cases of their matrix, with all sections, on %d targets, %d times each, "+
				"give %d results; at most 200 are possible: split the benchmark", test.workloads, test.targets, test.repetitions, test.results)
			if diff := cmp.Diff([]string{want}, messages(problems)); diff != "" || runs != nil {
				t.Errorf("%d runs, problems (-want +got):\n%s", len(runs), diff)
			}
		})
	}
}

// BenchmarkLargestPlan plans the largest job files that pass, as each pass of the operator does.
func BenchmarkLargestPlan(b *testing.B) {
	jobs := "[global]\ngroup_reporting\nrw=read\nsize=4k\n"
	for i := range 18 { // 200 cases of nine options each: just within fio.MaxExtent
		jobs += fmt.Sprintf("[job-%d]\nbs=4k\nloops=1\n", i)
	}
	w := builder.NewJobFile("w", jobs)
	w.Matrix = matrix{"iodepth": many(50), "nrfiles": many(4)}
	s := spec(builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("t")).Workload(w))
	for b.Loop() {
		if runs, problems := Runs(s, nil); len(runs) != MaxResults {
			b.Fatalf("%d runs, problems %v", len(runs), problems)
		}
	}
}

type matrix = map[string]v1alpha1.MatrixValues

// many returns the values from 1 to n.
func many(n int) v1alpha1.MatrixValues {
	var values v1alpha1.MatrixValues
	for i := range n {
		values = append(values, intstr.FromInt(i+1))
	}
	return values
}

// of returns values that are text.
func of(texts ...string) v1alpha1.MatrixValues {
	var values v1alpha1.MatrixValues
	for _, text := range texts {
		values = append(values, intstr.FromString(text))
	}
	return values
}

func messages(problems field.ErrorList) []string {
	var messages []string
	for _, problem := range problems {
		messages = append(messages, problem.Error())
	}
	return messages
}

func TestProblems(t *testing.T) {
	sized := func(name, size string, jobs int32) v1alpha1.Workload {
		w := builder.NewWorkload(name)
		w.Fio.Size, w.Fio.NumJobs = &size, &jobs
		return w
	}
	writes := builder.NewWorkload("writes")
	writes.Fio.RW = "randwrite"
	option := func(name string) v1alpha1.Workload {
		w := builder.NewWorkload("w")
		w.Fio.Options = map[string]v1alpha1.FioOptionValue{name: "x"}
		return w
	}
	small := builder.NewTarget("small")
	small.Capacity = new(storage.CapacityFor(&small, storage.KindOther, 100<<20))
	raw := builder.NewBlockTarget("raw")
	raw.Capacity = new(resource.MustParse("100Mi"))
	random, probed := sized("w", "1M", 1), builder.NewWorkload("w")
	random.Fio.RW, probed.Probe = "randwrite", v1alpha1.ProbeLastRepetition
	preconditioned := builder.NewTarget("p")
	preconditioned.Precondition = &v1alpha1.Precondition{}
	unsized := builder.NewTarget("unsized")
	unsized.Capacity = nil
	for _, test := range []struct {
		name      string
		targets   []v1alpha1.Target
		workloads []v1alpha1.Workload
		modes     Volumes
		runs      int    // 0: one for each workload on each target
		field     string // of the only problem; "" for none
		detail    string
	}{{
		name: "fits", targets: []v1alpha1.Target{small}, workloads: []v1alpha1.Workload{sized("w", "50M", 2)},
	}, {
		name: "clones do not fit", targets: []v1alpha1.Target{builder.NewTarget("large"), small}, workloads: []v1alpha1.Workload{sized("w", "50M", 3)},
		field: "spec.targets[1].capacity", detail: `117Mi holds 100Mi of files, the workloads need 150Mi: set capacity to at least 171Mi, or lower size or numjobs`,
	}, {
		name: "workloads do not fit beside each other", targets: []v1alpha1.Target{small}, workloads: []v1alpha1.Workload{sized("v", "50M", 1), sized("w", "60M", 1)},
		field: "spec.targets[0].capacity", detail: "the workloads need 110Mi",
	}, {
		name: "a raw volume is as large as fio finds it", targets: []v1alpha1.Target{raw}, workloads: []v1alpha1.Workload{sized("w", "150M", 1)},
	}, {
		name: "sizes of one file", targets: []v1alpha1.Target{small}, workloads: []v1alpha1.Workload{with(sized("w", "1M", 1), matrix{"size": of("30M", "100M", "60M")})},
		runs: 3,
	}, {
		name: "the largest size does not fit", targets: []v1alpha1.Target{small}, workloads: []v1alpha1.Workload{with(sized("w", "1M", 1), matrix{"size": of("30M", "101M", "60M")})},
		field: "spec.targets[0].capacity", detail: "need 101Mi",
	}, {
		name: "size divided among more and more files", targets: []v1alpha1.Target{small}, workloads: []v1alpha1.Workload{with(sized("w", "40M", 1), matrix{"nrfiles": of("1", "10")})},
		runs: 2,
	}, {
		name: "reads and writes share files", targets: []v1alpha1.Target{small}, workloads: []v1alpha1.Workload{with(sized("w", "60M", 1), matrix{"rw": of("read", "write")})},
		runs: 2,
	}, {
		name: "sizes that cannot be known beside one that can", targets: []v1alpha1.Target{small},
		workloads: []v1alpha1.Workload{builder.NewJobFile("v", "[a]\nfill_device=1\nrw=write\n"), sized("w", "150M", 1)},
		field:     "spec.targets[0].capacity", detail: "need 150Mi",
	}, {
		name: "more than can be counted", targets: []v1alpha1.Target{small}, workloads: []v1alpha1.Workload{sized("v", "8000P", 1), sized("w", "8000P", 1)},
		field: "spec.targets[0].capacity", detail: "more bytes than can be counted",
	}, {
		name: "default capacity", targets: []v1alpha1.Target{unsized}, workloads: []v1alpha1.Workload{sized("w", "11G", 1)},
		field: "spec.targets[0].capacity", detail: "10Gi holds 9957Mi of files, the workloads need 11Gi: set capacity to at least 12Gi",
	}, {
		name: "a claim's capacity is not known", targets: []v1alpha1.Target{builder.NewClaimTarget("c", "claim")}, workloads: []v1alpha1.Workload{sized("w", "11T", 1)},
	}, {
		name: "option that runs a command", targets: []v1alpha1.Target{small, builder.NewTarget("large")}, workloads: []v1alpha1.Workload{option("exec_prerun")},
		field: "spec.workloads[0].fio.options", detail: "exec_prerun",
	}, {
		name: "reads of a raw claim", targets: []v1alpha1.Target{builder.NewClaimTarget("c", "claim")}, workloads: []v1alpha1.Workload{builder.NewWorkload("w")},
		modes: Volumes{"c": {Mode: corev1.PersistentVolumeBlock}},
	}, {
		name: "writes to a raw claim", targets: []v1alpha1.Target{builder.NewClaimTarget("c", "claim")}, workloads: []v1alpha1.Workload{writes},
		modes: Volumes{"c": {Mode: corev1.PersistentVolumeBlock}}, field: "spec.workloads[0].fio.rw", detail: "",
	}, {
		name: "verification of a raw claim", targets: []v1alpha1.Target{builder.NewClaimTarget("c", "claim")},
		workloads: []v1alpha1.Workload{builder.NewJobFile("v", "[a]\nrw=read\nsize=1M\nverify=pattern\nverify_pattern=0\n")},
		modes:     Volumes{"c": {Mode: corev1.PersistentVolumeBlock}},
		field:     "spec.workloads[0].jobFile", detail: "fio prints bytes that are not as it expects",
	}, {
		name: "verification of a new raw volume", targets: []v1alpha1.Target{builder.NewBlockTarget("b")},
		workloads: []v1alpha1.Workload{builder.NewJobFile("v", "[a]\nrw=read\nsize=1M\nverify=pattern\nverify_pattern=0\n")},
	}, {
		name: "writes to a new raw volume", targets: []v1alpha1.Target{builder.NewBlockTarget("b")}, workloads: []v1alpha1.Workload{writes},
	}, {
		name:    "random writes to a claim on a bucket",
		targets: []v1alpha1.Target{builder.NewClaimTarget("c", "claim")}, workloads: []v1alpha1.Workload{random},
		modes: Volumes{"c": {Driver: storage.S3Driver}},
		field: "spec.workloads[0].fio.rw", detail: "Mountpoint writes a file from its first byte to its last",
	}, {
		name:    "writes in order to a claim on a bucket",
		targets: []v1alpha1.Target{builder.NewClaimTarget("c", "claim")}, workloads: []v1alpha1.Workload{sized("w", "1M", 1)},
		modes: Volumes{"c": {Driver: storage.S3Driver}},
	}, {
		name:    "random writes to a claim on EFS",
		targets: []v1alpha1.Target{builder.NewClaimTarget("c", "claim")}, workloads: []v1alpha1.Workload{random},
		modes: Volumes{"c": {Driver: storage.EFSDriver}},
	}, {
		name:    "a probe on a claim on a bucket",
		targets: []v1alpha1.Target{builder.NewClaimTarget("c", "claim")}, workloads: []v1alpha1.Workload{probed},
		modes: Volumes{"c": {Driver: storage.S3Driver}},
		field: "spec.workloads[0].probe", detail: "object stores are not probed",
	}, {
		name:    "a device of a StorageClass of EFS",
		targets: []v1alpha1.Target{builder.NewBlockTarget("b")}, workloads: []v1alpha1.Workload{builder.NewWorkload("w")},
		modes: Volumes{"b": {Driver: storage.EFSDriver}},
		field: "spec.targets[0].volumeMode", detail: "have no raw block volumes",
	}, {
		name:    "a precondition of a StorageClass of EFS",
		targets: []v1alpha1.Target{preconditioned}, workloads: []v1alpha1.Workload{builder.NewWorkload("w")},
		modes: Volumes{"p": {Driver: storage.EFSDriver}},
		field: "spec.targets[0].precondition", detail: "it writes all of a new volume",
	}, {
		name: "job file that is none", targets: []v1alpha1.Target{small}, workloads: []v1alpha1.Workload{builder.NewJobFile("w", "rw=read")},
		field: "spec.workloads[0].jobFile", detail: "stands before any section",
	}} {
		t.Run(test.name, func(t *testing.T) {
			runs, problems := Runs(&v1alpha1.StorageBenchmarkSpec{Targets: test.targets, Workloads: test.workloads}, test.modes)
			if test.field == "" {
				want := stdcmp.Or(test.runs, len(test.targets)*len(test.workloads))
				if len(problems) > 0 || len(runs) != want {
					t.Errorf("%d runs, want %d; problems %v", len(runs), want, problems)
				}
				return
			}
			if len(problems) != 1 || !strings.HasPrefix(problems[0].Field, test.field) || !strings.Contains(problems[0].Error(), test.detail) || runs != nil {
				t.Errorf("problems are %v, want one at %s with %q; runs %v", problems, test.field, test.detail, runs)
			}
		})
	}
}

func TestModeOf(t *testing.T) {
	raw, file := builder.NewBlockTarget("raw"), builder.NewTarget("file")
	claim := builder.NewClaimTarget("claim", "c")
	modes := Volumes{"claim": {Mode: corev1.PersistentVolumeBlock}}
	for _, test := range []struct {
		target v1alpha1.Target
		modes  Volumes
		want   corev1.PersistentVolumeMode
	}{
		{raw, nil, corev1.PersistentVolumeBlock}, {file, modes, corev1.PersistentVolumeFilesystem},
		{claim, modes, corev1.PersistentVolumeBlock}, {claim, nil, corev1.PersistentVolumeFilesystem},
	} {
		if got := test.modes.ModeOf(&test.target); got != test.want {
			t.Errorf("mode of %s is %s, want %s", test.target.Name, got, test.want)
		}
	}
}
