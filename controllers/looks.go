package controllers

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// What a look has found is in memory until a pass takes it, and looks take turns to read pages. So few benchmarks look at the same time. Of one namespace these are at most
// half of them: a tenant can make so many Jobs and pods that a look takes minutes. The others wait in line, and only their names are kept.

const (
	// looksAtOnce is how many looks go on, or have found what no pass has taken yet.
	looksAtOnce = concurrentBenchmarks
	// looksOfANamespace is how many of them may be at benchmarks of one namespace.
	looksOfANamespace = looksAtOnce / 2
)

// looks has the benchmarks that may look what they have, and those that wait until they may. The zero value has none.
type looks struct {
	mu sync.Mutex
	// may are those that look, or may begin to.
	may  sets.Set[types.NamespacedName]
	line []types.NamespacedName
}

// lookLimit is how many looks may be at benchmarks of one namespace. An operator that is confined to one has all for it.
func (r *Reconciler) lookLimit() int {
	if len(r.Namespaces) == 1 {
		return looksAtOnce
	}
	return looksOfANamespace
}

// take says whether a benchmark may look now. If not, it waits in line until it is called.
func (l *looks) take(name types.NamespacedName, limit int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.may == nil {
		l.may = sets.New[types.NamespacedName]()
	}
	switch {
	case l.may.Has(name):
		return true
	case l.hasRoom(name.Namespace, limit):
		l.may.Insert(name)
		l.leave(name)
		return true
	case !slices.Contains(l.line, name):
		l.line = append(l.line, name)
	}
	return false
}

// hasRoom says whether one more benchmark of a namespace may look.
func (l *looks) hasRoom(namespace string, limit int) bool {
	of := 0
	for name := range l.may {
		if name.Namespace == namespace {
			of++
		}
	}
	return l.may.Len() < looksAtOnce && of < limit
}

// leave takes a benchmark out of the line, if it is in there.
func (l *looks) leave(name types.NamespacedName) {
	l.line = slices.DeleteFunc(l.line, func(waiting types.NamespacedName) bool { return waiting == name })
}

// giveBack takes the place of a benchmark, if it has one, and gives it to the first in line that may have it. It returns who may look now.
func (l *looks) giveBack(name types.NamespacedName, limit int) (called []types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.may.Has(name) {
		return nil
	}
	l.may.Delete(name)
	l.line = slices.DeleteFunc(l.line, func(waiting types.NamespacedName) bool {
		if !l.hasRoom(waiting.Namespace, limit) {
			return false
		}
		l.may.Insert(waiting)
		called = append(called, waiting)
		return true
	})
	return called
}

// forget takes a benchmark out of the line, and does what giveBack does.
func (l *looks) forget(name types.NamespacedName, limit int) []types.NamespacedName {
	l.mu.Lock()
	l.leave(name)
	l.mu.Unlock()
	return l.giveBack(name, limit)
}

// has says whether a benchmark looks, or waits until it may.
func (l *looks) has(name types.NamespacedName) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.may.Has(name) || slices.Contains(l.line, name)
}

// endLooking has others look in the place of a benchmark that neither looks nor waits for that any more.
func (r *Reconciler) endLooking(name types.NamespacedName) {
	for _, name := range r.looks.forget(name, r.lookLimit()) {
		r.turns.Recall(name)
	}
}
