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

func TestTellsOfMeasuring(t *testing.T) {
	for line, want := range map[string]bool{
		"":                        false,
		"2026-11-21T14:03:05.25Z": false,
		"2026-11-21T14:03:05.25Z layout | test files are laid out, then fio measures":       false,
		"2026-11-21T14:03:05.25Z layout | the runner is at work":                            false,
		"2026-11-21T14:03:05.25Z test files are laid out":                                   true,
		"2026-11-21T14:03:05.25Z fio was started at 2026-11-21T14:03:05.240000Z":            true,
		"2026-11-21T14:03:05.25Z the runner is at work":                                     true,
		"2026-11-21T14:03:05.25Z layout: (g=0): rw=read, bs=(R) 4096B-4096B, ioengine=sync": true,
	} {
		if got := tellsOfMeasuring(line); got != want {
			t.Errorf("%q tells of measuring: %t, want %t", line, got, want)
		}
	}
}

func TestHearAgain(t *testing.T) {
	for since, want := range map[time.Duration]time.Duration{
		-time.Hour: time.Second, 0: time.Second, 4 * time.Second: time.Second, 20 * time.Second: 5 * time.Second,
		2 * time.Minute: 30 * time.Second, time.Hour: 30 * time.Second,
	} {
		if got := hearAgain(since); got != want {
			t.Errorf("after %s it is looked again in %s, want %s", since, got, want)
		}
	}
}

// What one container does is known from its log, which is read until it tells of measuring, and no longer.
func TestLogTellsThatFilesAreLaidOut(t *testing.T) {
	w := newWorld(t)
	w.cluster.AllPods(fakecluster.Hang(job.LayoutContainer))
	sb := create(w, builder.OneRun(w.namespace, "sb").Build())
	w.eventually(func() error { return wantRunning(w.runPods(), job.MeasureContainer, 1) })
	w.passUntil(maxHear, func() error {
		if w.asked.Load() < 3 {
			return errors.New("the log was not read three times")
		}
		return nil
	}, sb)
	w.untilStep(sb, v1alpha1.ReasonPreparing, "run randread.fast (1 of 1)")

	w.cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	w.pass(sb, maxHear)
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
	w.cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.namespace, "sb").Build())
	w.passUntil(maxHear, func() error {
		if w.asked.Load() < 3 {
			return errors.New("the log was not asked for three times")
		}
		return nil
	}, sb)
	w.untilStep(sb, v1alpha1.ReasonPreparing, "run randread.fast (1 of 1)")

	w.cluster.AllPods(fakecluster.Succeed(builder.Report()))
	sb = w.untilEnd(sb, "True", v1alpha1.ReasonCompleted)
	if run := sb.Status.Runs[0]; run.Result == nil || run.Disruptions != 0 {
		t.Errorf("run is %+v", run)
	}
}
