package fakecluster

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
)

// Clock is the time of a test: that of its operator and of its cluster. It stands still until it is told otherwise, so that
// no deadline ends because a machine is slow.
//
// The API server has a time of its own, which nobody can tell it: creations and deletions are stamped with the machine's.
// A test that takes long falls behind that, and Pass makes up for it. Both know whole seconds only, as most of the API does.
type Clock struct {
	*clocktesting.FakeClock

	passing sync.Mutex
}

// NewClock returns a clock that stands still at the machine's time.
func NewClock() *Clock { return NewClockAt(time.Now()) }

// NewClockAt returns a clock that stands still at a time.
func NewClockAt(at time.Time) *Clock {
	return &Clock{FakeClock: clocktesting.NewFakeClock(at.Truncate(time.Second))}
}

// Pass lets time pass since all that has a time by now: what was stamped by this clock, and what the API server has stamped.
func (c *Clock) Pass(d time.Duration) {
	c.passing.Lock()
	defer c.passing.Unlock()
	now := c.Now()
	if machine := time.Now().Truncate(time.Second); machine.After(now) {
		now = machine
	}
	c.SetTime(now.Add(d))
}

// now returns the time as the objects of the API have it.
func (c *Cluster) now() metav1.Time { return metav1.NewTime(c.clock.Now()) }
