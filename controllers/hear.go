package controllers

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
)

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
