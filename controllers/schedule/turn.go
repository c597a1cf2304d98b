package schedule

import (
	"context"
	"maps"
	"sync"
	"time"
)

const (
	// turnPatience is how long a pass waits for the history that another one has in memory. Most take some 20 ms, so that those of hundreds of schedules follow each other when an operator begins.
	turnPatience = 250 * time.Millisecond
	// waitForTurn is when it asks again if that was not enough. It goes on meanwhile, so that no start waits for a history that takes long.
	waitForTurn = time.Second
	// cheap is how long a history may take without any consequence, also on a machine that is busy.
	cheap = 500 * time.Millisecond
	// rests is how long a namespace has no other history read after one that took more than that, as a multiple of what it
	// took beyond that.
	rests = 10
)

// turn lets one pass at a time have a history in memory, of which the largest takes some 30 MiB. A namespace whose histories take long, as those that
// somebody has made up, gets fewer turns than others. The zero value is free.
type turn struct {
	once sync.Once
	// taken has an element while the turn is taken.
	taken chan struct{}
	mu    sync.Mutex
	// resting has until when namespaces have no turn.
	resting map[string]time.Time
}

// take returns what ends the turn of a namespace, or how long to wait before asking again. It waits for a turn, but not for long.
func (t *turn) take(ctx context.Context, namespace string, now func() time.Time) (giveBack func(), wait time.Duration) {
	t.once.Do(func() { t.taken = make(chan struct{}, 1) })
	if rest := t.rest(namespace, now()); rest > 0 {
		return nil, rest
	}
	patience, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	select {
	case t.taken <- struct{}{}:
		began := now()
		return func() { t.give(namespace, began, now()) }, 0
	case <-patience.Done():
		return nil, waitForTurn
	}
}

// rest returns how long a namespace has no turn; 0 if it may have one. The clock may have been wrong.
func (t *turn) rest(namespace string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(0, min(t.resting[namespace].Sub(now), rests*time.Minute))
}

func (t *turn) give(namespace string, began, ended time.Time) {
	<-t.taken
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.resting, func(_ string, until time.Time) bool { return !until.After(ended) })
	excess := ended.Sub(began) - cheap
	if excess <= 0 {
		return
	}
	if t.resting == nil {
		t.resting = map[string]time.Time{}
	}
	t.resting[namespace] = ended.Add(rests * min(excess, time.Minute))
}
