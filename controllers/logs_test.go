package controllers

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/job"
)

// Of many clients the logs of the first are kept, and of those that failed, but not of all where all have.
func TestChooseLogs(t *testing.T) {
	const most = workers.MaxClientLogs
	for _, test := range []struct {
		name    string
		clients int
		failed  func(client int) bool
		podless func(client int) bool
		want    int
		last    int32 // of those that are kept
	}{
		{"one", 1, nil, nil, 1, 0},
		{"as many as are kept", most, nil, nil, most, most - 1},
		{"one more", most + 1, nil, nil, most, most - 1},
		{"one of many failed", 100, func(i int) bool { return i == 99 }, nil, most + 1, 99},
		{"the first failed", 100, func(i int) bool { return i == 0 }, nil, most, most - 1},
		{"all failed", 100, func(int) bool { return true }, nil, 2 * most, 2*most - 1},
		{"no pods", 3, nil, func(int) bool { return true }, 0, 0},
		{"the first have no pods", 100, func(i int) bool { return i == 50 }, func(i int) bool { return i < most }, 1, 50},
	} {
		t.Run(test.name, func(t *testing.T) {
			parts := make([]workers.Part, test.clients)
			for i := range parts {
				parts[i] = workers.Part{Client: int32(i), Pod: &corev1.Pod{}, Seen: attempt.State{Phase: attempt.Succeeded}}
				if test.failed != nil && test.failed(i) {
					parts[i].Seen.Phase = attempt.Failed
				}
				if test.podless != nil && test.podless(i) {
					parts[i].Pod = nil
				}
			}
			chosen := workers.ChooseLogs(parts)
			if len(chosen) != test.want || (test.want > 0 && chosen[test.want-1].Client != test.last) {
				t.Errorf("%d logs are kept, want %d, up to client %d: %+v", len(chosen), test.want, test.last, chosen)
			}
		})
	}
}

func TestKeptLogs(t *testing.T) {
	s := measuring(v1alpha1.RunSucceeded, v1alpha1.RunFailed, v1alpha1.RunPending)
	if n := workers.KeptLogs(s.SB.Status.Runs); n != 0 {
		t.Errorf("%d logs of runs without any", n)
	}
	s.SB.Status.Runs[0].LogConfigMap, s.SB.Status.Runs[1].LogConfigMap = "a", "b"
	if n := workers.KeptLogs(s.SB.Status.Runs); n != 2 {
		t.Errorf("%d logs, want 2", n)
	}
}

// The log that tells how an attempt ended is that of the layout only where it failed.
func TestEndedContainer(t *testing.T) {
	ended := func(code int32) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}
	}
	for name, test := range map[string]struct {
		layout *corev1.ContainerState
		want   string
	}{
		"no layout":            {nil, job.MeasureContainer},
		"layout ended well":    {new(ended(0)), job.MeasureContainer},
		"layout failed":        {new(ended(1)), job.LayoutContainer},
		"layout was killed":    {new(ended(137)), job.LayoutContainer},
		"layout has not begun": {&corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}, job.MeasureContainer},
	} {
		pod := &corev1.Pod{}
		if test.layout != nil {
			pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "mesh", State: ended(1)}, {Name: job.LayoutContainer, State: *test.layout}}
		}
		if got := attempt.EndedContainer(pod); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// closable is a log that notes whether it was closed.
type closable struct {
	io.Reader
	closed bool
}

// Close implements io.Closer.
func (l *closable) Close() error {
	l.closed = true
	return nil
}

// Of a log no more is read than was asked for, whatever the kubelet sends, and it is closed.
func TestWithLog(t *testing.T) {
	log := &closable{Reader: strings.NewReader("more than was asked for")}
	p := failingPass()
	p.World.Logs = func(context.Context, *corev1.Pod, *corev1.PodLogOptions) (io.ReadCloser, error) { return log, nil }
	options := &corev1.PodLogOptions{LimitBytes: new(int64(4))}
	if text, err := workers.WithLog(t.Context(), p, &corev1.Pod{}, options, io.ReadAll); err != nil || string(text) != "more" || !log.closed {
		t.Errorf("read %q, closed: %t, %v", text, log.closed, err)
	}
	away := errors.New("the kubelet does not answer")
	p.World.Logs = func(context.Context, *corev1.Pod, *corev1.PodLogOptions) (io.ReadCloser, error) { return nil, away }
	if text, err := workers.WithLog(t.Context(), p, &corev1.Pod{}, options, io.ReadAll); !errors.Is(err, away) || text != nil {
		t.Errorf("read %q, %v", text, err)
	}
}
