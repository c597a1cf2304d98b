package controllers

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// How long a pass takes depends on what there is in the benchmark's namespace: a tenant can make so many pods, Jobs or claims that reading them takes minutes. So
// the benchmarks of one namespace never have all of the passes that can be made at the same time. Some are left for others.

// passesOfANamespace is how many of the passes at the same time may be over benchmarks of one namespace.
const passesOfANamespace = concurrentBenchmarks / 2

// turns counts the passes that go on in each namespace. Benchmarks wait for their turn in the order in which they came. The zero value has none.
type turns struct {
	mu sync.Mutex
	// taken is how many passes go on, by namespace.
	taken map[string]int
	// lines are the benchmarks that wait, by namespace, and waiting are all of them.
	lines   map[string][]types.NamespacedName
	waiting sets.Set[types.NamespacedName]
	// called are benchmarks that have left their line for the queue, until a call of Reconcile over them ends.
	called sets.Set[types.NamespacedName]
	queue  workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// begin implements source.Func: the queue gets the benchmarks that have waited.
func (t *turns) begin(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = queue
	return nil
}

// take takes a turn for a pass over a benchmark, if there is one left in its namespace. Otherwise the benchmark waits in line. It waits in front if it was called
// and another one has taken its turn.
func (t *turns) take(name types.NamespacedName) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken == nil {
		t.taken, t.lines = map[string]int{}, map[string][]types.NamespacedName{}
		t.waiting, t.called = sets.New[types.NamespacedName](), sets.New[types.NamespacedName]()
	}
	line := t.lines[name.Namespace]
	switch {
	case t.taken[name.Namespace] < passesOfANamespace:
		t.taken[name.Namespace]++
		t.leave(name)
		return true
	case t.waiting.Has(name):
		return false
	case t.called.Has(name):
		t.lines[name.Namespace] = slices.Insert(line, 0, name)
	default:
		t.lines[name.Namespace] = append(line, name)
	}
	t.waiting.Insert(name)
	return false
}

// leave takes a benchmark out of its line, if it is in there.
func (t *turns) leave(name types.NamespacedName) {
	if !t.waiting.Has(name) {
		return
	}
	t.waiting.Delete(name)
	line := t.lines[name.Namespace]
	if i := slices.Index(line, name); len(line) > 1 {
		t.lines[name.Namespace] = slices.Delete(line, i, i+1)
		return
	}
	delete(t.lines, name.Namespace)
}

// giveBack gives a turn back.
func (t *turns) giveBack(namespace string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[namespace]--; t.taken[namespace] == 0 {
		delete(t.taken, namespace)
	}
}

// callNext ends a call of Reconcile. It puts the benchmark of the same namespace that has waited longest into the queue, if there is a turn for it. Each call ends
// so, whether it took a turn or not: a benchmark that was called may need no turn any more, while others still wait.
func (t *turns) callNext(after types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.called.Delete(after)
	line := t.lines[after.Namespace]
	if len(line) == 0 || t.taken[after.Namespace] >= passesOfANamespace {
		return
	}
	next := line[0]
	t.leave(next)
	t.called.Insert(next)
	t.add(reconcile.Request{NamespacedName: next})
}

// add puts a benchmark into the queue, at the low priority that all benchmarks have when the operator starts: it comes after those that are there already.
func (t *turns) add(request reconcile.Request) {
	if queue, ok := t.queue.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
		queue.AddWithOpts(priorityqueue.AddOpts{Priority: new(handler.LowPriority)}, request)
		return
	}
	t.queue.Add(request)
}

// recall puts a benchmark into the queue, so that a pass is made over it.
func (t *turns) recall(name types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queue != nil { // else no manager has begun
		t.queue.Add(reconcile.Request{NamespacedName: name})
	}
}
