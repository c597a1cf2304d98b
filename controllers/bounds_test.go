package controllers

import (
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/workers"
)

// allocates returns how many bytes something allocates in all, which is no less than what it holds at any time.
func allocates(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// countedLog is an endless log that counts itself as long as it is open.
type countedLog struct {
	endlessLog
	open, most, read *atomic.Int64
}

func (l *countedLog) Read(p []byte) (int, error) {
	l.read.Add(int64(len(p)))
	return l.endlessLog.Read(p)
}

func (l *countedLog) Close() error { l.open.Add(-1); return nil }

// Logs that cannot be compressed, of as many clients as are kept and in all passes at once, are read no further than to
// the byte that is too much.
func TestManyEndlessLogs(t *testing.T) {
	var open, most, read atomic.Int64
	logs := func(context.Context, *corev1.Pod, *corev1.PodLogOptions) (io.ReadCloser, error) { //nolint:unparam // It is a LogReader.
		for n := open.Add(1); ; {
			if old := most.Load(); n <= old || most.CompareAndSwap(old, n) {
				return &countedLog{open: &open, most: &most, read: &read}, nil
			}
		}
	}
	took := allocates(func() {
		var passes sync.WaitGroup
		for range concurrentBenchmarks {
			passes.Go(func() {
				s := passOver(&Reconciler{Logs: logs}, &v1alpha1.StorageBenchmark{})
				parts := make([]workers.Part, 2*workers.MaxClientLogs)
				for i := range parts {
					parts[i] = workers.Part{Client: int32(i), Pod: &corev1.Pod{}}
				}
				if kept := workers.ZipLogs(t.Context(), s, &v1alpha1.Run{}, parts); len(kept) != 0 {
					t.Errorf("%d logs are kept", len(kept))
				}
			})
		}
		passes.Wait()
	})
	t.Logf("%d KiB to compress the logs of %d passes: %d KiB were read, at most %d logs at once", took>>10, concurrentBenchmarks, read.Load()>>10, most.Load())
	if took > 64<<20 || read.Load() > 32<<20 || most.Load() > concurrentBenchmarks*workers.LogsAtOnce || open.Load() != 0 {
		t.Errorf("%d bytes are allocated, %d read, %d logs were open at once, and %d still are", took, read.Load(), most.Load(), open.Load())
	}
}
