package schedule

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// One history at a time is read, and no other pass is held up meanwhile. A namespace whose history took longer than is
// cheap waits for its next turn: ten times the excess while another namespace waits, and once the excess otherwise.
func TestTurn(t *testing.T) {
	var turns turn
	now := time.Unix(1_000_000, 0)
	clock := func() time.Time { return now }
	wait := func(namespace string, want time.Duration) func() {
		t.Helper()
		giveBack, got := turns.take(t.Context(), namespace, clock)
		if got != want || (giveBack == nil) != (want > 0) {
			t.Fatalf("%s waits %s, want %s", namespace, got, want)
		}
		return giveBack
	}
	end := wait("mallory", 0)
	wait("alice", waitForTurn)
	now = now.Add(3 * time.Second)
	end()
	wait("mallory", 10*(3*time.Second-cheap))
	end = wait("alice", 0)
	now = now.Add(cheap)
	end()
	end = wait("alice", 0)
	now = now.Add(cheap + 20*time.Millisecond)
	end()
	wait("alice", 20*time.Millisecond) // nobody else waits
	now = now.Add(30 * time.Second)
	end = wait("mallory", 0)
	now = now.Add(3 * time.Second)
	wait("alice", waitForTurn)
	end()
	wait("mallory", 10*(3*time.Second-cheap))
	now = now.Add(2500 * time.Millisecond)
	wait("alice", 0)()
	wait("mallory", 0)() // alice has had her turn
	now = now.Add(30 * time.Second)
	wait("mallory", 0)()
	if len(turns.resting)+len(turns.asked) > 0 {
		t.Errorf("it is remembered who rested and who asked: %v, %v", turns.resting, turns.asked)
	}
}

// Histories that take little follow each other, and no pass asks again for one.
func TestTurnsFollowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns turn
		var workers sync.WaitGroup
		began, read := time.Now(), atomic.Int32{}
		for range 2 {
			workers.Go(func() {
				for range 100 {
					giveBack, wait := turns.take(t.Context(), "team", time.Now)
					if wait > 0 {
						t.Errorf("a pass is to ask again in %s", wait)
						return
					}
					time.Sleep(20 * time.Millisecond)
					read.Add(1)
					giveBack()
				}
			})
		}
		workers.Wait()
		if took := time.Since(began); read.Load() != 200 || took != 4*time.Second {
			t.Errorf("%d histories took %s", read.Load(), took)
		}
	})
}

// A clock that steps back keeps nobody waiting for long.
func TestTurnAfterClockStep(t *testing.T) {
	var turns turn
	now := time.Unix(1_000_000, 0)
	clock := func() time.Time { return now }
	end, _ := turns.take(t.Context(), "alice", clock)
	now = now.Add(time.Hour)
	end()
	now = now.Add(-24 * time.Hour)
	if _, wait := turns.take(t.Context(), "alice", clock); wait != rests*time.Minute {
		t.Errorf("it waits %s", wait)
	}
}
