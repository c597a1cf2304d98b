package binaries

import (
	"sync/atomic"
	"time"
)

// meter tells how far a build is, from the number of packages that it began to compile.
type meter struct {
	total    int
	done     atomic.Int64
	started  time.Time
	progress func(format string, args ...any)
}

func newMeter(total int, progress func(format string, args ...any)) *meter {
	return &meter{total: total, started: time.Now(), progress: progress}
}

// run tells how far the build is from time to time, until it is stopped: also while nothing is compiled, but linked.
func (m *meter) run() (stop func()) {
	if m.progress == nil {
		return func() {}
	}
	ticker, stopped := time.NewTicker(tellEvery), make(chan struct{})
	go func() {
		for {
			select {
			case now := <-ticker.C:
				m.tell(now)
			case <-stopped:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(stopped)
	}
}

func (m *meter) compiled() { m.done.Add(1) }

func (m *meter) tell(now time.Time) {
	done := int(m.done.Load())
	switch {
	case done == 0:
		m.progress("  downloading modules")
	case done < m.total:
		m.progress("  compiled %d of %d packages, about %s left", done, m.total, m.left(done, now))
	default:
		m.progress("  compiled %d packages, linking", done)
	}
}

// left takes the packages that are still to come for as slow as those before.
func (m *meter) left(done int, now time.Time) time.Duration {
	each := now.Sub(m.started) / time.Duration(done)
	return (each * time.Duration(m.total-done)).Round(10 * time.Second)
}
