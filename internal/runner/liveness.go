package runner

import (
	"io"
	"sync"
	"time"

	"github.com/storagebench/storagebench/internal/digest"
)

// livenessLog is a log that is never silent for long: where nothing else is written, it says that the runner is there. By its
// silence the operator knows a runner that the kernel does not let go on, or end.
type livenessLog struct {
	mu   sync.Mutex
	log  io.Writer
	last time.Time
}

// startLiveness returns a log that is never silent for longer than an interval, and what ends that.
func startLiveness(log io.Writer, interval time.Duration) (l *livenessLog, stop func()) {
	l = &livenessLog{log: log, last: time.Now()}
	done := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-ticker.C:
				l.tell(now, interval)
			}
		}
	})
	return l, func() { close(done); ticking.Wait() }
}

// Write implements io.Writer.
func (l *livenessLog) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = time.Now()
	return l.log.Write(text)
}

// tell writes a line unless something else was written since the last one was due.
func (l *livenessLog) tell(now time.Time, interval time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.last) >= interval {
		// Who cannot read the log does without.
		_, _ = io.WriteString(l.log, "the runner is at work\n")
	}
}

// withLiveness does a runner's work with such a log.
func (o Options) withLiveness(work func(Options) int) int {
	log, stop := startLiveness(o.Log, digest.LivenessInterval)
	defer stop()
	o.Log = log
	return work(o)
}
