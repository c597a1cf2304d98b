package runner

import (
	"io"
	"sync"
	"time"

	"github.com/storagebench/storagebench/internal/digest"
)

// pulse is a log that is never silent for long: where nothing else is written, it says that the runner is there. By its
// silence the operator knows a runner that the kernel does not let go on, or end.
type pulse struct {
	mu   sync.Mutex
	log  io.Writer
	last time.Time
}

// startLiveness returns the log with a pulse, and what ends that.
func startLiveness(log io.Writer, interval time.Duration) (p *pulse, stop func()) {
	p = &pulse{log: log, last: time.Now()}
	done := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-ticker.C:
				p.beat(now, interval)
			}
		}
	})
	return p, func() { close(done); beating.Wait() }
}

// Write implements io.Writer.
func (p *pulse) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Now()
	return p.log.Write(text)
}

// beat writes a line unless something else was written since the last one was due.
func (p *pulse) beat(now time.Time, interval time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.last) >= interval {
		// Who cannot read the log does without.
		_, _ = io.WriteString(p.log, "the runner is at work\n")
	}
}

// withLiveness does a runner's work with a log that has a pulse.
func (o Options) withLiveness(work func(Options) int) int {
	log, stop := startLiveness(o.Log, digest.LivenessInterval)
	defer stop()
	o.Log = log
	return work(o)
}
