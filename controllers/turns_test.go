package controllers

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/envtest"
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
			if result.RequeueAfter != retrySoon {
				t.Errorf("a pass too many is made again after %s", result.RequeueAfter)
			}
		case <-inside:
			t.Fatal("all passes are over benchmarks of one namespace")
		}
	}
	go func() { ended <- pass("other") }()
	wantInside(t, "other", inside, ended)
	<-ended
	close(release)
	for range passesOfANamespace {
		<-ended
	}
	go func() { ended <- pass("slow") }()
	wantInside(t, "slow", inside, ended)
	<-ended
	if len(r.turns.taken) > 0 {
		t.Errorf("turns are taken: %v", r.turns.taken)
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
