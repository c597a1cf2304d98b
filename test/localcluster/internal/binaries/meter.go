package binaries

import (
	"sync"
	"time"
)

// meter tells how far a build is, from the number of packages that it began to compile.
type meter struct {
	progress func(format string, args ...any)

	mutex sync.Mutex
	// begun says that the total is known; a total of 0 that go does not tell it.
	begun       bool
	total, done int
	started     time.Time
}

func newMeter(progress func(format string, args ...any)) *meter { return &meter{progress: progress} }

// begin is called when it was found out how many packages are to be compiled.
func (m *meter) begin(total int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.begun, m.total, m.started = true, total, time.Now()
}

// run tells how far the build is from time to time, until it is stopped: also before anything is compiled, and while it
// is linked.
func (m *meter) run(every time.Duration) (stop func()) {
	if m.progress == nil {
		return func() {}
	}
	ticker, stopped := time.NewTicker(every), make(chan struct{})
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

func (m *meter) compiled() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.done++
}

func (m *meter) tell(now time.Time) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	switch {
	case !m.begun:
		m.progress("  downloading modules, and looking for what is to be compiled")
	case m.done == 0 && m.total == 0:
		m.progress("  linking")
	case m.done == 0:
		m.progress("  compiled none of %d packages", m.total)
	case m.done < m.total:
		m.progress("  compiled %d of %d packages, about %s left", m.done, m.total, m.left(now))
	default:
		m.progress("  compiled %d packages, linking", m.done)
	}
}

// left takes the packages that are still to come for as slow as those before.
func (m *meter) left(now time.Time) time.Duration {
	each := now.Sub(m.started) / time.Duration(m.done)
	return (each * time.Duration(m.total-m.done)).Round(10 * time.Second)
}
