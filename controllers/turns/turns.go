// Package turns shares the workers of a controller between namespaces. The time that a pass takes depends on the
// namespace of its object: a tenant can make so many pods that reading them takes minutes, or have a webhook that does
// not answer. So a controller gives each namespace a few of its workers at most, and leaves the others to other
// namespaces. controller-runtime's priority queue orders requests. It does not bound how many workers a namespace has.
package turns

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

// Turns counts the passes that go on in each namespace. Objects wait for their turn in the order in which they came.
// The zero value has none.
type Turns struct {
	mu sync.Mutex
	// taken is how many passes go on, by namespace.
	taken map[string]int
	// lines are the objects that wait, by namespace, and waiting are all of them.
	lines   map[string][]types.NamespacedName
	waiting sets.Set[types.NamespacedName]
	// called are objects that have left their line for the queue, until a call of Reconcile over them ends.
	called sets.Set[types.NamespacedName]
	queue  workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// Begin implements source.Func: the queue gets the objects that have waited.
func (t *Turns) Begin(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = queue
	return nil
}

// Take takes a turn for a pass over an object, and reports whether its namespace had one left of so many. Otherwise the
// object waits in line. It waits in front if it was called and another one has taken its turn.
func (t *Turns) Take(name types.NamespacedName, most int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken == nil {
		t.taken, t.lines = map[string]int{}, map[string][]types.NamespacedName{}
		t.waiting, t.called = sets.New[types.NamespacedName](), sets.New[types.NamespacedName]()
	}
	line := t.lines[name.Namespace]
	switch {
	case t.taken[name.Namespace] < most:
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

// leave takes an object out of its line, if it is in there.
func (t *Turns) leave(name types.NamespacedName) {
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

// GiveBack gives a turn back.
func (t *Turns) GiveBack(namespace string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[namespace]--; t.taken[namespace] == 0 {
		delete(t.taken, namespace)
	}
}

// CallNext ends a call of Reconcile. It queues the object of the same namespace that has waited longest, if there is a
// turn for it. Each call ends so, whether it took a turn or not: an object that was called may need no turn any more,
// while others still wait.
func (t *Turns) CallNext(after types.NamespacedName, most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.called.Delete(after)
	line := t.lines[after.Namespace]
	if len(line) == 0 || t.taken[after.Namespace] >= most {
		return
	}
	next := line[0]
	t.leave(next)
	t.called.Insert(next)
	t.add(reconcile.Request{NamespacedName: next})
}

// add queues an object at the low priority that all objects have when the operator starts: it comes after those that
// are in the queue already.
func (t *Turns) add(request reconcile.Request) {
	if queue, ok := t.queue.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
		queue.AddWithOpts(priorityqueue.AddOpts{Priority: new(handler.LowPriority)}, request)
		return
	}
	t.queue.Add(request)
}

// Recall queues an object, so that a pass is made over it.
func (t *Turns) Recall(name types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queue != nil { // else no manager has begun
		t.queue.Add(reconcile.Request{NamespacedName: name})
	}
}

// Waits reports whether an object waits for its turn.
func (t *Turns) Waits(name types.NamespacedName) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting.Has(name)
}

// Taken returns how many passes go on over objects of a namespace.
func (t *Turns) Taken(namespace string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken[namespace]
}
