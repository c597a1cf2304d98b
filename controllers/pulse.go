package controllers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
)

// A runner ends fio by itself when the storage does not answer. One whose own system calls do not return can neither end
// nor report, and its kubelet goes on to say that it runs. What shows it is its log, which is never silent as long as the
// runner gets on.
const (
	// minSilence is how long the log has to stand still until the runner is given up.
	minSilence = 3 * digest.PulseInterval
	// minListen and maxListen are how often the log is looked at.
	minListen = 10 * time.Second
	maxListen = time.Minute
	// maxLastWords is the most bytes of a log's last line that messages have.
	maxLastWords = 256
)

// heard is what was last seen of the log of a running pod.
type heard struct {
	// line is the last one, with its time by the node's clock, which need not be the operator's.
	line string
	// since is when it was seen first, asked when the log was last looked at.
	since, asked time.Time
}

// firstListen returns how long after its start a pod's log is looked at first. A runner that is well ends a hanging fio
// within that time.
func (s *scope) firstListen() time.Duration {
	return s.progressLimit() + digest.PulseInterval
}

// listenInterval returns how often a log is looked at then.
func (s *scope) listenInterval() time.Duration {
	return min(max(s.progressLimit()/4, minListen), maxListen)
}

func (s *scope) progressLimit() time.Duration {
	return time.Duration(ptr.Deref(s.sb.Spec.Deadlines.ProgressSeconds, 0)) * time.Second
}

// listen looks at the logs of pods that run for long enough, and returns a pod that gives no sign of life, with its last
// words, and when to look again.
func (s *scope) listen(ctx context.Context, parts []part) (silent *corev1.Pod, words string, again time.Duration) {
	var due []*corev1.Pod
	again = maxListen
	logs := s.heardLogs(parts)
	for _, p := range parts {
		if p.pod == nil || p.seen.progress != running {
			continue
		}
		last, known := logs[p.pod.UID]
		next := last.asked.Add(s.listenInterval())
		if !known {
			next = p.seen.since.Add(s.firstListen())
		}
		if wait := next.Sub(s.Clock.Now()); wait > 0 {
			again = min(again, wait)
			continue
		}
		due = append(due, p.pod)
	}
	if len(due) > 0 {
		again = min(again, s.listenInterval())
	}
	lines := make([]string, len(due))
	errs := inParallel(indices(due), func(i int) (err error) {
		lines[i], err = s.lastLine(ctx, due[i])
		return err
	})
	for i, pod := range due {
		if errs[i] != nil {
			// The kubelet does not answer. Whether its node is lost is for others to find out, and it is no sign of death.
			ctrl.LoggerFrom(ctx).Info("Log of a run cannot be read", "pod", pod.Name, "why", errs[i].Error())
			logs[pod.UID] = heard{asked: s.Clock.Now(), since: s.Clock.Now()}
			continue
		}
		now := heard{line: lines[i], since: s.Clock.Now(), asked: s.Clock.Now()}
		if before, known := logs[pod.UID]; known && before.line == now.line {
			now.since = before.since
		}
		logs[pod.UID] = now
		if now.asked.Sub(now.since) >= minSilence {
			return pod, wordsOf(now.line), again
		}
	}
	return nil, "", again
}

// heardLogs returns what is known of the logs of the pods, and forgets other pods'.
func (s *scope) heardLogs(parts []part) map[types.UID]heard {
	name := types.NamespacedName{Namespace: s.sb.Namespace, Name: s.sb.Name}
	kept, _ := s.logsHeard.Load(name)
	before, _ := kept.(map[types.UID]heard)
	logs := map[types.UID]heard{}
	for _, p := range parts {
		if p.pod == nil {
			continue
		}
		if last, known := before[p.pod.UID]; known {
			logs[p.pod.UID] = last
		}
	}
	s.logsHeard.Store(name, logs)
	return logs
}

// lastLine returns the last line of the log of the container that runs, with its time.
func (s *scope) lastLine(ctx context.Context, pod *corev1.Pod) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, logPatience)
	defer cancel()
	log, err := s.Logs(ctx, pod, &corev1.PodLogOptions{Container: runningContainer(pod), TailLines: new(int64(1)), Timestamps: true, LimitBytes: new(int64(4096))})
	if err != nil {
		return "", err
	}
	defer log.Close()
	text, err := io.ReadAll(io.LimitReader(log, 4096))
	return string(bytes.TrimSpace(text)), err
}

// runningContainer returns the container of a run's pod that runs.
func runningContainer(pod *corev1.Pod) string {
	if status := containerStatus(pod.Status.InitContainerStatuses, job.LayoutContainer); status != nil && status.State.Running != nil {
		return job.LayoutContainer
	}
	return job.MeasureContainer
}

// wordsOf returns a line of a log without its time.
func wordsOf(line string) string {
	_, words, _ := strings.Cut(line, " ")
	return truncate(words, maxLastWords)
}

// hang ends a run whose runner gives no sign of life, and leaves out the others on the same storage.
func (s *scope) hang(run *v1alpha1.Run, pod *corev1.Pod, words string) {
	s.failRun(run, fmt.Sprintf("pod %s on node %s gives no sign of life: what runs in it waits for storage that does not answer, and cannot be ended; its last words: %s",
		pod.Name, pod.Spec.NodeName, orElse(words, "(none)")))
	for i := range s.sb.Status.Runs {
		other := &s.sb.Status.Runs[i]
		if other.Target == run.Target && other.State == v1alpha1.RunPending {
			s.failRun(other, "not measured, because the storage did not answer in run "+run.Name)
		}
	}
}

// watchAlive follows pods that run until their deadline, or until one gives no sign of life.
func (s *scope) watchAlive(ctx context.Context, run *v1alpha1.Run, parts []part, seen observation) outcome {
	out := s.watchRunning(run, seen)
	if run.State != v1alpha1.RunRunning {
		return out
	}
	silent, words, again := s.listen(ctx, parts)
	if silent != nil {
		s.hang(run, silent, words)
		return halt()
	}
	return haltFor(min(out.after, again))
}
