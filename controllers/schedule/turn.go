package schedule

import (
	"context"
	"maps"
	"sync"
	"time"
)

const (
	// turnPatience is how long a pass waits for the history that another one has in memory. Most take some 20 ms, so that
	// those of hundreds of schedules follow each other when an operator begins.
	turnPatience = 250 * time.Millisecond
	// waitForTurn is when it asks again if that was not enough. It goes on meanwhile, so that no start waits for a history
	// that takes long.
	waitForTurn = time.Second
	// cheap is how long a history may take without any consequence, also on a machine that is busy.
	cheap = 500 * time.Millisecond
	// rests is how long a namespace has no other history read after one that took more than that, as a multiple of what it
	// took beyond that. Where no other namespace waits for a turn, it is restsAlone: an operator that begins reads the
	// histories of all schedules.
	rests, restsAlone = 10, 1
	// waits is for how long a namespace counts as waiting that has asked in vain.
	waits = 3 * waitForTurn
)

// turn lets one pass at a time have a history in memory, of which the largest takes some 30 MiB. A namespace whose
// histories take long, as made-up ones do, gets fewer turns than others. The zero value is free.
type turn struct {
	once sync.Once
	// taken has an element while the turn is taken.
	taken chan struct{}
	mu    sync.Mutex
	// resting are the namespaces whose last history took long.
	resting map[string]pause
	// asked is when namespaces asked last, of those that asked in vain.
	asked map[string]time.Time
}

// pause is that of a namespace, since a history ended that took so much longer than is cheap.
type pause struct {
	since  time.Time
	excess time.Duration
}

// until returns when it ends.
func (p pause) until(factor int) time.Time { return p.since.Add(time.Duration(factor) * p.excess) }

// take returns what ends the turn of a namespace, or how long to wait before asking again. It waits for a turn, but not
// for long.
func (t *turn) take(ctx context.Context, namespace string, now func() time.Time) (giveBack func(), wait time.Duration) {
	t.once.Do(func() {
		t.taken, t.resting, t.asked = make(chan struct{}, 1), map[string]pause{}, map[string]time.Time{}
	})
	if rest := t.rest(namespace, now()); rest > 0 {
		return nil, rest
	}
	patience, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	select {
	case t.taken <- struct{}{}:
		began := now()
		t.noteAsked(namespace, time.Time{})
		return func() { t.give(namespace, began, now()) }, 0
	case <-patience.Done():
		t.noteAsked(namespace, now())
		return nil, waitForTurn
	}
}

// noteAsked notes that a namespace has asked in vain, or has a turn if the time is zero.
func (t *turn) noteAsked(namespace string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if delete(t.asked, namespace); !at.IsZero() {
		t.asked[namespace] = at
	}
}

// rest returns how long a namespace has no turn; 0 if it may have one. The clock may have been wrong.
func (t *turn) rest(namespace string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	factor := restsAlone
	for other, at := range t.asked {
		if other != namespace && now.Sub(at).Abs() <= waits {
			factor = rests
		}
	}
	return max(0, min(t.resting[namespace].until(factor).Sub(now), rests*time.Minute))
}

func (t *turn) give(namespace string, began, ended time.Time) {
	<-t.taken
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.resting, func(_ string, p pause) bool { return !p.until(rests).After(ended) })
	maps.DeleteFunc(t.asked, func(_ string, at time.Time) bool { return ended.Sub(at).Abs() > waits })
	if excess := ended.Sub(began) - cheap; excess > 0 {
		t.resting[namespace] = pause{since: ended, excess: min(excess, time.Minute)}
	}
}
