package local

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/series"
)

// bench is a benchmark that is measured in directories of the test.
type bench struct {
	Config
	path string
	// during is called with each change of the status.
	during func(*v1alpha1.StorageBenchmark)
}

// newBench returns a benchmark of small random writes and reads on targets a and b.
func newBench(t *testing.T) *bench {
	t.Helper()
	sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Name: "sb"}}
	root, directories := t.TempDir(), map[string]string{}
	for _, name := range []string{"a", "b"} {
		sb.Spec.Targets = append(sb.Spec.Targets, v1alpha1.Target{Name: name, FreeSpaceReserve: quantity("1Mi")})
		directories[name] = filepath.Join(root, name)
		if err := os.Mkdir(directories[name], 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sb.Spec.Workloads = []v1alpha1.Workload{
		{Name: "write", Fio: &v1alpha1.FioParameters{RW: "randwrite", Size: new("1M"), RuntimeSeconds: new(int32(0))}},
		{Name: "read", Fio: &v1alpha1.FioParameters{RW: "randread", Size: new("1M"), RuntimeSeconds: new(int32(0))}},
	}
	b := &bench{path: filepath.Join(root, "out.yaml")}
	b.Config = Config{Benchmark: sb, Directories: directories, Fio: realFio(t), Clock: clock.RealClock{}}
	b.Changed = func(sb *v1alpha1.StorageBenchmark) {
		if b.during != nil {
			b.during(sb)
		}
	}
	return b
}

func realFio(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("fio")
	if err != nil {
		t.Fatalf("this test runs fio: install package fio (%v)", err)
	}
	return program
}

// script replaces fio by a shell script.
func (b *bench) script(t *testing.T, text string) {
	t.Helper()
	b.Fio = filepath.Join(t.TempDir(), "fio")
	if err := os.WriteFile(b.Fio, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// oneRun leaves the benchmark one run: writes on target a.
func (b *bench) oneRun() {
	delete(b.Directories, "b")
	b.Benchmark.Spec.Targets, b.Benchmark.Spec.Workloads = b.Benchmark.Spec.Targets[:1], b.Benchmark.Spec.Workloads[:1]
}

// last has a workload measure for that long.
func (b *bench) last(workload int, seconds int32) {
	parameters := b.Benchmark.Spec.Workloads[workload].Fio
	parameters.RuntimeSeconds, parameters.TimeBased = &seconds, new(true)
}

// run measures, and returns the benchmark, which has to be what the file has. Nothing may be left in the directories.
func (b *bench) run(ctx context.Context, t *testing.T) *v1alpha1.StorageBenchmark {
	t.Helper()
	session, err := New(b.Config)
	if err != nil {
		t.Fatal(err)
	}
	file, err := CreateFile(b.path)
	if err != nil {
		t.Fatal(err)
	}
	sb, err := session.Run(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(b.path)
	if err != nil {
		t.Fatal(err)
	}
	var saved v1alpha1.StorageBenchmark
	document, _, _ := strings.Cut(string(text), "---\n")
	if err := yaml.UnmarshalStrict([]byte(document), &saved); err != nil {
		t.Fatal(err)
	}
	again, err := yaml.Marshal(sb)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(again), document); diff != "" {
		t.Errorf("the file has another status (-returned +saved):\n%s", diff)
	}
	for name, directory := range b.Directories {
		if entries, err := os.ReadDir(directory); err != nil || len(entries) > 0 && sb.Spec.CleanupPolicy != v1alpha1.CleanupRetain {
			t.Errorf("in the directory of %s there is %v, %v", name, entries, err)
		}
	}
	return sb
}

// ends fails the test unless the benchmark has ended so.
func ends(t *testing.T, sb *v1alpha1.StorageBenchmark, reason string, words ...string) {
	t.Helper()
	for _, kind := range []string{v1alpha1.ConditionMeasured, v1alpha1.ConditionSucceeded} {
		c := sb.Status.Condition(kind)
		if c.Reason != reason {
			t.Errorf("condition %s is %s (%s), want %s", kind, c.Reason, c.Message, reason)
		}
		for _, word := range words {
			if !strings.Contains(c.Message, word) {
				t.Errorf("condition %s says %q, want %q", kind, c.Message, word)
			}
		}
	}
}

// Both targets are measured by turns, and the status has what a cluster's has: results, comparisons, what held them
// back, and a summary.
func TestRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Benchmark.Spec.Repetitions, b.Benchmark.Spec.Workloads = new(int32(2)), b.Benchmark.Spec.Workloads[:1]
	b.Benchmark.Spec.Targets[1].Limits = &v1alpha1.Limits{IOPS: new(int64(10_000_000))}
	sb := b.run(t.Context(), t)

	ends(t, sb, v1alpha1.ReasonCompleted, "4 runs on 2 targets")
	var order []string
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		order = append(order, run.Target)
		if run.State != v1alpha1.RunSucceeded || run.LimitedBy == nil {
			t.Errorf("run %s is %s: %s", run.Name, run.State, run.Message)
		}
	}
	if want := []string{"a", "b", "b", "a"}; !slices.Equal(order, want) {
		t.Errorf("targets by turns: %v, want %v", order, want)
	}
	if len(sb.Status.Comparisons) != 1 || sb.Status.Progress != "4/4" || sb.Status.Summary == "" {
		t.Errorf("%d comparisons, progress %q, summary %q", len(sb.Status.Comparisons), sb.Status.Progress, sb.Status.Summary)
	}
	if c := sb.Status.Condition(v1alpha1.ConditionCleanedUp); c.Reason != v1alpha1.ReasonNothingLeft {
		t.Errorf("clean-up: %s: %s", c.Reason, c.Message)
	}
	target := sb.Status.Target("b")
	if target.TestFiles != v1alpha1.TestFilesRemoved || target.Limits == nil || !strings.HasSuffix(target.Volumes[0].Name, ":"+b.Directories["b"]) {
		t.Errorf("target b: %+v", target)
	}
	if sb.Spec.Targets[1].ClaimName != nil {
		t.Errorf("the file has another spec: %+v", sb.Spec.Targets)
	}
}

// What is kept of a run in a cluster is in the file: its log, and what it did over its time.
func TestRunKeepsSeries(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.oneRun()
	b.last(0, 2)
	var lines int
	b.Line = func(string) { lines++ }
	sb := b.run(t.Context(), t)
	text, err := os.ReadFile(b.path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sb.Status.Runs {
		if name := sb.Status.Runs[i].LogConfigMap; name == "" || !strings.Contains(string(text), "\n  name: "+name+"\n") {
			t.Errorf("the file has no ConfigMap %q", name)
		}
	}
	if strings.Count(string(text), series.Key) != 1 || lines == 0 {
		t.Errorf("the file has %d series, want 1; %d lines were logged", strings.Count(string(text), series.Key), lines)
	}
}

// An interrupt ends fio, and keeps the runs that had ended.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.last(1, 60)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	b.during = func(sb *v1alpha1.StorageBenchmark) {
		if run := sb.Status.RunningRun(); run != nil && run.Name == "read.a" &&
			sb.Status.Condition(v1alpha1.ConditionSucceeded).Reason == v1alpha1.ReasonMeasuring {
			interrupt()
		}
	}
	began := time.Now()
	sb := b.run(ctx, t)
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s to end fio", took)
	}
	ends(t, sb, v1alpha1.ReasonInterrupted, "interrupted after 2 of 4 runs")
	states := map[string]v1alpha1.RunState{}
	for i := range sb.Status.Runs {
		states[sb.Status.Runs[i].Name] = sb.Status.Runs[i].State
	}
	want := map[string]v1alpha1.RunState{
		"write.a": v1alpha1.RunSucceeded, "write.b": v1alpha1.RunSucceeded,
		"read.a": v1alpha1.RunPending, "read.b": v1alpha1.RunPending,
	}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if len(sb.Status.Comparisons) != 1 {
		t.Errorf("%d comparisons of what was measured, want 1", len(sb.Status.Comparisons))
	}
}

// A fio that fails, or prints no result, fails its runs in its own words.
func TestBrokenFio(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, want string }{
		"fails":          {"echo 'fio: engine libaio not loadable' >&2; exit 1", "engine libaio not loadable"},
		"prints nothing": {"exit 0", "fio"},
	} {
		b := newBench(t)
		b.script(t, test.script)
		sb := b.run(t.Context(), t)
		ends(t, sb, v1alpha1.ReasonRunFailed, "4 of 4 runs failed", test.want)
		if got := sb.Status.Runs[0].Message; got == "" {
			t.Errorf("%s: the run does not say why it failed", name)
		}
	}
}

// A run that takes longer than it may ends the benchmark, as in a cluster.
func TestDeadline(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.script(t, "exec sleep 60")
	b.Benchmark.Spec.Deadlines.RunCompletionSeconds = new(int32(1))
	sb := b.run(t.Context(), t)
	ends(t, sb, v1alpha1.ReasonDeadlineExceeded, "spec.deadlines.runCompletionSeconds")
	if got := sb.Status.Runs[1].State; got != v1alpha1.RunPending {
		t.Errorf("the next run is %s", got)
	}
}

// With cleanupPolicy Retain the test files stay, and users learn where.
func TestRetain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.oneRun()
	b.Benchmark.Spec.CleanupPolicy = v1alpha1.CleanupRetain
	sb := b.run(t.Context(), t)
	ends(t, sb, v1alpha1.ReasonCompleted)
	c := sb.Status.Condition(v1alpha1.ConditionCleanedUp)
	directory := filepath.Join(b.Directories["a"], "storagebench-"+string(sb.UID))
	if c.Reason != v1alpha1.ReasonRetained || !strings.Contains(c.Message, directory) {
		t.Errorf("clean-up is %s: %s", c.Reason, c.Message)
	}
	if files, err := os.ReadDir(directory); err != nil || len(files) == 0 {
		t.Errorf("files %v, %v", files, err)
	}
	session, err := New(b.Config)
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(session.Notes(), "\n"); !strings.Contains(notes, "rm -r "+directory) {
		t.Errorf("the next benchmark does not tell of the leftovers: %s", notes)
	}
	if _, err := os.Stat(directory); err != nil {
		t.Errorf("the next benchmark has removed what is not its own: %v", err)
	}
}
