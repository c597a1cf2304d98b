package controllers

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// A runner that hangs in the kernel neither ends nor reports, and its kubelet says that it runs. Its run fails, others
// on the same storage are not tried, and those on other storage are made.
func TestSilentRunnerIsGivenUp(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelTarget] == "one" && pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleRun {
			w.silent.Store(pod.Name, true)
			return fakecluster.Lose()
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, twoByTwo(w, "sb").Deadlines(v1alpha1.Deadlines{IOProgressSeconds: new(int32(60)), CleanUpSeconds: new(int32(300))}).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring, "run reads.one (1 of 4)")

	w.passUntil(15*time.Second, func() error {
		current := w.Get(sb)
		if current.Status.FinishedRuns != current.Status.PlannedRuns || current.Status.PlannedRuns == 0 {
			return errors.New("not all runs have ended")
		}
		return nil
	}, sb)
	w.passUntil(time.Minute, func() error {
		if w.Get(sb).Status.CompletionTime == nil {
			return errors.New("not ended")
		}
		return nil
	}, sb)
	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "2 of 4 runs failed", "not removed within",
		"until the storage answers or the node restarts")
	for _, run := range sb.Status.Runs {
		switch {
		case run.Target == "two":
			if run.State != v1alpha1.RunSucceeded {
				t.Errorf("run %s on the storage that answers is %s: %s", run.Name, run.State, run.Message)
			}
		case run.Attempts > 0:
			if !strings.Contains(run.Message, "has given no sign of life for longer than spec.deadlines.ioProgressSeconds:") || !strings.Contains(run.Message, "the last line of its log: log of fio of") {
				t.Errorf("run %s: %s", run.Name, run.Message)
			}
		default:
			if run.State != v1alpha1.RunFailed || !strings.Contains(run.Message, "the storage did not answer in run reads.one") {
				t.Errorf("run %s is %s: %s", run.Name, run.State, run.Message)
			}
		}
	}
}

// One whose log goes on is not, however long it takes.
func TestRunnerThatWorksIsNotGivenUp(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").Deadlines(v1alpha1.Deadlines{IOProgressSeconds: new(int32(60)), RunCompletionSeconds: new(int32(3000))}).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	w.passUntil(30*time.Second, func() error {
		if w.lines.Load() < 5 {
			return errors.New("its log was not looked at five times")
		}
		return nil
	}, sb)
	if run := w.Get(sb).Status.Runs[0]; run.State != v1alpha1.RunRunning {
		t.Errorf("run is %s: %s", run.State, run.Message)
	}
}
