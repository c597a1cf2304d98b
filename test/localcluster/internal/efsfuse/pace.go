// Package efsfuse serves a directory as a file system that is as slow as Amazon EFS is
// for its clients.
package efsfuse

import (
	"sync"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/pace"
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

// Server is what the clients of a file system share.
type Server struct {
	limits Limits

	mu                  sync.Mutex
	writes, reads, bits pace.Line
}

// NewServer returns the server of a file system.
func NewServer(l Limits) *Server {
	return &Server{
		limits: l,
		writes: pace.Line{PerSecond: float64(l.WriteIOPS)},
		reads:  pace.Line{PerSecond: float64(l.ReadIOPS)},
		bits:   pace.Line{PerSecond: float64(l.MeteredBytesPerSecond)},
	}
}

// Connection is a client's, which all mounts of the file system on one node share.
type Connection struct {
	server *Server
	// writes is locked with the server.
	writes pace.Line
}

// Connect returns a client's connection.
func (s *Server) Connect() *Connection {
	return &Connection{server: s, writes: pace.Line{PerSecond: float64(s.limits.ClientWriteIOPS)}}
}

// Another returns the connection of another client of the same file system.
func (c *Connection) Another() *Connection { return c.server.Connect() }

// admit returns when a write or read that comes now is done.
func (c *Connection) admit(now time.Time, write bool, bytes int) time.Time {
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if !write {
		latency := time.Duration(s.limits.ReadLatencyMicros) * time.Microsecond
		return pace.Latest(now.Add(latency), done(&s.reads, now, 1), done(&s.bits, now, float64(bytes)/readsMetered))
	}
	latency := time.Duration(s.limits.WriteLatencyMicros) * time.Microsecond
	return pace.Latest(now.Add(latency), done(&c.writes, now, 1), done(&s.writes, now, 1), done(&s.bits, now, float64(bytes)))
}

// done returns when work that comes now is done.
func done(line *pace.Line, now time.Time, work float64) time.Time {
	_, end := line.Admit(now, work)
	return end
}
