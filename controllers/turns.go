package controllers

import "sync"

// What a pass takes depends on what there is in the benchmark's namespace: a tenant can make so many pods, Jobs or claims that reading them takes minutes. So the
// benchmarks of a namespace never have all of the passes that can be made at the same time: there are always some for those of others.

// passesOfANamespace is how many of the passes at the same time may be over benchmarks of one namespace.
const passesOfANamespace = concurrentBenchmarks / 2

// turns counts the passes that go on in each namespace. The zero value has none.
type turns struct {
	mu    sync.Mutex
	taken map[string]int
}

// take takes a turn for a pass over a benchmark of a namespace, if there is one left.
func (t *turns) take(namespace string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[namespace] >= passesOfANamespace {
		return false
	}
	if t.taken == nil {
		t.taken = map[string]int{}
	}
	t.taken[namespace]++
	return true
}

// giveBack gives it back.
func (t *turns) giveBack(namespace string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[namespace]--; t.taken[namespace] == 0 {
		delete(t.taken, namespace)
	}
}
