package controllers

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
)

// frozen is a client whose reads of benchmarks return what was there when it was made: a cache whose watch is silent.
func frozen(t *testing.T, s *stubborn) client.Client {
	t.Helper()
	old := &v1alpha1.StorageBenchmark{}
	if err := s.Client.Get(t.Context(), client.ObjectKeyFromObject(s.sb), old); err != nil {
		t.Fatal(err)
	}
	with, is := s.Client.(client.WithWatch)
	if !is {
		t.Fatalf("%T cannot watch", s.Client)
	}
	return interceptor.NewClient(with, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if sb, is := object.(*v1alpha1.StorageBenchmark); is {
				old.DeepCopyInto(sb)
				return nil
			}
			return c.Get(ctx, key, object, options...)
		},
	})
}

// A benchmark whose cache has not heard of the last write for half a minute is read from the API server, and a pass is
// made over that.
func TestSilentWatchOfBenchmarks(t *testing.T) {
	s := newStubborn(t, func(map[string]any) error { return nil }, interceptor.Funcs{})
	read := 0
	live := s.Client.(client.WithWatch)
	s.Live = interceptor.NewClient(live, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if _, is := object.(*v1alpha1.StorageBenchmark); is {
				read++
			}
			return c.Get(ctx, key, object, options...)
		},
	})
	s.Client = frozen(t, s)
	name := client.ObjectKeyFromObject(s.sb)
	reconcile := func() ctrl.Result {
		result, err := s.Reconcile(t.Context(), ctrl.Request{NamespacedName: name})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	reconcile()
	if result := reconcile(); result.RequeueAfter != pass.RetrySoon || read > 0 {
		t.Errorf("right after a write it is read %d times, and looked at again after %s", read, result.RequeueAfter)
	}
	for i := range 3 {
		s.clock.Step(pass.CachePatience)
		before := read
		if reconcile(); read == before {
			t.Errorf("after %s it was not read from the API server", time.Duration(i+1)*pass.CachePatience)
		}
	}
}

// An object that the API server has and the cache does not is waited for, for half a minute. Then that is an error,
// which has a deadline.
func TestAwaitCache(t *testing.T) {
	p := failingPass()
	object := &metav1.ObjectMeta{Name: "sb-anchor"}
	sb := &v1alpha1.StorageBenchmark{ObjectMeta: *object}
	if out, err := p.AwaitCache(sb); err != nil || out.After != pass.RetrySoon {
		t.Errorf("%+v, %v", out, err)
	}
	later(p, pass.CachePatience-time.Second)
	if _, err := p.AwaitCache(sb); err != nil {
		t.Error(err)
	}
	later(p, time.Second)
	if _, err := p.AwaitCache(sb); err == nil || !strings.Contains(err.Error(), "has not heard of sb-anchor for 30s") {
		t.Errorf("the error is %v", err)
	}
}
