package workers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// layoutPatience is how long a log may take that only tells people more: it must not hold up a result.
	layoutPatience = 2 * time.Second
	// maxLastLine is the most bytes that are read of a log's last line, maxLastWords the most that messages have of it.
	maxLastLine  = 4096
	maxLastWords = 256
)

// ReadLogs reads the logs of the clients that are due, and returns what is known of all.
func ReadLogs(ctx context.Context, p *pass.Pass, parts []Part, facts attempt.Facts) []attempt.Liveness {
	liveness := facts.Liveness
	due := facts.Due()
	lines, errs := world.Gather(ctx, world.ParallelCalls, due, func(client int) (string, error) {
		return lastLine(ctx, p, parts[client].Pod, patienceFor(parts[client].Seen))
	})
	for i, client := range due {
		if errs[i] != nil {
			ctrl.LoggerFrom(ctx).Info("Log of a run cannot be read", "pod", parts[client].Pod.Name, "why", errs[i].Error())
			liveness[client] = liveness[client].Fail(p.World.Clock.Now())
			continue
		}
		liveness[client] = liveness[client].Saw(lines[i], p.World.Clock.Now())
	}
	keepLiveness(p.Memory, parts, liveness)
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
func lastLine(ctx context.Context, p *pass.Pass, pod *corev1.Pod, patience time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := WithLog(ctx, p, pod, &corev1.PodLogOptions{
		Container: attempt.RunningContainer(pod), Timestamps: true,
		TailLines: new(int64(1)), LimitBytes: new(int64(maxLastLine)),
	}, io.ReadAll)
	return string(bytes.TrimSpace(text)), err
}

// GiveUp ends a run of which a client gives no sign of life, and leaves out the others on the same storage.
func GiveUp(s *pass.Pass, run *v1alpha1.Run, silent Part, liveness attempt.Liveness) {
	words := humanize.Fit(liveness.Words(), maxLastWords)
	if words == "" {
		words = "(none)"
	}
	s.FailRun(run, fmt.Sprintf("pod %s on node %s has given no sign of life for longer than "+
		"spec.deadlines.ioProgressSeconds: it waits for storage that does not answer, and cannot be ended; "+
		"the last line of its log: %s",
		silent.Pod.Name, silent.Pod.Spec.NodeName, words))
	for i := range s.SB.Status.Runs {
		other := &s.SB.Status.Runs[i]
		if other.Target == run.Target && other.State == v1alpha1.RunPending {
			s.FailRun(other, "not measured, because the storage did not answer in run "+run.Name)
		}
	}
}

// LivenessOf returns what was known of the logs of the clients' pods.
func LivenessOf(m *pass.Memory, parts []Part) []attempt.Liveness {
	liveness := make([]attempt.Liveness, len(parts))
	for i, p := range parts {
		if p.Pod != nil {
			liveness[i] = m.Liveness[p.Pod.UID]
		}
	}
	return liveness
}

// keepLiveness keeps what is known of the logs of the clients' pods, and forgets other pods'.
func keepLiveness(m *pass.Memory, parts []Part, liveness []attempt.Liveness) {
	logs := map[types.UID]attempt.Liveness{}
	for i, p := range parts {
		if p.Pod != nil && !liveness[i].Asked.IsZero() {
			logs[p.Pod.UID] = liveness[i]
		}
	}
	m.Liveness = logs
}
