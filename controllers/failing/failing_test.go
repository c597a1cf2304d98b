package failing

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
)

// Objects count while their last pass failed, each once.
func TestObjects(t *testing.T) {
	name := func(namespace, name string) types.NamespacedName {
		return types.NamespacedName{Namespace: namespace, Name: name}
	}
	var objects Objects
	objects.Succeeded(Benchmark, name("a", "one"))
	for _, failed := range []string{"one", "two", "two", "three"} {
		objects.Failed(Benchmark, name("a", failed))
	}
	objects.Failed(Schedule, name("a", "one"))
	objects.Failed(Schedule, name("b", "one"))
	objects.Succeeded(Benchmark, name("a", "one"))
	objects.Succeeded(Schedule, name("b", "one"))
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(&objects)
	families, err := registry.Gather()
	if err != nil || len(families) != 1 {
		t.Fatalf("metrics are %v: %v", families, err)
	}
	got := map[string]float64{}
	for _, metric := range families[0].GetMetric() {
		labels := metric.GetLabel() // kind and namespace
		got[labels[0].GetValue()+" in "+labels[1].GetValue()] = metric.GetGauge().GetValue()
	}
	want := map[string]float64{"StorageBenchmark in a": 2, "StorageBenchmarkSchedule in a": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

// A nil pointer notes nothing.
func TestNone(*testing.T) {
	var none *Objects
	none.Failed(Benchmark, types.NamespacedName{})
	none.Succeeded(Benchmark, types.NamespacedName{})
}
