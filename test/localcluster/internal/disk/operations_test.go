package disk

import (
	"testing"
	"time"
)

// Operations are counted by how long they take, up to the end of their bucket.
func TestOperations(t *testing.T) {
	start := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	var c counter
	for took, bucket := range map[time.Duration]int{
		0: 0, time.Microsecond: 0, 2 * time.Microsecond: 1, 3 * time.Microsecond: 2, 512 * time.Microsecond: 9, 513 * time.Microsecond: 10, time.Hour: LatencyBuckets - 1,
	} {
		before := c.write.Latencies[bucket]
		c.note(start, start.Add(took), true, 4096)
		if c.write.Latencies[bucket] != before+1 {
			t.Errorf("%s is in another bucket than %d: %v", took, bucket, c.write.Latencies)
		}
	}
	c.note(start, start.Add(time.Second), false, 512)
	if c.write.Count != 7 || c.write.Bytes != 7*4096 || c.read.Count != 1 || c.read.Time != time.Second {
		t.Errorf("%+v and %+v", c.read, c.write)
	}
	if c.forget(start.Add(time.Minute)); len(c.ends) != 1 {
		t.Errorf("%d operations are under way after a minute, want the one of an hour", len(c.ends))
	}
}
