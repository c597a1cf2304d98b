package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// labelled is a pod of a namespace that says it was made for a benchmark.
func labelled(namespace string, i int) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: fmt.Sprintf("forged-%d", i), UID: types.UID(fmt.Sprintf("%s-%d", namespace, i)),
		Labels: map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelBenchmark: "sb"},
	}}
}

// TestCacheLeavesOut checks what a cache hears of pods for which it has no room.
func TestCacheLeavesOut(t *testing.T) {
	caches := world.NewCaches(64 << 10)
	var told []string
	caches.TellOf(func(name types.NamespacedName) { told = append(told, name.String()) })
	k := caches.NewKeeper()
	k.Share.BeginList()
	kept := 0
	for i := range 1000 {
		if _, keeps := k.FilterEvent(watch.Event{Type: watch.Added, Object: labelled("mallory", i)}); keeps {
			kept++
		}
	}
	if kept < 5 || kept > 30 || len(told) != 1000-kept {
		t.Fatalf("%d of 1000 pods are kept, and %d are told", kept, len(told))
	}
	name := types.NamespacedName{Namespace: "mallory", Name: "sb"}
	if !caches.LeavesOut(name, &corev1.Pod{}) || caches.LeavesOut(name, &batchv1.Job{}) {
		t.Error("pods alone are left out")
	}
	if _, keeps := k.FilterEvent(watch.Event{Type: watch.Added, Object: labelled("honest", 0)}); !keeps {
		t.Error("another namespace has no room")
	}
	holder := labelled("mallory", 1000)
	holder.Labels[v1alpha1.LabelHoldsNode], holder.Spec.NodeName = "true", "node-a"
	if _, keeps := k.FilterEvent(watch.Event{Type: watch.Added, Object: holder}); !keeps {
		t.Error("a pod that holds a node is left out, and benchmarks of other namespaces do not know whom they wait for")
	}
	told = nil
	grown := labelled("mallory", 0)
	grown.Status.Message = strings.Repeat("m", 100<<10)
	event, keeps := k.FilterEvent(watch.Event{Type: watch.Modified, Object: grown})
	if !keeps || event.Type != watch.Deleted {
		t.Errorf("of a pod that has grown the cache hears %s, %t", event.Type, keeps)
	}
	if diff := cmp.Diff([]string{"mallory/sb"}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	for i := range 4 {
		k.FilterEvent(watch.Event{Type: watch.Deleted, Object: labelled("mallory", i)})
	}
	event, keeps = k.FilterEvent(watch.Event{Type: watch.Modified, Object: labelled("mallory", 999)})
	if !keeps || event.Type != watch.Modified {
		t.Errorf("of a pod for which there is room again the cache hears %s, %t", event.Type, keeps)
	}
	for i := range 1000 {
		k.FilterEvent(watch.Event{Type: watch.Deleted, Object: labelled("mallory", i)})
	}
	if caches.LeavesOut(name, &corev1.Pod{}) {
		t.Error("pods are left out that are gone")
	}
	k.Share.BeginList()
	end := &corev1.Pod{}
	end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	if _, keeps := k.FilterEvent(watch.Event{Type: watch.Bookmark, Object: end}); !keeps {
		t.Error("the cache does not hear that the list has ended")
	}
}

// TestCacheShortens checks that of benchmarks and schedules for which there is no room the cache holds no spec.
func TestCacheShortens(t *testing.T) {
	const budget, objects = 128 << 10, 400
	k := world.NewCaches(budget).NewKeeper()
	whole, weight := map[string]int{}, 0
	for i := range objects {
		sb := builder.OneRun("mallory", fmt.Sprintf("sb-%d", i)).Build()
		sb.Spec.Workloads[0].JobFile = new(strings.Repeat("#\n", 4<<10))
		schedule := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: sb.ObjectMeta}
		schedule.Spec.Template.Spec = *sb.Spec.DeepCopy()
		sb.UID, schedule.UID = types.UID(fmt.Sprint("sb", i)), types.UID(fmt.Sprint("schedule", i))
		for _, object := range []client.Object{sb, schedule} {
			if !k.Keep(object) {
				t.Fatalf("%T is left out", object)
			}
			weight += world.WeightOf(object)
		}
		if !world.IsTrimmed(sb) {
			whole["benchmarks"]++
		}
		if len(schedule.Spec.Template.Spec.Targets) > 0 {
			whole["schedules"]++
		}
	}
	if whole["benchmarks"] == 0 || whole["schedules"] == 0 || weight > budget+2*objects*2<<10 {
		t.Errorf("the cache holds %d bytes, and has whole: %v", weight, whole)
	}
}

// TestEndedBenchmarksTakeNoRoom checks that thousands of benchmarks which have ended leave room for those of their
// namespace which go on.
func TestEndedBenchmarksTakeNoRoom(t *testing.T) {
	k := world.NewCaches(128 << 10).NewKeeper()
	for i := range 5000 {
		sb := builder.OneRun("honest", fmt.Sprint("ended-", i)).Build()
		sb.UID = types.UID(sb.Name)
		sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue}}
		k.Keep(sb)
	}
	sb := builder.OneRun("honest", "goes-on").Build()
	sb.UID = "goes-on"
	if !k.Keep(sb) || world.IsTrimmed(sb) {
		t.Error("a benchmark that goes on is held without its spec")
	}
}

// TestCachesTakeLittleMemory fills the caches with benchmarks of nearly 128 KiB and pods of a tenant, and with those of
// an honest namespace, which are all kept.
func TestCachesTakeLittleMemory(t *testing.T) {
	const budget = 8 << 20
	for name, test := range map[string]struct{ budget, least, most int64 }{
		"without a budget": {budget: 1 << 40, least: 50 << 20, most: 1 << 40},
		"with a budget":    {budget: budget, most: 2 * budget},
	} {
		caches := world.NewCaches(test.budget)
		before := heapInUse()
		benchmarks := filled(t, caches, &v1alpha1.StorageBenchmark{}, 400, func(namespace string, i int) client.Object {
			sb := builder.OneRun(namespace, fmt.Sprint("sb-", i)).Build()
			sb.UID = types.UID(fmt.Sprint(namespace, "-", i))
			sb.Spec.Workloads[0].JobFile = new(strings.Repeat("#\n", 50<<10))
			return sb
		})
		pods := filled(t, caches, &corev1.Pod{}, 12_000, func(namespace string, i int) client.Object {
			return labelled(namespace, i)
		})
		takes := heapInUse() - before
		t.Logf("%s: %d MiB for %d benchmarks and %d pods",
			name, takes>>20, len(benchmarks.GetStore().List()), len(pods.GetStore().List()))
		if takes < test.least || takes > test.most {
			t.Errorf("%s: the caches take %d bytes, want %d to %d", name, takes, test.least, test.most)
		}
		for key, store := range map[string]cache.Store{
			"honest/sb-0": benchmarks.GetStore(), "honest/forged-0": pods.GetStore(),
		} {
			object, found, err := store.GetByKey(key)
			if sb, is := object.(*v1alpha1.StorageBenchmark); err != nil || !found || is && world.IsTrimmed(sb) {
				t.Errorf("%s: %s is not kept whole: %v", name, key, err)
			}
		}
	}
}

// filled returns an informer that has heard of so many objects of a tenant, and of one of another namespace.
func filled(
	t *testing.T, caches *world.Caches, kind client.Object, n int, object func(namespace string, i int) client.Object,
) cache.SharedIndexInformer {
	t.Helper()
	source := &cache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			return nil, errors.New("it has to stream")
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			events := watch.NewFake()
			go func() {
				for i := range n {
					events.Add(object("mallory", i))
				}
				events.Add(object("honest", 0))
				end, _ := kind.DeepCopyObject().(client.Object)
				end.SetResourceVersion("7")
				end.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
				events.Action(watch.Bookmark, end)
			}()
			return events, nil
		},
	}
	informer := caches.NewInformer(source, kind, 0, cache.Indexers{})
	go informer.RunWithContext(t.Context())
	await.Holds(t, func() error {
		if !informer.HasSynced() {
			return errors.New("it has not heard of all")
		}
		return nil
	})
	return informer
}

// TestNoRoomInTheCache has an operator whose caches have no room for anything measure, clean up and report: what is not
// in a cache is read from the API server. No run is repeated, and nothing is left.
func TestNoRoomInTheCache(t *testing.T) {
	for name, sb := range map[string]*builder.Benchmark{
		"one client": builder.OneRun("", "sb").With(func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Repetitions = new(int32(3))
		}),
		"several clients": builder.OneRun("", "sb").With(func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Clients = new(int32(3))
		}),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWithoutOperator(t)
			w.cached = 1
			w.startOperator()
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
			created := sb.Build()
			created.Namespace = w.Namespace
			for i := range 2 * world.LiveAtOnce {
				create(w, forgedPod(created, i))
			}
			ended := w.untilEnd(create(w, created), metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			for i := range ended.Status.Runs {
				if run := &ended.Status.Runs[i]; run.Attempts != 1 || run.Result == nil {
					t.Errorf("run %s has %d attempts and result %v", run.Name, run.Attempts, run.Result)
				}
			}
			if c := ended.Status.Condition(v1alpha1.ConditionCleanedUp); c.Reason != v1alpha1.ReasonNothingLeft {
				t.Errorf("CleanedUp is %+v", c)
			}
		})
	}
}

// forgedPod is a pod with the labels of a benchmark's that no benchmark owns.
func forgedPod(sb *v1alpha1.StorageBenchmark, i int) *corev1.Pod {
	pod := podWithAYear(sb)
	pod.Name, pod.Spec.NodeName = fmt.Sprintf("forged-%d", i), ""
	return pod
}
