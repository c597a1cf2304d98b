package controllers

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// What a pass takes depends on what there is in the benchmark's namespace: a tenant can make so many pods, Jobs or claims that reading them takes minutes. So the
// benchmarks of a namespace never have all of the passes that can be made at the same time: there are always some for those of others.

// passesOfANamespace is how many of the passes at the same time may be over benchmarks of one namespace.
const passesOfANamespace = concurrentBenchmarks / 2

// turns counts the passes that go on in each namespace, and has benchmarks wait for theirs, in the order in which they came. The zero value has none.
type turns struct {
	mu    sync.Mutex
	taken map[string]int
	// lines are the benchmarks that wait, by namespace, and waiting is all of them.
	lines   map[string][]types.NamespacedName
	waiting sets.Set[types.NamespacedName]
	queue   workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// begin implements source.Func: the queue gets the benchmarks that have waited.
func (t *turns) begin(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = queue
	return nil
}

// take takes a turn for a pass over a benchmark, if there is one left in its namespace. Otherwise the benchmark waits for one.
func (t *turns) take(name types.NamespacedName) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[name.Namespace] < passesOfANamespace {
		if t.taken == nil {
			t.taken = map[string]int{}
		}
		t.taken[name.Namespace]++
		return true
	}
	if !t.waiting.Has(name) {
		if t.lines == nil {
			t.lines, t.waiting = map[string][]types.NamespacedName{}, sets.New[types.NamespacedName]()
		}
		t.lines[name.Namespace] = append(t.lines[name.Namespace], name)
		t.waiting.Insert(name)
	}
	return false
}

// giveBack gives it back.
func (t *turns) giveBack(namespace string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[namespace]--; t.taken[namespace] == 0 {
		delete(t.taken, namespace)
	}
}

// callNext puts the benchmark of a namespace that has waited longest into the queue, if there is a turn for it. Each call of Reconcile ends with it, whether it
// took a turn or not: that of a benchmark that was called may not need one any more, and others wait still.
func (t *turns) callNext(namespace string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	line := t.lines[namespace]
	if len(line) == 0 || t.taken[namespace] >= passesOfANamespace {
		return
	}
	t.queue.Add(reconcile.Request{NamespacedName: line[0]})
	t.waiting.Delete(line[0])
	if t.lines[namespace] = line[1:]; len(line) == 1 {
		delete(t.lines, namespace)
	}
}
