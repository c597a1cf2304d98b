// Package efsfuse serves a directory as a file system that is as slow as Amazon EFS is
// for its clients.
package efsfuse

import (
	"sync"
	"syscall"
	"time"
)

// Limits of a file system, for all its clients together. Zero is no limit.
type Limits struct {
	// WriteLatencyMicros and ReadLatencyMicros are the least time an operation takes.
	WriteLatencyMicros int64 `json:"writeLatencyMicros"`
	ReadLatencyMicros  int64 `json:"readLatencyMicros"`
	// MeteredBytesPerSecond is what writes and a third of reads may take.
	MeteredBytesPerSecond int64 `json:"meteredBytesPerSecond"`
	WriteIOPS             int64 `json:"writeIOPS"`
	ReadIOPS              int64 `json:"readIOPS"`
	// ClientWriteIOPS is what one connection may write, however many threads it has.
	ClientWriteIOPS int64 `json:"clientWriteIOPS"`
}

// readsMetered is the part of read bytes that counts.
// https://docs.aws.amazon.com/efs/latest/ug/performance.html (read 2026-11-21).
const readsMetered = 3

// line serves work one after the other at a rate. Its zero value has no limit.
type line struct {
	perSecond float64
	// free is when the work that was admitted is done.
	free time.Time
}

// admit returns when so much work, which comes now, is done.
func (l *line) admit(now time.Time, work float64) time.Time {
	if l.perSecond <= 0 {
		return now
	}
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(work / l.perSecond * float64(time.Second)))
	return l.free
}

// Server is what the clients of a file system share.
type Server struct {
	limits Limits

	mu                  sync.Mutex
	writes, reads, bits line
}

// NewServer returns the server of a file system.
func NewServer(l Limits) *Server {
	return &Server{
		limits: l,
		writes: line{perSecond: float64(l.WriteIOPS)},
		reads:  line{perSecond: float64(l.ReadIOPS)},
		bits:   line{perSecond: float64(l.MeteredBytesPerSecond)},
	}
}

// Connection is a client's, which all mounts of the file system on one node share.
type Connection struct {
	server *Server
	// writes is locked with the server.
	writes line
}

// Connect returns a client's connection.
func (s *Server) Connect() *Connection {
	return &Connection{server: s, writes: line{perSecond: float64(s.limits.ClientWriteIOPS)}}
}

// write returns when a write that comes now is done.
func (c *Connection) write(now time.Time, bytes int) time.Time {
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	return latest(
		now.Add(time.Duration(s.limits.WriteLatencyMicros)*time.Microsecond),
		c.writes.admit(now, 1),
		s.writes.admit(now, 1),
		s.bits.admit(now, float64(bytes)),
	)
}

// read returns when a read that comes now is done.
func (c *Connection) read(now time.Time, bytes int) time.Time {
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	return latest(
		now.Add(time.Duration(s.limits.ReadLatencyMicros)*time.Microsecond),
		s.reads.admit(now, 1),
		s.bits.admit(now, float64(bytes)/readsMetered),
	)
}

// change returns when a change of a directory, which comes now, is done.
func (c *Connection) change(now time.Time) time.Time { return c.write(now, 0) }

func latest(first time.Time, others ...time.Time) time.Time {
	for _, other := range others {
		if other.After(first) {
			first = other
		}
	}
	return first
}

// wait blocks its thread. time.Sleep would round up to whole milliseconds when there is
// nothing else to do (3.4 ms for 2.7 ms).
func wait(until time.Time) {
	left := time.Until(until)
	if left <= 0 {
		return
	}
	spec := syscall.NsecToTimespec(int64(left))
	for syscall.Nanosleep(&spec, &spec) == syscall.EINTR {
	}
}
