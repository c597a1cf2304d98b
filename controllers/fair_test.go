package controllers

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/turns"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/harness"
)

// Passes over benchmarks of a namespace where each takes long leave room for others.
func TestSlowNamespaceLeavesRoom(t *testing.T) {
	inside, release := make(chan string), make(chan struct{})
	// The cache answers at once. The API server, which has the whole benchmarks, is slow.
	cached := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(trimmedIn("slow"), trimmedIn("other")).Build()
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			inside <- key.Namespace
			if key.Namespace == "slow" {
				<-release
			}
			return c.Get(ctx, key, object, options...)
		},
	})
	r := &Reconciler{Client: cached, Live: live, Clock: clock.RealClock{}, Metrics: NewMetrics(prometheus.NewRegistry())}
	queue := queueOf(t, &r.turns)
	pass := func(namespace string) ctrl.Result {
		result, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: "sb"}})
		if err != nil {
			t.Error(err)
		}
		return result
	}
	ended := make(chan ctrl.Result)
	for range concurrentBenchmarks {
		go func() { ended <- pass("slow") }()
	}
	for range passesOfANamespace {
		<-inside
	}
	for range concurrentBenchmarks - passesOfANamespace {
		select {
		case result := <-ended:
			if !result.IsZero() {
				t.Errorf("a pass too many is made again: %+v, want it called when there is a turn", result)
			}
		case <-inside:
			t.Fatal("all passes are over benchmarks of one namespace")
		}
	}
	go func() { ended <- pass("other") }()
	wantInside(t, "other", inside, ended)
	<-ended
	if queue.Len() > 0 {
		t.Error("a benchmark is called for which there is no turn")
	}
	for _, gone := range []string{"gone-1", "gone-2"} {
		r.turns.Take(types.NamespacedName{Namespace: "slow", Name: gone}, passesOfANamespace)
	}
	want := func(what string, names ...string) {
		t.Helper()
		var called []string
		for _, name := range takeAll(queue) {
			called = append(called, name.Name)
		}
		if diff := cmp.Diff(names, called, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: called are (-want +got):\n%s", what, diff)
		}
	}
	release <- struct{}{}
	<-ended
	want("the first one has ended", "sb")
	for i, next := range [][]string{{"gone-1"}, {"gone-2"}, nil} { // as of the one that was called and of two more that are gone
		name := fmt.Sprintf("gone-%d", i)
		if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "slow", Name: name}}); err != nil {
			t.Error(err)
		}
		want(name+" is not there", next...)
	}
	close(release)
	for range passesOfANamespace - 1 {
		<-ended
	}
	go func() { ended <- pass("slow") }()
	wantInside(t, "slow", inside, ended)
	<-ended
	if slow, other := r.turns.Taken("slow"), r.turns.Taken("other"); slow+other > 0 {
		t.Errorf("turns are taken: %d and %d", slow, other)
	}
}

// trimmedIn returns a benchmark of a namespace as the cache has it.
func trimmedIn(namespace string) *v1alpha1.StorageBenchmark {
	return &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "sb"}}
}

// wantInside checks that a pass over a benchmark of a namespace has its turn.
func wantInside(t *testing.T, namespace string, inside <-chan string, ended <-chan ctrl.Result) {
	t.Helper()
	select {
	case got := <-inside:
		if got != namespace {
			t.Errorf("a pass of %s has its turn, want %s", got, namespace)
		}
	case result := <-ended:
		t.Fatalf("a pass of %s is made again after %s", namespace, result.RequeueAfter)
	}
}

// A benchmark that came while its namespace had all of its passes goes on when one of them is over, without anything
// that changes of it.
func TestBenchmarkGoesOnAfterItsTurn(t *testing.T) {
	w := newWorldWithoutOperator(t)
	inside, release := make(chan string, passesOfANamespace), make(chan struct{})
	w.startOperatorWith(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if asksWhetherFresh(object) && key.Name != "last" {
				select {
				case inside <- key.Name:
					<-release
				default: // later passes are as fast as ever
				}
			}
			return c.Get(ctx, key, object, options...)
		},
	})
	for n := range passesOfANamespace {
		harness.Create(w.World, builder.OneRun(w.Namespace, fmt.Sprintf("slow-%d", n)).Build())
	}
	w.Eventually(func() error {
		if len(inside) < passesOfANamespace {
			return errors.New("not all passes are made")
		}
		return nil
	})
	last := harness.Create(w.World, builder.OneRun(w.Namespace, "last").Build())
	w.Eventually(func() error {
		if !w.turns.Waits(client.ObjectKeyFromObject(last)) {
			return errors.New("it does not wait")
		}
		return nil
	})
	close(release)
	w.UntilEnded(last)
}

// queueOf returns the queue that benchmarks are called into.
func queueOf(t *testing.T, all *turns.Turns) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	t.Helper()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(queue.ShutDown)
	if err := all.Begin(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	return queue
}

// takeAll returns what is in a queue.
func takeAll(queue workqueue.TypedRateLimitingInterface[reconcile.Request]) (called []types.NamespacedName) {
	for queue.Len() > 0 {
		request, _ := queue.Get()
		queue.Done(request)
		called = append(called, request.NamespacedName)
	}
	return called
}
