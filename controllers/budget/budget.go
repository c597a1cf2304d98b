// Package budget bounds what the operator's caches hold of objects that others write. A tenant may make as many pods,
// Jobs, claims, benchmarks and schedules as the API server takes, so that a bound for each object is not enough.
package budget

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Budget is how many bytes all caches may hold together. A namespace may hold as much as is left free: one that fills
// the caches takes half, two take a third each. So there is always room for another namespace.
type Budget struct {
	most int64

	mu   sync.Mutex
	held int64
	// byNamespace is what each namespace holds.
	byNamespace map[string]int64
	// leftOut is how many objects the caches do not hold, by what they were made for.
	leftOut map[Owner]int
}

// Owner is a benchmark for which objects of a kind were made.
type Owner struct {
	Kind      string
	Benchmark types.NamespacedName
}

// New returns a budget of so many bytes.
func New(most int64) *Budget {
	return &Budget{most: most, byNamespace: map[string]int64{}, leftOut: map[Owner]int{}}
}

// LeavesOut reports whether a cache does not hold all objects that were made for a benchmark.
func (b *Budget) LeavesOut(of Owner) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.leftOut[of] > 0 || b.leftOut[of.anyInNamespace()] > 0
}

// anyInNamespace stands for all benchmarks of the namespace.
func (o Owner) anyInNamespace() Owner {
	return Owner{Kind: o.Kind, Benchmark: types.NamespacedName{Namespace: o.Benchmark.Namespace}}
}

// take takes bytes for a namespace, and reports whether the namespace may have them. At least as much has to stay free
// as the namespace holds then, and a third of that for an urgent object. So other namespaces always have room.
func (b *Budget) take(of share, urgent bool) bool {
	free, held := b.most-b.held-of.bytes, b.byNamespace[of.namespace]+of.bytes
	least := held
	if urgent {
		least = held / 3
	}
	if free < least {
		return false
	}
	b.held += of.bytes
	b.byNamespace[of.namespace] = held
	return true
}

// giveBack gives bytes back that were taken.
func (b *Budget) giveBack(of share) {
	b.held -= of.bytes
	if b.byNamespace[of.namespace] -= of.bytes; b.byNamespace[of.namespace] <= 0 {
		delete(b.byNamespace, of.namespace)
	}
}

// forget counts an object no longer that was left out.
func (b *Budget) forget(of Owner) {
	if b.leftOut[of]--; b.leftOut[of] <= 0 {
		delete(b.leftOut, of)
	}
}

// share is what an object takes of the budget.
type share struct {
	namespace string
	bytes     int64
}

// Cache is the part of a budget that the cache of one informer takes.
type Cache struct {
	budget *Budget
	held   map[types.UID]share
	// leftOut are the objects that the cache does not hold: the first mostNoted of each namespace, which countOf counts.
	// All benchmarks of a namespace in full count as left out.
	leftOut map[types.UID]Owner
	countOf map[Owner]int
	full    map[Owner]bool
	// before is what was left out before a list that has not ended: the cache keeps its content until then.
	before []Owner
}

// mostNoted is how many left-out objects of a namespace and kind are noted one by one. Notes take memory as well.
const mostNoted = 1000

// NewCache returns the part of an empty cache.
func (b *Budget) NewCache() *Cache {
	c := &Cache{budget: b}
	c.clear()
	return c
}

func (c *Cache) clear() {
	c.held, c.leftOut = map[types.UID]share{}, map[types.UID]Owner{}
	c.countOf, c.full = map[Owner]int{}, map[Owner]bool{}
}

// Hold reports whether the cache may hold an object of so many bytes. Urgent objects may take more than the namespace's
// part.
func (c *Cache) Hold(uid types.UID, namespace string, bytes int64, urgent bool) bool {
	c.budget.mu.Lock()
	defer c.budget.mu.Unlock()
	c.drop(uid)
	of := share{namespace: namespace, bytes: bytes}
	if !c.budget.take(of, urgent) {
		return false
	}
	c.held[uid] = of
	return true
}

// LeaveOut notes that the cache does not hold an object.
func (c *Cache) LeaveOut(uid types.UID, of Owner) {
	c.budget.mu.Lock()
	defer c.budget.mu.Unlock()
	c.drop(uid)
	all := of.anyInNamespace()
	switch {
	case c.full[all]:
	case c.countOf[all] == mostNoted:
		c.full[all] = true
		c.budget.leftOut[all]++
	default:
		c.leftOut[uid] = of
		c.countOf[all]++
		c.budget.leftOut[of]++
	}
}

// Holds reports whether the cache holds an object by the budget.
func (c *Cache) Holds(uid types.UID) bool {
	c.budget.mu.Lock()
	defer c.budget.mu.Unlock()
	_, held := c.held[uid]
	return held
}

// Drop notes that an object is gone, or takes nothing of the budget any more.
func (c *Cache) Drop(uid types.UID) {
	c.budget.mu.Lock()
	defer c.budget.mu.Unlock()
	c.drop(uid)
}

func (c *Cache) drop(uid types.UID) {
	if of, held := c.held[uid]; held {
		c.budget.giveBack(of)
		delete(c.held, uid)
	}
	if of, left := c.leftOut[uid]; left {
		c.budget.forget(of)
		delete(c.leftOut, uid)
		c.countOf[of.anyInNamespace()]--
	}
}

// BeginList notes that all objects are listed anew, and so are counted anew.
func (c *Cache) BeginList() {
	c.budget.mu.Lock()
	defer c.budget.mu.Unlock()
	for _, of := range c.held {
		c.budget.giveBack(of)
	}
	noted := slices.AppendSeq(slices.Collect(maps.Values(c.leftOut)), maps.Keys(c.full))
	if c.before == nil {
		c.before = noted
	} else { // the list before has failed, and the cache still has what it had before that
		c.forget(noted)
	}
	c.clear()
}

// EndList notes that the list has come to its end.
func (c *Cache) EndList() {
	c.budget.mu.Lock()
	defer c.budget.mu.Unlock()
	c.forget(c.before)
	c.before = nil
}

func (c *Cache) forget(all []Owner) {
	for _, of := range all {
		c.budget.forget(of)
	}
}
