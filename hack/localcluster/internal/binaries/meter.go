package binaries

import "time"

// meter tells how far a build is, from the number of packages that it began to compile.
type meter struct {
	total, done   int
	started, told time.Time
	progress      func(format string, args ...any)
}

func newMeter(total int, progress func(format string, args ...any)) *meter {
	now := time.Now()
	return &meter{total: total, started: now, told: now, progress: progress}
}

// compiled counts a package, and says from time to time what is still to come.
func (m *meter) compiled(now time.Time) {
	m.done++
	if m.progress == nil || m.total == 0 || now.Sub(m.told) < tellEvery || m.done > m.total {
		return
	}
	m.told = now
	m.progress("  compiled %d of %d packages, about %s left", m.done, m.total, m.left(now))
}

// left takes the packages that are still to come for as slow as those before.
func (m *meter) left(now time.Time) time.Duration {
	each := now.Sub(m.started) / time.Duration(m.done)
	return (each * time.Duration(m.total-m.done)).Round(10 * time.Second)
}
