//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
)

// fio ends with exit code 0 and without an error when one of its job processes was killed, and reports what the others
// did. None of that is a result.
func TestKilledProcesses(t *testing.T) {
	sideBySide(t, load(3))
	for name, test := range map[string]struct {
		fault string
		which func(measurers) int
		words []string
	}{
		"fio":    {"fio is killed", func(m measurers) int { return m.fio }, []string{"was killed (SIGKILL)", "limits.memory"}},
		"job":    {"One of fio's job processes is killed", func(m measurers) int { return m.jobs[0] }, []string{"was killed (SIGKILL)", "limits.memory"}},
		"runner": {"The process that runs fio is killed", func(m measurers) int { return m.runner }, []string{"exit code 137", "log"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := begin(t, &fault{
				section: faultsOfWorkload, name: test.fault, does: "sends SIGKILL to the process",
				ends: v1alpha1.ReasonRunFailed, bound: time.Minute,
			})
			sb := benchmark(t, "killed-"+name, lasting(10))
			create(t, sb)
			processes := processesOf(t, runningPod(t, sb), 2)
			f.strike()
			sendSignal(t, test.which(processes), syscall.SIGKILL)
			done := f.end(t, sb, test.words...)
			if run := done.Status.Runs[0]; run.State != v1alpha1.RunFailed || run.Result != nil {
				t.Errorf("run = %+v", run)
			}
			for _, pid := range append(processes.jobs, processes.fio, processes.runner) {
				if isAlive(pid) {
					t.Errorf("process %d is left", pid)
				}
			}
		})
	}
}

// fio that prints errors without an end takes neither its node's disk nor its pod's log: it is ended.
func TestFloodOfErrors(t *testing.T) {
	sideBySide(t, load(2))
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "fio prints errors without an end", does: "has fio verify files that nobody has written to be verified, with continue_on_error=all",
		ends: v1alpha1.ReasonRunFailed, bound: time.Minute,
	})
	sb := benchmark(t, "flood", lasting(300), func(sb *v1alpha1.StorageBenchmark) {
		fio := sb.Spec.Workloads[0].Fio
		fio.NumJobs = new(int32(1)) // several print at the same time, in one another's lines
		fio.RW, fio.Options = "read", map[string]v1alpha1.FioOptionValue{"verify": "crc32c", "continue_on_error": "all"}
	})
	f.strike()
	create(t, sb)
	done := f.end(t, sb, "fio printed more than is kept", "continue_on_error", "set it to none")
	if run := done.Status.Runs[0]; run.State != v1alpha1.RunFailed || run.Attempts != 1 || run.LogConfigMap == "" {
		t.Errorf("run = %+v", run)
	}
}

// What a pod leaves as its report may be anything. It concerns its own run at worst: other runs of the same benchmark,
// and the operator, go on.
func TestForgedReports(t *testing.T) {
	sideBySide(t, load(2))
	const does = "replaces the file from which the kubelet reads the pod's termination message"
	t.Run("garbage", func(t *testing.T) {
		t.Parallel()
		f := begin(t, &fault{
			section: faultsOfWorkload, name: "A pod leaves 4 KiB of garbage as its report", does: does,
			ends: v1alpha1.ReasonRunFailed, bound: time.Minute,
		})
		sb := twoRuns(t, "garbage")
		create(t, sb)
		pod := runningPod(t, sb)
		f.strike()
		replaceFile(t, terminationMessage(t, pod), bytes.Repeat([]byte{0xff, 'g', 0, '\n'}, digest.MaxBytes/4))
		done := f.end(t, sb, "1 of 2 runs failed", "left no result", "not a storagebench report")
		if run := done.Status.Runs[0]; run.State != v1alpha1.RunFailed || run.Result != nil {
			t.Errorf("run = %+v", run)
		}
		if done.Status.Runs[1].Result == nil {
			t.Errorf("the other run has no result: %+v", done.Status.Runs[1])
		}
	})
	t.Run("copy", func(t *testing.T) {
		t.Parallel()
		f := begin(t, &fault{
			section: faultsOfWorkload, name: "A pod leaves a copy of another run's report", does: does,
			ends: v1alpha1.ReasonRunFailed, bound: time.Minute,
		})
		text := reportOfAnother(t)
		sb := twoRuns(t, "copy")
		create(t, sb)
		pod := runningPod(t, sb)
		f.strike()
		replaceFile(t, terminationMessage(t, pod), text)
		done := f.end(t, sb, "1 of 2 runs failed", "is not of this run: it is that of pod")
		if run := done.Status.Runs[0]; run.State != v1alpha1.RunFailed || run.Result != nil {
			t.Errorf("run = %+v", run)
		}
		if done.Status.Runs[1].Result == nil {
			t.Errorf("the other run has no result: %+v", done.Status.Runs[1])
		}
	})
}

// twoRuns returns a benchmark of a run that lasts until its report can have been replaced, also on a machine that is busy, and another one.
func twoRuns(t *testing.T, name string) *v1alpha1.StorageBenchmark {
	t.Helper()
	return benchmark(t, "report-"+name, lasting(15), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Workloads = append(sb.Spec.Workloads, v1alpha1.Workload{Name: "second", Fio: randwrite(1)})
	})
}

// reportOfAnother returns what a run of another benchmark reported.
func reportOfAnother(t *testing.T) []byte {
	t.Helper()
	sb := benchmark(t, "report-of-another", func(sb *v1alpha1.StorageBenchmark) {
		// None of the runs that it is compared with is as long: at the limit of the tests' disks, runs of one length make
		// the same number of writes.
		sb.Spec.Workloads[0].Fio.RuntimeSeconds = new(int32(9))
	})
	create(t, sb)
	pod := runningPod(t, sb)
	// The operator removes a pod as soon as it has its report. A finalizer keeps it until it was read here as well.
	const finalizer = "e2e.storagebench.dev/read"
	keep := func(change func(client.Object, string) bool) {
		patch := client.StrategicMergeFrom(pod.DeepCopy()) // others have finalizers there too
		change(pod, finalizer)
		if err := k8s.Patch(context.WithoutCancel(t.Context()), pod, patch); client.IgnoreNotFound(err) != nil {
			t.Fatalf("finalizer of pod %s: %v", pod.Name, err)
		}
	}
	keep(controllerutil.AddFinalizer)
	defer keep(controllerutil.RemoveFinalizer)
	var report []byte
	eventually(t.Context(), t, "the report of another benchmark", func(ctx context.Context) (bool, error) {
		if err := k8s.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return false, err
		}
		ended := pod.Status.ContainerStatuses[0].State.Terminated
		if ended == nil {
			return false, nil
		}
		if ended.ExitCode != 0 {
			return false, fmt.Errorf("it ended with %+v", ended)
		}
		report = []byte(ended.Message)
		return true, nil
	})
	return report
}

// replaceFile puts another file in the place of one that a container writes: it goes on writing to the one that is gone.
func replaceFile(t *testing.T, path string, content []byte) {
	t.Helper()
	forged := filepath.Join(filepath.Dir(filepath.Dir(path)), "forged")
	if err := os.WriteFile(forged, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(forged, path); err != nil {
		t.Fatal(err)
	}
}
