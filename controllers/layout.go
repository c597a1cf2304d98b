package controllers

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// layout returns what a client has to lay out before a run, nil if nothing. In its first run on a target it lays out
// the files of all, so that the others need not be started twice, for the layout and for themselves.
func (s *scope) layout(planned *plan.Run, client int32) *fio.JobFile {
	if storage.IsObjectStore(planned.Target) {
		return s.layoutObjects(planned, client)
	}
	needed := planned.Job.Layout()
	if needed == "" || !planned.Job.NeedsLayout() {
		return fio.LayoutFile(planned.Job)
	}
	all := s.knownLayouts(planned.Target, client)
	for i := range s.sb.Status.Runs {
		run := &s.sb.Status.Runs[i]
		if !hasMeasured(run, planned.Target, client) {
			continue
		}
		earlier := s.planned(run).Job
		if earlier.Layout() == needed || (all != nil && earlier.NeedsLayout() && earlier.Layout() != "") {
			return nil
		}
	}
	if all != nil {
		return all
	}
	return fio.LayoutFile(planned.Job)
}

// hasMeasured says whether a client has made a run on a target before.
func hasMeasured(run *v1alpha1.Run, target *v1alpha1.Target, client int32) bool {
	return run.Target == target.Name && run.State == v1alpha1.RunSucceeded && clientsOf(run) > client
}

// knownLayouts returns what lays out the files of all runs of a client on a target, but those whose files cannot be
// known.
func (s *scope) knownLayouts(target *v1alpha1.Target, client int32) *fio.JobFile {
	var files []*fio.JobFile
	seen := map[string]bool{"": true}
	for i := range s.runs {
		if s.runs[i].Target != target || s.runs[i].Clients <= client {
			continue
		}
		if layout := s.runs[i].Job.Layout(); !seen[layout] {
			seen[layout] = true
			files = append(files, s.runs[i].Job)
		}
	}
	return fio.LayoutFile(files...)
}

// layoutObjects returns what a client has to lay out before a run on an object store. Objects cannot be changed, so those
// of runs that differ in their sizes are others, and the first run that reads lays out all.
func (s *scope) layoutObjects(planned *plan.Run, client int32) *fio.JobFile {
	mine := fio.LayoutObjects(planned.Job)
	if mine == nil {
		return nil
	}
	var jobs []*fio.JobFile
	for i := range s.runs {
		if s.runs[i].Target == planned.Target && s.runs[i].Clients > client {
			jobs = append(jobs, s.runs[i].Job)
		}
	}
	all := fio.LayoutObjects(jobs...)
	if all == nil {
		return mine // too much for one file; what is there is only looked at
	}
	for i := range s.sb.Status.Runs {
		run := &s.sb.Status.Runs[i]
		if hasMeasured(run, planned.Target, client) && fio.LayoutObjects(s.planned(run).Job) != nil {
			return nil
		}
	}
	return all
}

const (
	// minHear and maxHear are how often a log is read that is to tell that files are laid out: what takes long may be told
	// of late.
	minHear = time.Second
	maxHear = 30 * time.Second
	// hearPatience is how long that may take: it must not hold up a result.
	hearPatience = 2 * time.Second
)

// hearLayout follows a client that lays out files and measures in one container, and finds out from its log which of both it
// is at. That is for people to see: nothing depends on it, and where the log cannot be read, nothing else is said than before.
func (s *scope) hearLayout(ctx context.Context, run *v1alpha1.Run, parts []part, seen observation) outcome {
	again := hearAgain(s.Clock.Since(seen.since))
	if measures := s.condition(v1alpha1.ConditionSucceeded).Reason == v1alpha1.ReasonMeasuring; measures || s.hearsMeasuring(ctx, parts[0].pod, seen) {
		seen.reason, again = v1alpha1.ReasonMeasuring, maxListen
	}
	out := s.watchAlive(ctx, run, parts, seen)
	if run.State != v1alpha1.RunRunning {
		return out
	}
	return haltFor(min(out.after, again))
}

// hearsMeasuring says whether a client's log tells that it measures.
func (s *scope) hearsMeasuring(ctx context.Context, pod *corev1.Pod, seen observation) bool {
	if seen.message != "" {
		return false // its node does not answer
	}
	ctx, cancel := context.WithTimeout(ctx, hearPatience)
	defer cancel()
	line, err := s.lastLine(ctx, pod)
	if err != nil {
		ctrl.LoggerFrom(ctx).Info("Log of a run cannot be read", "pod", pod.Name, "why", err.Error())
		return false
	}
	return tellsOfMeasuring(line)
}

// tellsOfMeasuring says whether the last line of a log, with its time, is of a runner that is past laying out files.
func tellsOfMeasuring(line string) bool {
	words := wordsOf(line)
	return words != "" && !strings.HasPrefix(words, digest.LayoutPrefix)
}

// hearAgain returns when to read the log anew of a client that lays out files for so long already.
func hearAgain(since time.Duration) time.Duration {
	return min(max(since/4, minHear), maxHear)
}
