package controllers

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storagebench/storagebench/controllers/world"
)

// Errors are in the order of the things, whichever call ended first, and no call is left out because the context has
// ended.
func TestInParallel(t *testing.T) {
	for _, n := range []int{0, 1, world.ParallelCalls, 3*world.ParallelCalls + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				var now, most atomic.Int64
				things := make([]int, n)
				for i := range things {
					things[i] = i
				}
				errs := world.InParallel(ctx, things, func(i int) error {
					most.Store(max(most.Load(), now.Add(1)))
					defer now.Add(-1)
					time.Sleep(time.Duration(n-i) * time.Millisecond) // the first end last
					if i%2 == 0 {
						return nil
					}
					return fmt.Errorf("call %d", i)
				})
				if len(errs) != n || most.Load() > world.ParallelCalls {
					t.Errorf("%d errors of %d calls, up to %d at the same time", len(errs), n, most.Load())
				}
				for i, err := range errs {
					if (err == nil) != (i%2 == 0) || (err != nil && err.Error() != fmt.Sprintf("call %d", i)) {
						t.Errorf("call %d has error %v", i, err)
					}
				}
			})
		})
	}
}
