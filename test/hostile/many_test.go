package hostile

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/extent"
	"github.com/storagebench/storagebench/test/harness"
)

// TestManyObjects has an operator start beside more objects than its memory would take whole: benchmarks of nearly
// 128 KiB, and pods with its label. It stays within its memory, and serves an honest benchmark of another namespace.
func TestManyObjects(t *testing.T) {
	extent.OnlyInAll(t, "so many objects are made in minutes, and TestCachesTakeLittleMemory has as many without an API server")
	const benchmarks, pods = 800, 8_000
	limit := memoryLimit(t)
	mallory, honest := newTenant(t), newTenant(t)
	began := time.Now()
	inParallel(benchmarks, func(i int) { create(mallory, largeSuspended(mallory, i)) })
	inParallel(pods, func(i int) { create(mallory, labelledPod(mallory, i)) })
	t.Logf("made %d benchmarks and %d pods in %.0f s", benchmarks, pods, time.Since(began).Seconds())
	p := startOperator(t, buildOperator(t), limit)
	took := serve(honest, p, "beside")
	most := p.mostMemory(t)
	t.Logf("at most %d of %d MiB; the honest benchmark took %.1f s", most>>20, limit>>20, took.Seconds())
	if most > limit {
		t.Errorf("the operator takes %d MiB, more than its limit, %d MiB", most>>20, limit>>20)
	}
}

// crowd makes objects of which there may be very many: a benchmark and pods with the operator's label, and once a pod with
// many labels and a ConfigMap with many keys.
func crowd(n *harness.World, i int) {
	n.Helper()
	const pods = 10
	create(n, largeSuspended(n, i))
	for j := range pods {
		create(n, labelledPod(n, pods*i+j))
	}
	if i == 0 {
		create(n, manyLabels(n, i))
		manyKeys(n, i)
	}
}

// inParallel calls a function with the numbers below n, a few at a time.
func inParallel(n int, do func(int)) {
	const atOnce = 8
	var working sync.WaitGroup
	for worker := range atOnce {
		working.Go(func() {
			for i := worker; i < n; i += atOnce {
				do(i)
			}
		})
	}
	working.Wait()
}

// largeSuspended is a benchmark that has nothing to do, and takes nearly as much memory as the cache takes of one.
func largeSuspended(n *harness.World, i int) *v1alpha1.StorageBenchmark {
	b := builder.NewBenchmark(n.Namespace, fmt.Sprintf("many-%d", i)).Target(builder.NewTarget("a")).Suspended()
	for w := range 7 {
		file := "[global]\nrw=read\nsize=1M\n[a]\n"
		b.Workload(builder.NewJobFile(fmt.Sprintf("w%d", w), file+strings.Repeat("#\n", (16<<10-len(file))/2)))
	}
	return b.Build()
}

// labelledPod is a pod that says it was made for a benchmark.
func labelledPod(n *harness.World, i int) *corev1.Pod {
	spec := restricted()
	spec.Containers[0].Args = nil
	return &corev1.Pod{Spec: spec, ObjectMeta: metav1.ObjectMeta{
		Namespace: n.Namespace, Name: fmt.Sprintf("labelled-%d", i),
		Labels: map[string]string{
			v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelBenchmark: "many-0", v1alpha1.LabelHoldsNode: "true",
		},
	}}
}

// manyLabels is such a pod with many labels. The API server takes up to 150,000, in minutes.
func manyLabels(n *harness.World, i int) *corev1.Pod {
	pod := labelledPod(n, i)
	pod.Name = fmt.Sprintf("labels-%d", i)
	for l := range 10_000 {
		pod.Labels[fmt.Sprintf("a%05x", l)] = ""
	}
	return pod
}

// manyKeys makes a schedule that reads its history from a ConfigMap with many keys. The API server takes up to 170,000, in
// minutes.
func manyKeys(n *harness.World, i int) {
	s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: n.Namespace, Name: fmt.Sprintf("keys-%d", i)}}
	s.Spec.Schedule, s.Spec.Template.Spec = "0 0 29 2 *", builder.OneRun("", "").Build().Spec
	s = create(n, s)
	keys := map[string][]byte{}
	for k := range 20_000 {
		keys[fmt.Sprintf("%05x", k)] = nil
	}
	create[client.Object](n, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: n.Namespace, Name: schedule.HistoryName(s, 0), OwnerReferences: []metav1.OwnerReference{schedule.Owner(s)},
		},
		BinaryData: keys,
	})
}
