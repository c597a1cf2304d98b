//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/preset"
)

// Every preset is one that fio takes, and measures what it says that it shows. Several benchmarks share them, side by side.
func TestPresets(t *testing.T) {
	sideBySide(t, load(2), budget(6*time.Minute))
	presets := preset.Newest()
	var parts [4][]preset.Preset
	for i := range presets { // by turns: those of many runs stand side by side
		parts[i%len(parts)] = append(parts[i%len(parts)], presets[i])
	}
	var of [len(parts)]*v1alpha1.StorageBenchmark
	for i := range parts {
		of[i] = benchmark(t, fmt.Sprintf("presets-%d", i), presetsOnLoop(parts[i]))
		create(t, of[i])
	}
	for i := range parts {
		done := completes(t, of[i])
		t.Logf("%d runs in %s", len(done.Status.Runs), done.Status.CompletionTime.Sub(done.Status.StartTime.Time))
		for j := range parts[i] {
			checkShown(t, done, &parts[i][j])
		}
	}
}

// presetsOnLoop has a benchmark run presets in a size in which the 32 files of Kafka have room for a block of 1 MiB each.
func presetsOnLoop(presets []preset.Preset) func(*v1alpha1.StorageBenchmark) {
	return func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName, sb.Spec.Targets[0].Capacity = new("loop"), new(resource.MustParse("4Gi"))
		sb.Spec.Workloads = nil
		for i := range presets {
			scale := &v1alpha1.PresetScale{Size: new("32M"), RuntimeSeconds: new(int32(1))}
			sb.Spec.Workloads = append(sb.Spec.Workloads, v1alpha1.Workload{Name: presets[i].Name, Preset: &presets[i].Name, Scale: scale})
		}
	}
}

// checkShown checks that a benchmark names the version of a preset, and has what the preset says that it shows.
func checkShown(t *testing.T, done *v1alpha1.StorageBenchmark, p *preset.Preset) {
	t.Helper()
	if !slices.Contains(done.Status.Presets, v1alpha1.PresetVersion(p.ID())) {
		t.Errorf("status.presets is %v, without %s", done.Status.Presets, p.ID())
	}
	for _, metric := range p.Shows {
		shown := expectation.Show(&done.Spec, &done.Status, p.Name, []string{metric})
		if !slices.ContainsFunc(shown, func(f expectation.Finding) bool { return f.Figures != nil && f.Figures.Median > 0 }) {
			t.Errorf("%s did not measure %s: %+v", p.Name, metric, shown)
		}
	}
}

// goodForEtcd says by a run's own figures what etcd's documents ask for.
func goodForEtcd(t *testing.T, run *v1alpha1.Run) bool {
	t.Helper()
	if run.Result == nil || run.Result.Of(v1alpha1.OperationSync) == nil || run.Result.Of(v1alpha1.OperationSync).CompletionLatency == nil {
		t.Fatalf("run %s has no syncs: %+v", run.Name, run.Result)
	}
	p99, iops := run.Result.Of(v1alpha1.OperationSync).CompletionLatency.P99Nanoseconds, run.Result.Of(v1alpha1.OperationWrite).IOPS()
	t.Logf("%s: fdatasync p99 %s, %d IOPS", run.Name, time.Duration(p99), iops)
	return p99 <= int64(10*time.Millisecond) && iops >= 50
}

// Whether storage is good enough for etcd is what its figures say, of each.
func TestEtcdPresetIsJudgedByItsFigures(t *testing.T) {
	sideBySide(t, load(figures), shares(theFileSystem))
	efs := experiment(t, "e4").Spec.Targets[0].EFS
	sb := benchmark(t, "good-enough", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets = []v1alpha1.Target{
			{Name: "loop", StorageClassName: new("loop"), Capacity: new(resource.MustParse("256Mi"))},
			{Name: "gp3", EBS: &v1alpha1.EBSVolume{Type: "gp3"}},
			{Name: "efs", EFS: efs},
		}
		sb.Spec.Workloads = []v1alpha1.Workload{{Name: "etcd", Preset: new("etcd"), Scale: &v1alpha1.PresetScale{Size: new("64M"), RuntimeSeconds: new(int32(5))}}}
	})
	create(t, sb)
	done := completes(t, sb)
	c := meta.FindStatusCondition(done.Status.Conditions, v1alpha1.ConditionExpectationsMet)
	if c == nil || len(done.Status.Runs) != 3 {
		t.Fatalf("conditions %+v, %d runs", done.Status.Conditions, len(done.Status.Runs))
	}
	want := metav1.ConditionTrue
	for i := range done.Status.Runs {
		run := &done.Status.Runs[i]
		good := goodForEtcd(t, run)
		switch {
		case good:
		case !isNodeBusy(run):
			want = metav1.ConditionFalse
		case want == metav1.ConditionTrue: // it is not known whether that is the storage's fault
			want = metav1.ConditionUnknown
		}
		if told := strings.Contains(c.Message, "etcd on "+run.Target+": "); c.Status == metav1.ConditionFalse && told == good {
			t.Errorf("good enough on %s: %t, message %q", run.Target, good, c.Message)
		}
	}
	if c.Status != want {
		t.Errorf("condition is %s, want %s: %s", c.Status, want, c.Message)
	}
	checkSyncsPrevail(t, done)
}

// checkSyncsPrevail holds what is told of syncs to the figures of the runs, of which each target has one. The first target is the baseline.
func checkSyncsPrevail(t *testing.T, done *v1alpha1.StorageBenchmark) {
	t.Helper()
	for i, target := range done.Status.Comparisons[0].Targets {
		at := slices.IndexFunc(done.Status.Runs, func(run v1alpha1.Run) bool { return run.Target == target.Name })
		sync, write := done.Status.Runs[at].Result.Of(v1alpha1.OperationSync), done.Status.Runs[at].Result.Of(v1alpha1.OperationWrite)
		want := sync.Count*sync.Mean() > 10*write.Count*write.Latency.MeanNanoseconds
		if got := ptr.Deref(target.Of(v1alpha1.OperationSync).Prevails, false); got != want {
			t.Errorf("syncs prevail on %s: %t, want %t by %+v and %+v", target.Name, got, want, sync, write)
		}
		if told := strings.Contains(done.Status.Summary, target.Name+" ") && strings.Contains(done.Status.Summary, "sync p50"); i == 0 && told != want {
			t.Errorf("syncs prevail on %s: %t, and the summary is %q", target.Name, want, done.Status.Summary)
		}
	}
}

// The exit code of a check is what its figures say.
func TestCheckAnswersByItsFigures(t *testing.T) {
	sideBySide(t, load(figures))
	plugin := newPlugin(t)
	removeAtEnd(t, "check-loop")
	out, notes, err := plugin("check", "--name", "check-loop", "--class", "loop", "--preset", "etcd", "--capacity", "2Gi", "--repetitions", "1", "--expect", "sync.mean=1s")
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s%s", notes, out)
	var sb v1alpha1.StorageBenchmark
	if err := k8s.Get(t.Context(), client.ObjectKey{Namespace: namespaceOf(t), Name: "check-loop"}, &sb); err != nil {
		t.Fatal(err)
	}
	want, answer := 0, " yes "
	if !goodForEtcd(t, &sb.Status.Runs[0]) {
		want, answer = 2, " no "
	}
	if code != want || !strings.Contains(out, answer) {
		t.Errorf("exit code %d, want %d and%sin the table:\n%s", code, want, answer, out)
	}
}
