package efsfuse

import (
	"math"
	"testing"
	"time"
)

// published are the limits of a file system in throughput mode Bursting.
var published = Limits{
	WriteLatencyMicros: 2700, ReadLatencyMicros: 250, MeteredBytesPerSecond: 100 << 20,
	WriteIOPS: 7000, ReadIOPS: 35_000, ClientWriteIOPS: 1610,
}

// perSecond returns what so many threads of so many clients do a second, in a time
// that passes as fast as they allow.
func perSecond(limits Limits, clients, threads int, operate func(c *Connection, now time.Time) time.Time) float64 {
	server := NewServer(limits)
	type thread struct {
		connection *Connection
		next       time.Time
	}
	var all []*thread
	start := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for range clients {
		connection := server.Connect()
		for range threads {
			all = append(all, &thread{connection: connection, next: start})
		}
	}
	const seconds = 5
	for done := 0; ; done++ {
		first := all[0]
		for _, t := range all {
			if t.next.Before(first.next) {
				first = t
			}
		}
		if first.next.Sub(start) > seconds*time.Second {
			return float64(done) / seconds
		}
		first.next = operate(first.connection, first.next)
	}
}

func TestPace(t *testing.T) {
	write := func(bytes int) func(*Connection, time.Time) time.Time {
		return func(c *Connection, now time.Time) time.Time { return c.admit(now, true, bytes) }
	}
	read := func(bytes int) func(*Connection, time.Time) time.Time {
		return func(c *Connection, now time.Time) time.Time { return c.admit(now, false, bytes) }
	}
	const kib = 1 << 10
	tests := map[string]struct {
		clients, threads int
		operate          func(*Connection, time.Time) time.Time
		want             float64
	}{
		"one writer waits":             {1, 1, write(16 * kib), 1e6 / 2700.0},
		"16 writers, one connection":   {1, 16, write(16 * kib), 1610},
		"large writes, throughput":     {1, 16, write(64 * kib), 1600},
		"two clients do twice as much": {2, 16, write(4 * kib), 3220},
		"two clients, one writer each": {2, 1, write(4 * kib), 2e6 / 2700.0},
		"two clients, throughput":      {2, 16, write(48 * kib), 100 * 1024 / 48.0},
		"ten clients meet the limit":   {10, 16, write(4 * kib), 7000},
		"one reader waits":             {1, 1, read(16 * kib), 4000},
		"reads count a third":          {1, 16, read(64 * kib), 4800},
		"two clients' reads, too":      {2, 16, read(64 * kib), 4800},
		"readers meet the limit":       {1, 64, read(4 * kib), 35_000},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := perSecond(published, test.clients, test.threads, test.operate); math.Abs(got-test.want) > test.want/100 {
				t.Errorf("got %.0f a second, want %.0f", got, test.want)
			}
		})
	}
}

func TestNoLimits(t *testing.T) {
	connection := NewServer(Limits{}).Connect()
	now := time.Now()
	if got := connection.admit(now, true, 1<<20); !got.Equal(now) {
		t.Errorf("a write without limits is done %v later", got.Sub(now))
	}
}
