package history

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
)

// finished returns a benchmark of a job file with two sections of one name, on two targets.
func finished() *v1alpha1.StorageBenchmark {
	at := metav1.NewTime(begin)
	section := func(iops int64) v1alpha1.Comparison {
		return v1alpha1.Comparison{
			Workload: "wal", Parameters: map[string]string{"iodepth": "4", "bs": "16k"}, Section: "log",
			Targets: []v1alpha1.TargetComparison{{
				Name:    "gp3",
				Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationWrite, MilliIOPS: &v1alpha1.Statistic{Median: 1000 * iops}, P50Nanoseconds: &v1alpha1.Statistic{Median: 2}, P99Nanoseconds: &v1alpha1.Statistic{Median: 3}}, {Name: v1alpha1.OperationSync, P99Nanoseconds: &v1alpha1.Statistic{Median: 4}}},
			}, {
				Name:    "efs",
				Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationMetadata, MilliIOPS: &v1alpha1.Statistic{Median: 7_000}}},
			}},
		}
	}
	volumes := func(node string) []v1alpha1.VolumeStatus {
		return []v1alpha1.VolumeStatus{{Name: "pv", Node: node, Zone: "a", InstanceType: "m6i.large"}}
	}
	return &v1alpha1.StorageBenchmark{
		ObjectMeta: metav1.ObjectMeta{Name: "nightly-1", UID: "u"},
		Spec:       v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp3"}, {Name: "efs"}}, Workloads: []v1alpha1.Workload{{Name: "wal"}}},
		Status: v1alpha1.StorageBenchmarkStatus{
			CompletionTime: &at,
			Conditions:     []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionFalse, Reason: "RunFailed"}},
			Targets: []v1alpha1.TargetStatus{
				{Name: "gp3", Driver: "ebs.csi.aws.com", Volumes: volumes("n2")},
				{Name: "efs", Driver: "efs.csi.aws.com", Volumes: volumes("n1")},
				{Name: "io2", Driver: "ebs.csi.aws.com"},
			},
			Runs:        []v1alpha1.Run{{Result: &v1alpha1.Result{FioVersion: "fio-3.33"}}, {Sections: []v1alpha1.SectionResult{{Result: v1alpha1.Result{FioVersion: "fio-3.33"}}}}},
			Comparisons: []v1alpha1.Comparison{section(1000), section(1 << 50)},
		},
	}
}

func TestFromBenchmark(t *testing.T) {
	got := FromBenchmark(finished(), Environment{Operator: "0.9.0", Kernel: "6.1\x1b[31m", Drivers: []Driver{{Name: "ebs.csi.aws.com", Image: "v1.64"}, {Name: "unused"}}})
	cases := func(section string, iops int64) []Measured {
		return []Measured{
			{Case{"wal", "bs=16k iodepth=4", section, "gp3"}, []Figure{{WriteIOPS, iops}, {WriteP50, 2}, {WriteP99, 3}, {SyncP99, 4}}},
			{Case{"wal", "bs=16k iodepth=4", section, "efs"}, []Figure{{MetadataIOPS, 7_000}}},
		}
	}
	want := Point{
		Time: begin, Benchmark: "nightly-1", UID: "u", Reason: "RunFailed",
		Environment: Environment{
			Operator: "0.9.0", Fio: "fio-3.33", Kernel: "6.1 [31m", InstanceType: "m6i.large", Zone: "a", Node: "n1, n2",
			Drivers:  []Driver{{"ebs.csi.aws.com", "v1.64", []string{"gp3", "io2"}}, {"efs.csi.aws.com", "", []string{"efs"}}},
			Baseline: got.Environment.Baseline, Targets: got.Environment.Targets,
		},
		Cases: append(cases("log", 1_000_000), cases("log#2", MaxRate)...),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParametersText(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, row := range []struct {
		choice map[string]string
		want   string
	}{
		{nil, ""},
		{map[string]string{"iodepth": "4", "bs": "16k"}, "bs=16k iodepth=4"},
		{map[string]string{"a": "1 b=2"}, `a="1 b=2"`},
		{map[string]string{"a": "1", "b": "2"}, "a=1 b=2"},
		{map[string]string{"a": long}, "a=" + long[:234] + " " + hashOf("a="+long)},
	} {
		if got := parametersText(row.choice); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

// The baseline of what was measured yesterday is that of the same measured today, by whichever operator: with another one all schedules would begin a new one.
func TestBaselineStays(t *testing.T) {
	sb := finished()
	sb.Spec.Targets = []v1alpha1.Target{{Name: "gp3", StorageClassName: new("gp3")}}
	sb.Spec.Workloads = []v1alpha1.Workload{{Name: "wal", Fio: &v1alpha1.FioParameters{RW: "randwrite", BS: new("16k")}}}
	sb.Status.Presets = []v1alpha1.PresetVersion{"etcd.v1"}
	if got, want := BaselineOf(sb, "fio-3.33", "m6i.large"), "43067804a7cc47ec"; got != want {
		t.Errorf("the baseline is %s, and was %s", got, want)
	}
	if got, want := targetsOf(&sb.Spec)[0].Baseline, "850ed3574a7e4885"; got != want {
		t.Errorf("the target's baseline is %s, and was %s", got, want)
	}
}

// TestBaselineOf: what makes results comparable, and what does not matter.
func TestBaselineOf(t *testing.T) {
	base := BaselineOf(finished(), "fio-3.33", "m6i.large")
	for _, row := range []struct {
		name   string
		change func(*v1alpha1.StorageBenchmark)
		same   bool
	}{
		{"storage, which has a baseline of its own", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Targets[0].EBS = &v1alpha1.EBSVolume{Type: "gp3"}
		}, true},
		{"a workload", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Workloads[0].JobFile = new("[log]")
		}, false},
		{"a preset's version", func(sb *v1alpha1.StorageBenchmark) {
			sb.Status.Presets = []v1alpha1.PresetVersion{"etcd.v2"}
		}, false},
		{"clients", func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(2)) }, false},
		{"the default of clients", func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(1)) }, true},
		{"the default of spread", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement = &v1alpha1.Placement{Spread: v1alpha1.SpreadNode}
		}, true},
		{"isolation", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement = &v1alpha1.Placement{Isolation: v1alpha1.IsolationNone}
		}, false},
		{"the default of isolation", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement = &v1alpha1.Placement{Isolation: v1alpha1.IsolationNode}
		}, true},
		{"which nodes measure", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement = &v1alpha1.Placement{NodeSelector: map[string]string{"pool": "fast"}}
		}, false},
		{"affinity", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement = &v1alpha1.Placement{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}}}
		}, false},
		{"order", func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Order = v1alpha1.OrderByTarget }, false},
		{"the default of order", func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Order = v1alpha1.OrderInterleaved }, true},
		{"expectations", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Expectations = []v1alpha1.Expectation{{Metric: "read.iops"}}
		}, true},
		{"repetitions", func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(4)) }, true},
		{"labels of pods", func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Pod = &v1alpha1.PodSettings{Labels: map[string]string{"a": "b"}}
		}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			sb := finished()
			row.change(sb)
			if got := BaselineOf(sb, "fio-3.33", "m6i.large"); (got == base) != row.same {
				t.Errorf("the same baseline: %v, want %v", got == base, row.same)
			}
		})
	}
	if BaselineOf(finished(), "fio-3.36", "m6i.large") == base || BaselineOf(finished(), "fio-3.33", "m7i.large") == base {
		t.Error("another fio and another instance type are no other baseline")
	}
}

// A change of one target's storage leaves the others their baselines.
func TestTargetBaselines(t *testing.T) {
	two := func(change func(*v1alpha1.Target)) Environment {
		sb := finished()
		sb.Spec.Targets = []v1alpha1.Target{{Name: "gp3", EBS: &v1alpha1.EBSVolume{Type: "gp3"}}, {Name: "efs"}}
		change(&sb.Spec.Targets[0])
		return FromBenchmark(sb, Environment{}).Environment
	}
	before := two(func(*v1alpha1.Target) {})
	after := two(func(target *v1alpha1.Target) { target.EBS.IOPS = new(int32(4000)) })
	if before.Baseline != after.Baseline || before.BaselineFor("efs") != after.BaselineFor("efs") {
		t.Error("another gp3 begins a baseline of efs")
	}
	if before.BaselineFor("gp3") == after.BaselineFor("gp3") || before.BaselineFor("gp3") == before.BaselineFor("efs") {
		t.Error("another gp3 begins no baseline of gp3")
	}
	if before.BaselineFor("gone") != before.Baseline {
		t.Error("what is not known of a target is part of its baseline")
	}
}

// TestCasesOf: repetitions are one case, sections are several.
func TestCasesOf(t *testing.T) {
	spec := &v1alpha1.StorageBenchmarkSpec{
		Repetitions: new(int32(3)),
		Targets:     []v1alpha1.Target{{Name: "a", StorageClassName: new("x")}, {Name: "b", StorageClassName: new("y")}},
		Workloads: []v1alpha1.Workload{
			{Name: "two", JobFile: new("[global]\nrw=read\nsize=1m\n[one]\n[two]\nstonewall\n")},
			{Name: "one", JobFile: new("[one]\nrw=read\nsize=1m\n")},
		},
	}
	runs, problems := plan.Runs(spec, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got := CasesOf(runs); got != 6 {
		t.Errorf("%d cases, want 6", got)
	}
}
