package fakecluster

import (
	"context"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// changes tells those who wait that something is not as it was.
type changes struct {
	mu   sync.Mutex
	next chan struct{}
}

func newChanges() *changes { return &changes{next: make(chan struct{})} }

// Next returns what is closed by the next change.
func (c *changes) Next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next
}

func (c *changes) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.next)
	c.next = make(chan struct{})
}

// Changed returns what is closed when an object that the cluster plays with changes, of those in the namespace and of their
// volumes. A test that waits for something looks then, and need not ask the API server all the time.
func (c *Cluster) Changed() <-chan struct{} { return c.changes.Next() }

// Heard reads what the cluster has heard of the objects that it plays with. It may be old: news of what is newer come with a change.
func (c *Cluster) Heard() client.Reader { return c.cache }

// watch has all changes told of.
func (c *Cluster) watch(ctx context.Context) error {
	for _, object := range []client.Object{
		&v1alpha1.StorageBenchmark{}, &batchv1.Job{}, &corev1.Pod{}, &corev1.ConfigMap{}, &corev1.PersistentVolumeClaim{}, &corev1.PersistentVolume{},
	} {
		informer, err := c.cache.GetInformer(ctx, object)
		if err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc:    c.note,
			UpdateFunc: func(_, object any) { c.note(object) },
			DeleteFunc: c.note,
		}); err != nil {
			return err
		}
	}
	return nil
}

// note tells of an object that has changed, unless it is a volume of another namespace.
func (c *Cluster) note(object any) {
	if volume, ok := object.(*corev1.PersistentVolume); ok {
		if claim := volume.Spec.ClaimRef; claim == nil || claim.Namespace != c.namespace {
			return
		}
	}
	c.changes.tell()
}
