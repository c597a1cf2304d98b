package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/api/v1alpha1"
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
	if run := runs[3]; run.Target != &s.Targets[1] || run.Workload != &s.Workloads[1] || run.Job == nil {
		t.Errorf("last run is %+v", run)
	}
	again, _ := Runs(s, nil)
	if diff := cmp.Diff(names(runs), names(again)); diff != "" {
		t.Errorf("the plan differs from time to time:\n%s", diff)
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
	sections := "[global]\nrw=read\nsize=1M\n[a]\n[b]\n"
	for _, test := range []struct {
		targets, workloads int
		jobFile            string
		results            int
	}{
		{8, 64, "[a]\nrw=read\nsize=1M\n", 512},
		{9, 64, "[a]\nrw=read\nsize=1M\n", 576},
		{4, 64, sections, 512},
		{5, 64, sections, 640},
	} {
		b := builder.NewBenchmark("ns", "sb")
		for i := range test.targets {
			b.Target(builder.NewTarget(fmt.Sprintf("t%d", i)))
		}
		for i := range test.workloads {
			b.Workload(builder.NewJobFile(fmt.Sprintf("w%d", i), test.jobFile))
		}
		_, problems := Runs(spec(b), nil)
		if test.results <= MaxResults {
			if len(problems) > 0 {
				t.Errorf("%d results: problems %v", test.results, problems)
			}
			continue
		}
		want := fmt.Sprintf("give %d results on %d targets, and at most 512 are possible; split the benchmark", test.results, test.targets)
		if len(problems) != 1 || problems[0].Field != "spec.workloads" || !strings.Contains(problems[0].Detail, want) {
			t.Errorf("problems are %v, want %q", problems, want)
		}
	}
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
	small.Capacity = new(resource.MustParse("100Mi"))
	unsized := builder.NewTarget("unsized")
	unsized.Capacity = nil
	for _, test := range []struct {
		name      string
		targets   []v1alpha1.Target
		workloads []v1alpha1.Workload
		modes     VolumeModes
		field     string // of the only problem; "" for none
		detail    string
	}{{
		name: "fits", targets: []v1alpha1.Target{small}, workloads: []v1alpha1.Workload{sized("w", "50M", 2)},
	}, {
		name: "clones do not fit", targets: []v1alpha1.Target{builder.NewTarget("large"), small}, workloads: []v1alpha1.Workload{sized("w", "50M", 3)},
		field: "spec.targets[1].capacity", detail: `the test files of workload "w" take 150Mi; raise capacity, or lower size or numjobs`,
	}, {
		name: "default capacity", targets: []v1alpha1.Target{unsized}, workloads: []v1alpha1.Workload{sized("w", "11G", 1)},
		field: "spec.targets[0].capacity", detail: "take 11Gi",
	}, {
		name: "a claim's capacity is not known", targets: []v1alpha1.Target{builder.NewClaimTarget("c", "claim")}, workloads: []v1alpha1.Workload{sized("w", "11T", 1)},
	}, {
		name: "option that runs a command", targets: []v1alpha1.Target{small, builder.NewTarget("large")}, workloads: []v1alpha1.Workload{option("exec_prerun")},
		field: "spec.workloads[0].fio.options", detail: "exec_prerun",
	}, {
		name: "reads of a raw claim", targets: []v1alpha1.Target{builder.NewClaimTarget("c", "claim")}, workloads: []v1alpha1.Workload{builder.NewWorkload("w")},
		modes: VolumeModes{"c": corev1.PersistentVolumeBlock},
	}, {
		name: "writes to a raw claim", targets: []v1alpha1.Target{builder.NewClaimTarget("c", "claim")}, workloads: []v1alpha1.Workload{writes},
		modes: VolumeModes{"c": corev1.PersistentVolumeBlock}, field: "spec.workloads[0].fio.rw", detail: "",
	}, {
		name: "writes to a new raw volume", targets: []v1alpha1.Target{builder.NewBlockTarget("b")}, workloads: []v1alpha1.Workload{writes},
	}, {
		name: "job file that is none", targets: []v1alpha1.Target{small}, workloads: []v1alpha1.Workload{builder.NewJobFile("w", "rw=read")},
		field: "spec.workloads[0].jobFile", detail: "stands before any section",
	}} {
		t.Run(test.name, func(t *testing.T) {
			runs, problems := Runs(&v1alpha1.StorageBenchmarkSpec{Targets: test.targets, Workloads: test.workloads}, test.modes)
			if test.field == "" {
				if len(problems) > 0 || len(runs) != len(test.targets)*len(test.workloads) {
					t.Errorf("%d runs, problems %v", len(runs), problems)
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
	modes := VolumeModes{"claim": corev1.PersistentVolumeBlock}
	for _, test := range []struct {
		target v1alpha1.Target
		modes  VolumeModes
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
