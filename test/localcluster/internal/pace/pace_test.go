package pace

import (
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
