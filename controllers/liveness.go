package controllers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/legible"
)

const (
	// layoutPatience is how long a log may take that only tells people more: it must not hold up a result.
	layoutPatience = 2 * time.Second
	// maxLastLine is the most bytes that are read of a log's last line, maxLastWords the most that messages have of it.
	maxLastLine  = 4096
	maxLastWords = 256
)

// readLogs reads the logs of the clients that are due, and returns what is known of all.
func (p *pass) readLogs(ctx context.Context, parts []part, facts attempt.Facts) []attempt.Liveness {
	liveness := facts.Liveness
	due := facts.Due()
	lines, errs := gather(ctx, parallelCalls, due, func(client int) (string, error) {
		return p.lastLine(ctx, parts[client].pod, patienceFor(parts[client].seen))
	})
	for i, client := range due {
		if errs[i] != nil {
			ctrl.LoggerFrom(ctx).Info("Log of a run cannot be read", "pod", parts[client].pod.Name, "why", errs[i].Error())
			liveness[client] = liveness[client].Fail(p.Clock.Now())
			continue
		}
		liveness[client] = liveness[client].Saw(lines[i], p.Clock.Now())
	}
	p.memory.keepLiveness(parts, liveness)
	return liveness
}

// patienceFor returns how long the log of a client may take.
func patienceFor(seen attempt.State) time.Duration {
	if seen.Phase == attempt.Working {
		return layoutPatience
	}
	return logPatience
}

// lastLine returns the last line of the log of the container that runs, with its time.
func (p *pass) lastLine(ctx context.Context, pod *corev1.Pod, patience time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := p.withLog(ctx, pod, &corev1.PodLogOptions{
		Container: attempt.RunningContainer(pod), TailLines: new(int64(1)), Timestamps: true, LimitBytes: new(int64(maxLastLine)),
	}, io.ReadAll)
	return string(bytes.TrimSpace(text)), err
}

// giveUp ends a run of which a client gives no sign of life, and leaves out the others on the same storage.
func (s *writer) giveUp(run *v1alpha1.Run, silent part, liveness attempt.Liveness) {
	words := legible.Fit(liveness.Words(), maxLastWords)
	if words == "" {
		words = "(none)"
	}
	s.failRun(run, fmt.Sprintf("pod %s on node %s has given no sign of life for longer than spec.deadlines.progressSeconds: it waits for storage that does not answer, and cannot be ended; the last line of its log: %s",
		silent.pod.Name, silent.pod.Spec.NodeName, words))
	for i := range s.sb.Status.Runs {
		other := &s.sb.Status.Runs[i]
		if other.Target == run.Target && other.State == v1alpha1.RunPending {
			s.failRun(other, "not measured, because the storage did not answer in run "+run.Name)
		}
	}
}
