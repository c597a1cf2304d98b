// Package servertime tells the API server's time. Kubernetes' timestamps, and the deadlines that are counted from them,
// are by that clock. The clock of the operator's node may differ from it, and may be set while the operator waits.
package servertime

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"
)

const (
	// dateResolution is the precision of the header Date (RFC 9110, section 6.6.1).
	dateResolution = time.Second
	// slowAnswer is the time from which on an answer tells too little of when it was dated.
	slowAnswer = 5 * time.Second
	// slew is how much of the time that passes the clock may gain or lose, to agree with an API server whose clock was
	// set. A deadline comes at most so much sooner or later, and no wait ends at once.
	slew = 10 // percent
	// Tolerated is how far the machine's clock may be off before users are told.
	Tolerated = 5 * time.Second
	// tellAgain is how often they are told.
	tellAgain = time.Hour
)

// Clock is the API server's time. It runs by the machine's monotonic clock, so that it does not jump when somebody sets
// the machine's time, and learns from the headers of answers (Date) how far that is off. Before the first answer it is
// the machine's time.
type Clock struct {
	clock.RealClock

	machine machine
	// tellOff is called with how far the machine's clock is off.
	tellOff func(offset time.Duration)

	mu sync.Mutex
	// base is the API server's time when the machine's monotonic clock was at.
	base time.Time
	at   time.Duration
	// heard is set when an answer has told a time, and told is when users were told of an offset.
	heard bool
	told  time.Time
}

// machine is the time of the machine.
type machine interface {
	// Wall is the time of day, which may be set.
	Wall() time.Time
	// Monotonic is how long the process has run, whatever the time of day is set to.
	Monotonic() time.Duration
}

// realMachine is the machine that the process runs on.
type realMachine struct{ started time.Time }

func (realMachine) Wall() time.Time            { return time.Now().Round(0) }
func (m realMachine) Monotonic() time.Duration { return time.Since(m.started) }

// New returns a clock that has heard of no API server. It calls tell when the machine's clock is off by more than
// Tolerated, once an hour.
func New(tell func(offset time.Duration)) *Clock { return newClock(tell, realMachine{time.Now()}) }

func newClock(tell func(time.Duration), m machine) *Clock {
	return &Clock{tellOff: tell, machine: m, base: m.Wall(), at: m.Monotonic()}
}

// Now implements clock.PassiveClock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time { return c.base.Add(c.machine.Monotonic() - c.at) }

// Since implements clock.PassiveClock.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Offset returns how far the machine's clock is ahead of the API server's, negative if it is behind. 0 before the first
// answer.
func (c *Clock) Offset() time.Duration { return c.machine.Wall().Sub(c.Now()) }

// Wrap has the clock learn from the answers that come this way. It is a transport.WrapperFunc.
func (c *Clock) Wrap(next http.RoundTripper) http.RoundTripper { return listening{next, c} }

// listening is a way to the API server.
type listening struct {
	next  http.RoundTripper
	clock *Clock
}

// RoundTrip implements http.RoundTripper.
func (l listening) RoundTrip(request *http.Request) (*http.Response, error) {
	sent := l.clock.machine.Monotonic()
	response, err := l.next.RoundTrip(request)
	if err == nil {
		l.clock.hear(response.Header.Get("Date"), sent)
	}
	return response, err
}

// WrappedRoundTripper has client-go find the transport below.
func (l listening) WrappedRoundTripper() http.RoundTripper { return l.next }

// hear learns from an answer to what was sent at a time of the monotonic clock.
func (c *Clock) hear(date string, sent time.Duration) {
	dated, err := http.ParseTime(date)
	took := c.machine.Monotonic() - sent
	if err != nil || took > slowAnswer {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.correct(dated, dated.Add(dateResolution+took))
	c.tell()
}

// correct moves the clock toward what the API server's may be: at once when it is heard of for the first time, since
// nothing waits yet, and later by a part of the time that has passed since the last correction.
func (c *Clock) correct(earliest, latest time.Time) {
	now := c.now()
	off := time.Duration(0)
	switch {
	case now.Before(earliest):
		off = earliest.Sub(now)
	case now.After(latest):
		off = latest.Sub(now)
	}
	if c.heard {
		most := (c.machine.Monotonic() - c.at) * slew / 100
		off = min(max(off, -most), most)
	}
	c.heard = true
	c.base, c.at = now.Add(off), c.machine.Monotonic()
}

// tell tells that the machine's clock is off, now and then.
func (c *Clock) tell() {
	now := c.now()
	offset := c.machine.Wall().Sub(now)
	if offset.Abs() <= Tolerated || (!c.told.IsZero() && now.Sub(c.told) < tellAgain) {
		return
	}
	c.told = now
	c.tellOff(offset)
}

var offset = prometheus.NewDesc("storagebench_clock_offset_seconds",
	"How far the clock of the operator's node is ahead of the API server's; negative if it is behind.", nil, nil)

// Describe implements prometheus.Collector.
func (c *Clock) Describe(descs chan<- *prometheus.Desc) { descs <- offset }

// Collect implements prometheus.Collector.
func (c *Clock) Collect(metrics chan<- prometheus.Metric) {
	metrics <- prometheus.MustNewConstMetric(offset, prometheus.GaugeValue, c.Offset().Seconds())
}
