// Package failing has a metric of the objects that the operator cannot write, or cannot write anything for.
package failing

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Kinds of objects.
const (
	Benchmark = "StorageBenchmark"
	Schedule  = "StorageBenchmarkSchedule"
)

// Objects are the objects whose last pass failed. The zero value has none. A nil pointer notes nothing.
type Objects struct {
	mu sync.Mutex
	// all are the objects, by kind.
	all map[string]sets.Set[types.NamespacedName]
}

// Failed notes that a pass over an object failed.
func (o *Objects) Failed(kind string, name types.NamespacedName) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[string]sets.Set[types.NamespacedName]{}
	}
	if o.all[kind] == nil {
		o.all[kind] = sets.New[types.NamespacedName]()
	}
	o.all[kind].Insert(name)
}

// Succeeded notes that a pass over an object did not fail, or that the object is gone.
func (o *Objects) Succeeded(kind string, name types.NamespacedName) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all[kind].Delete(name)
}

// Has reports whether the last pass over an object failed.
func (o *Objects) Has(kind string, name types.NamespacedName) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[kind].Has(name)
}

var objectsFailing = prometheus.NewDesc("storagebench_objects_failing",
	"StorageBenchmarks and StorageBenchmarkSchedules that could not be written in the last pass over them, or for which "+
		"something else could not be, by namespace and kind. Namespaces without any have no series.",
	[]string{"namespace", "kind"}, nil)

// Describe implements prometheus.Collector.
func (o *Objects) Describe(descs chan<- *prometheus.Desc) { descs <- objectsFailing }

// Collect implements prometheus.Collector.
func (o *Objects) Collect(metrics chan<- prometheus.Metric) {
	for of, n := range o.count() {
		metrics <- prometheus.MustNewConstMetric(objectsFailing, prometheus.GaugeValue, float64(n), of.namespace, of.kind)
	}
}

// group is what the metric counts by.
type group struct{ namespace, kind string }

func (o *Objects) count() map[group]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	counts := map[group]int{}
	for kind, names := range o.all {
		for name := range names {
			counts[group{name.Namespace, kind}]++
		}
	}
	return counts
}
