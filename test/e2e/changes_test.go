//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// lookAnyway is the interval at which tests read a benchmark without an event of the watch, as while the control plane is away.
const lookAnyway = 2 * time.Second

// changes wake who waits for a benchmark to change. All tests together watch the metadata of all benchmarks, once: what the benchmarks take from the API
// server is then as much as happens to them, and not five whole statuses a second for each test that waits.
type changes struct {
	mu sync.Mutex
	of map[types.NamespacedName]chan struct{}
}

// benchmarkChanges are those of the cluster's benchmarks.
var benchmarkChanges = changes{of: map[types.NamespacedName]chan struct{}{}}

// next returns what is closed by the next change of the object.
func (c *changes) next(key types.NamespacedName) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[key] == nil {
		c.of[key] = make(chan struct{})
	}
	return c.of[key]
}

// tell wakes who waits for the object.
func (c *changes) tell(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if changed := c.of[key]; changed != nil {
		close(changed)
		delete(c.of, key)
	}
}

// watch has the changes of all benchmarks told until the context ends.
func (c *changes) watch(ctx context.Context, config *rest.Config) error {
	config = rest.CopyConfig(config)
	config.Timeout = 0 // a watch is a call that lasts
	watched, err := cache.New(config, cache.Options{})
	if err != nil {
		return err
	}
	kind := &metav1.PartialObjectMetadata{}
	kind.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
	go func() { _ = watched.Start(ctx) }() // without it benchmarks are looked at from time to time
	informer, err := watched.GetInformer(ctx, kind)
	if err != nil {
		return fmt.Errorf("watch benchmarks: %w", err)
	}
	tell := func(object any) {
		if object, ok := object.(client.Object); ok {
			c.tell(client.ObjectKeyFromObject(object))
		}
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: tell, DeleteFunc: tell, UpdateFunc: func(_, object any) { tell(object) },
	})
	return err
}
