package controllers

import (
	"errors"
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// hearsAtLatest is more than passes between two looks at a log of a runner that may lay out files.
const hearsAtLatest = 30 * time.Second

// What one container does is known from its log, which is read until it tells of measuring, and no longer.
func TestLogTellsThatFilesAreLaidOut(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.LayoutContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.Eventually(func() error { return wantRunning(w.runPods(), job.MeasureContainer, 1) })
	w.passUntil(hearsAtLatest, func() error {
		if w.asked.Load() < 3 {
			return errors.New("the log was not read three times")
		}
		return nil
	}, sb)
	w.untilStep(sb, v1alpha1.ReasonPreparing, "run randread.fast (1 of 1)")

	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	w.pass(sb, hearsAtLatest)
	w.untilStep(sb, v1alpha1.ReasonMeasuring, "run randread.fast (1 of 1)")
	before := w.asked.Load()
	for range 3 {
		w.pass(sb, time.Second)
		w.untilStep(sb, v1alpha1.ReasonMeasuring)
	}
	if after := w.asked.Load(); after != before {
		t.Errorf("the log is read %d times while fio measures", after-before)
	}
}

// Where logs cannot be read, a run is prepared for as long as it takes, and has its result.
func TestUnreadableLogKeepsNothing(t *testing.T) {
	w := newWorld(t)
	w.unreadable.Store(true)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.passUntil(hearsAtLatest, func() error {
		if w.asked.Load() < 3 {
			return errors.New("the log was not asked for three times")
		}
		return nil
	}, sb)
	w.untilStep(sb, v1alpha1.ReasonPreparing, "run randread.fast (1 of 1)")

	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	sb = w.untilEnd(sb, "True", v1alpha1.ReasonCompleted)
	if run := sb.Status.Runs[0]; run.Result == nil || run.Disruptions != 0 {
		t.Errorf("run is %+v", run)
	}
}
