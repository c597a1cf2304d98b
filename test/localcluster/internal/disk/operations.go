package disk

import (
	"math/bits"
	"slices"
	"time"
)

// LatencyBuckets is how many buckets a histogram has. The i-th one is of up to 2^i microseconds, and the last one has
// no end. EBS has up to 64, whose ends its devices tell.
const LatencyBuckets = 24

// Operations are what a volume did of reads or of writes.
type Operations struct {
	Count, Bytes uint64
	// Time is how long all of them took together.
	Time time.Duration
	// Latencies count them by how long they took.
	Latencies [LatencyBuckets]uint64
}

// Statistics are what a volume has done since it has been in use.
type Statistics struct {
	Exceeded

	Read, Write Operations
	// QueueLength is how many operations are under way.
	QueueLength int
}

// counter counts the operations of a volume.
type counter struct {
	read, write Operations
	// ends are when operations are done. Those that are done are forgotten from time to time.
	ends []time.Time
}

// maxEnds is how many operations are remembered until those that are done are forgotten.
const maxEnds = 4096

// note takes down an operation that comes now.
func (c *counter) note(now, done time.Time, write bool, bytes int) {
	if len(c.ends) >= maxEnds {
		c.forget(now)
	}
	c.ends = append(c.ends, done)
	operations := &c.read
	if write {
		operations = &c.write
	}
	operations.note(now, done, bytes)
}

// forget forgets operations that are done.
func (c *counter) forget(now time.Time) {
	c.ends = slices.DeleteFunc(c.ends, func(end time.Time) bool { return !end.After(now) })
}

func (o *Operations) note(now, done time.Time, bytes int) {
	took := done.Sub(now)
	o.Count++
	o.Bytes += uint64(bytes)
	o.Time += took
	o.Latencies[min(bits.Len64(uint64(max(took.Microseconds()-1, 0))), LatencyBuckets-1)]++
}
