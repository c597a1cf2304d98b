package world

import (
	"reflect"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/budget"
	"github.com/storagebench/storagebench/internal/attempt"
)

// The caches hold what others write, in any number, so all of them share one budget. A namespace that takes more than
// its part loses speed, and nothing else. The cache holds its further benchmarks and schedules without specs, and each
// pass reads them from the API server. It holds its further Jobs, pods and claims not at all: passes over the
// benchmarks that they are labelled with list these from the API server.

// Caches makes the informers of the operator's cache.
type Caches struct {
	budget *budget.Budget

	mu sync.Mutex
	// recall has a pass made over a benchmark. nil: nobody is to be told yet.
	recall func(types.NamespacedName)
}

// NewCaches returns what makes informers that hold so many bytes together of what others write.
func NewCaches(most int64) *Caches { return &Caches{budget: budget.New(most)} }

// TellOf has a function called with the benchmarks of objects that have changed and that no cache holds.
func (c *Caches) TellOf(recall func(types.NamespacedName)) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recall = recall
}

// tell tells that an object has changed that no cache holds.
func (c *Caches) tell(object client.Object) {
	c.mu.Lock()
	recall := c.recall
	c.mu.Unlock()
	if name := labelledWith(object); recall != nil && name.Name != "" {
		recall(name)
	}
}

// LeavesOut reports whether the cache does not hold all objects of a kind that are labelled with a benchmark.
func (c *Caches) LeavesOut(name types.NamespacedName, kind client.Object) bool {
	return c != nil && c.budget.LeavesOut(budget.Owner{Kind: typeName(kind), Benchmark: name})
}

// labelledWith returns the benchmark that an object says it was made for.
func labelledWith(object client.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetLabels()[v1alpha1.LabelBenchmark]}
}

func typeName(object client.Object) string { return reflect.TypeOf(object).Elem().Name() }

// Keeper decides what the cache of one informer keeps.
type Keeper struct {
	caches *Caches
	Share  *budget.Cache
}

// NewKeeper returns what decides for the cache of one more informer.
func (c *Caches) NewKeeper() *Keeper { return &Keeper{caches: c, Share: c.budget.NewCache()} }

// Keep leaves of an object what is kept, and reports whether the object is kept at all.
func (k *Keeper) Keep(object runtime.Object) bool {
	Trim(object)
	switch o := object.(type) {
	case *v1alpha1.StorageBenchmark:
		if IsTrimmed(o) {
			k.Share.Drop(o.UID)
		} else if !k.fits(o, false) {
			shorten(o)
		}
	case *v1alpha1.StorageBenchmarkSchedule:
		if !k.fits(o, false) {
			shortenSchedule(o)
		}
	case client.Object:
		if !k.fits(o, holdsNode(o)) {
			k.Share.LeaveOut(o.GetUID(), budget.Owner{Kind: typeName(o), Benchmark: labelledWith(o)})
			return false
		}
	}
	return true
}

// cacheEntry is about how many bytes an informer takes for an object beside the object itself: its key, in a store and
// in two indexes.
const cacheEntry = 512

// fits reports whether the budget has room for an object.
func (k *Keeper) fits(object client.Object, urgent bool) bool {
	return k.Share.Hold(object.GetUID(), object.GetNamespace(), int64(WeightOf(object)+cacheEntry), urgent)
}

// holdsNode reports whether a pod keeps benchmarks of all namespaces off a node. Honest benchmarks have no more such
// pods than nodes have room for.
func holdsNode(object client.Object) bool {
	pod, is := object.(*corev1.Pod)
	return is && pod.Labels[v1alpha1.LabelHoldsNode] == "true" && pod.Spec.NodeName != "" && !attempt.HasEnded(pod)
}
