package schedule

import (
	"maps"
	"sync"
	"time"
)

const (
	// waitForTurn is how long a pass waits for the history that another one has in memory. It goes on meanwhile, so that no start waits for that.
	waitForTurn = time.Second
	// cheap is how long a history may take without any consequence. Others take some 20 ms.
	cheap = 200 * time.Millisecond
	// rests is for how many times as long as a history took, which took more than that, its namespace has no other one read.
	rests = 10
)

// turn lets one pass at a time have a history in memory, of which the largest takes some 30 MiB. A namespace whose histories take long, as those that
// somebody has made up, gets fewer turns than others. The zero value is free.
type turn struct {
	mu    sync.Mutex
	taken bool
	// resting has until when namespaces have no turn.
	resting map[string]time.Time
}

// take returns what ends the turn of a namespace, or how long to wait before asking again.
func (t *turn) take(namespace string, now func() time.Time) (giveBack func(), wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	began := now()
	if rest := t.resting[namespace].Sub(began); rest > 0 {
		return nil, min(rest, rests*time.Minute) // the clock may have been wrong
	}
	if t.taken {
		return nil, waitForTurn
	}
	t.taken = true
	return func() { t.give(namespace, began, now()) }, 0
}

func (t *turn) give(namespace string, began, ended time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = false
	maps.DeleteFunc(t.resting, func(_ string, until time.Time) bool { return !until.After(ended) })
	took := ended.Sub(began)
	if took <= cheap {
		return
	}
	if t.resting == nil {
		t.resting = map[string]time.Time{}
	}
	t.resting[namespace] = ended.Add(rests * min(took, time.Minute))
}
