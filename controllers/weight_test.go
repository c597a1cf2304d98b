package controllers

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/builder"
)

// What a benchmark weighs is about what Go takes for it.
func TestWeight(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.StorageBenchmark){
		"as people write it": func(*v1alpha1.StorageBenchmark) {},
		"long strings": func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Workloads = []v1alpha1.Workload{builder.NewJobFile("w", strings.Repeat("#", 16<<10))}
		},
		"empty strings": func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Placement = emptyValues(1000) },
		"many runs": func(sb *v1alpha1.StorageBenchmark) {
			for i := range 100 {
				sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{
					Name: fmt.Sprint(i), StartTime: new(metav1.Now()), Parameters: map[string]string{"bs": "4k", "iodepth": "1"},
					Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, Latency: &v1alpha1.Latency{}}}},
				})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			sb := builder.OneRun("default", "sb").With(change).Build()
			text, err := json.Marshal(sb)
			if err != nil {
				t.Fatal(err)
			}
			const copies = 512
			kept := make([]*v1alpha1.StorageBenchmark, copies)
			before := heapInUse()
			for i := range kept {
				kept[i] = &v1alpha1.StorageBenchmark{}
				if err := json.Unmarshal(text, kept[i]); err != nil {
					t.Fatal(err)
				}
			}
			taken, weight := int(heapInUse()-before)/copies, world.WeightOf(kept[0])
			t.Logf("%d bytes as text are %d in memory, and weigh %d", len(text), taken, weight)
			if weight < taken*2/3 || weight > taken*3/2 {
				t.Errorf("it weighs %d, and takes %d", weight, taken)
			}
			runtime.KeepAlive(kept)
		})
	}
}

// emptyValues is an affinity of so many empty strings, which say nothing.
func emptyValues(n int) *v1alpha1.Placement {
	expression := corev1.NodeSelectorRequirement{Key: "a", Operator: corev1.NodeSelectorOpIn, Values: make([]string, n)}
	return &v1alpha1.Placement{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{expression}}},
		},
	}}}
}

// Benchmarks that are small as text and large in memory take no more of the cache than others.
func TestTrimWeighsWhatIsInMemory(t *testing.T) {
	const most = 16 << 10
	sb := builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Placement = emptyValues(40_000) }).Build()
	world.Trim(sb)
	if weight := world.WeightOf(sb); weight > most {
		t.Errorf("of one that is 120 KB as text the cache has %d bytes, want at most %d", weight, most)
	}
}
