package pace

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

func TestWaitIsExact(t *testing.T) {
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			began := time.Now()
			Wait(began.Add(2 * time.Millisecond))
			if passed := time.Since(began); passed < 2*time.Millisecond {
				t.Errorf("waited %v", passed)
			}
		})
	}
	group.Wait()
}

// However many wait, and in whatever order they come, each is woken, and none too early.
func TestWaitOfMany(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var group sync.WaitGroup
	for range 2000 {
		delay := time.Duration(random.Int64N(int64(20 * time.Millisecond)))
		group.Go(func() {
			until := time.Now().Add(delay - time.Millisecond) // some have come already
			Wait(until)
			if early := time.Until(until); early > 0 {
				t.Errorf("woken %s too early", early)
			}
		})
	}
	group.Wait()
}

// BenchmarkWait has sixteen wait in turn, as the I/Os of a queue at a limit do.
func BenchmarkWait(b *testing.B) {
	const queue = 16
	line := Line{PerSecond: 3000}
	var mu sync.Mutex
	var group sync.WaitGroup
	for range queue {
		group.Go(func() {
			for range b.N / queue {
				mu.Lock()
				_, until := line.Admit(time.Now(), 1)
				mu.Unlock()
				Wait(until)
			}
		})
	}
	group.Wait()
}
