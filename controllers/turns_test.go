package controllers

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/test/envtest"
)

// Passes over benchmarks of a namespace where each takes long leave room for others.
func TestSlowNamespaceLeavesRoom(t *testing.T) {
	inside, release := make(chan struct{}), make(chan struct{})
	slow := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if key.Namespace == "slow" {
				inside <- struct{}{}
				<-release
			}
			return c.Get(ctx, key, object, options...)
		},
	})
	r := &Reconciler{Client: slow, Live: slow, Clock: clock.RealClock{}, Metrics: NewMetrics(prometheus.NewRegistry())}
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
	if result := pass("other"); result.RequeueAfter != 0 {
		t.Errorf("a pass of another namespace is made again after %s", result.RequeueAfter)
	}
	close(release)
	for range passesOfANamespace {
		<-ended
	}
	go func() { <-inside }()
	if result := pass("slow"); result.RequeueAfter != 0 || len(r.turns.taken) > 0 {
		t.Errorf("later, a pass is made again after %s, and turns are taken: %v", result.RequeueAfter, r.turns.taken)
	}
}
