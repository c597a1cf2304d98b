package job

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/test/builder"
)

// What is laid out before a run follows from the runs that have a result.
func TestShares(t *testing.T) {
	const done, failed, pending, running = v1alpha1.RunSucceeded, v1alpha1.RunFailed, v1alpha1.RunPending, v1alpha1.RunRunning
	for _, test := range []struct {
		name string
		// states are those of the runs: of workload a on targets x and y, then of b. next is the run to come.
		states []v1alpha1.RunState
		next   int
		lays   bool
	}{
		{"the first run", []v1alpha1.RunState{running, pending, pending, pending}, 0, true},
		{"the first on another target", []v1alpha1.RunState{done, running, pending, pending}, 1, true},
		{"the second", []v1alpha1.RunState{done, done, running, pending}, 2, false},
		{"the second, after one that failed", []v1alpha1.RunState{failed, done, running, pending}, 2, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("x")).Target(builder.NewTarget("y")).
				Workload(builder.NewWorkload("a")).Workload(builder.NewWorkload("b")).Build()
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "x"}, {Name: "y"}}
			for i, name := range []string{"a.x", "a.y", "b.x", "b.y"} {
				sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{Name: name, Target: name[2:], Attempts: 1, State: test.states[i]})
			}
			run := &sb.Status.Runs[test.next]
			b, planned := planOf(t, sb, run)
			text := b.ForRun(run, planned, 0, b.Shares(planned), false).LayoutFile
			if lays := strings.Contains(text, "directory=/") && strings.Contains(text, "[a]") && strings.Contains(text, "[b]"); lays != test.lays || lays == (text == "") {
				t.Errorf("run %s lays out %q", run.Name, text)
			}
		})
	}
}

// A device is written before the first run that has a result on it, and not again. That run may write, also where its workload
// only reads. Files are written when they are laid out.
func TestPrecondition(t *testing.T) {
	const done, failed, pending, running = v1alpha1.RunSucceeded, v1alpha1.RunFailed, v1alpha1.RunPending, v1alpha1.RunRunning
	const block, files = corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem
	for _, test := range []struct {
		name    string
		mode    corev1.PersistentVolumeMode
		states  []v1alpha1.RunState
		next    int
		written bool
	}{
		{"the first run", block, []v1alpha1.RunState{running, pending}, 0, true},
		{"the second", block, []v1alpha1.RunState{done, running}, 1, false},
		{"the second, after one that failed", block, []v1alpha1.RunState{failed, running}, 1, true},
		{"files", files, []v1alpha1.RunState{running, pending}, 0, true},
		{"files that are laid out already", files, []v1alpha1.RunState{done, running}, 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			target := builder.NewTarget("fast")
			target.VolumeMode, target.Precondition = &test.mode, &v1alpha1.Precondition{Passes: new(int32(1))}
			b := builder.NewBenchmark("ns", "sb").Target(target)
			for _, name := range []string{"one", "two"} {
				reads := builder.NewWorkload(name)
				reads.Fio.RW, reads.Fio.RuntimeSeconds, reads.Fio.TimeBased, reads.Until = "randread", nil, nil, &v1alpha1.Until{}
				b = b.Workload(reads)
			}
			sb := b.Build()
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "fast", VolumeMode: test.mode}}
			for i, name := range []string{"one.fast", "two.fast"} {
				sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{Name: name, Target: "fast", Attempts: 1, State: test.states[i]})
			}
			run := &sb.Status.Runs[test.next]
			of, planned := planOf(t, sb, run)
			got := of.ForRun(run, planned, 0, of.Shares(planned), false)
			if written := got.Precondition != nil; written != test.written {
				t.Errorf("written: %t, want %t", written, test.written)
			}
			if written := got.Precondition != nil; written && *got.Precondition != (fio.Precondition{Passes: 1, BS: "128k"}) {
				t.Errorf("it is written by %+v", got.Precondition)
			}
			if got.Until == nil || got.Until.String() != "60:10:20:3538:true:iops" {
				t.Errorf("it goes on until %v", got.Until)
			}
			if got.Volume.ReadOnly != (test.mode == block && !test.written) {
				t.Errorf("read only: %t, of a workload that only reads", got.Volume.ReadOnly)
			}
		})
	}
}
