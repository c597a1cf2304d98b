package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/ours"
)

// LeakSweeper removes, when the operator starts and every now and then, what was made for benchmarks that are gone: a finalizer
// that was removed by hand, as whoever may update a benchmark can, leaves objects that nobody else would remove, of which
// volumes cost money. Package ours decides what they were made for.
type LeakSweeper struct {
	// Client deletes.
	Client client.Client
	// Live reads from the API server: what was made by an operator before this one is in no cache yet.
	Live client.Reader
	// Clock tells when to look again.
	Clock clock.Clock
	// Metrics count what was removed.
	Metrics *Metrics
	// Namespaces are those that the operator is confined to. None: it works in the whole cluster.
	Namespaces []string
	// Excluded are namespaces that are another operator's.
	Excluded []string
}

const (
	// leakRetry is how long after an error it is tried again.
	leakRetry = 10 * time.Second
	// leakInterval is how long after all leaks were removed it is looked for new ones: five lists by a label.
	leakInterval = 10 * time.Minute
)

// Start implements manager.Runnable. It returns when the context ends.
func (l *LeakSweeper) Start(ctx context.Context) error {
	for {
		again := leakInterval
		if err := l.Sweep(ctx); err != nil {
			again = leakRetry
			ctrl.LoggerFrom(ctx).Info("Leaked objects could not be removed, which is tried again", "why", err.Error())
		}
		select {
		case <-ctx.Done():
			return nil
		case <-l.Clock.After(again):
		}
	}
}

// Sweep removes the leaks that there are, those that can be removed also if others cannot.
func (l *LeakSweeper) Sweep(ctx context.Context) error {
	objects, err := l.objects(ctx)
	// Benchmarks are listed last: one that an object was made for was there when that was listed, or before. And they are
	// listed, because an API server that has just begun finds none of a kind that it does not know yet, but cannot list them.
	there := sets.New[types.UID]()
	for _, namespace := range l.reach() {
		var benchmarks v1alpha1.StorageBenchmarkList
		if err := l.Live.List(ctx, &benchmarks, client.InNamespace(namespace)); err != nil {
			return fmt.Errorf("list StorageBenchmarks: %w", err)
		}
		for i := range benchmarks.Items {
			there.Insert(benchmarks.Items[i].UID)
		}
	}
	errs := []error{err}
	for _, object := range objects {
		if of := ours.Benchmark(object); of != nil && !there.Has(of.UID) && object.GetDeletionTimestamp().IsZero() && !slices.Contains(l.Excluded, of.Namespace) {
			errs = append(errs, l.remove(ctx, object, of))
		}
	}
	return errors.Join(errs...)
}

// reach returns the namespaces to look at: those that the operator is confined to, or all at once.
func (l *LeakSweeper) reach() []string {
	if len(l.Namespaces) > 0 {
		return l.Namespaces
	}
	return []string{metav1.NamespaceAll}
}

// objects returns what has the operator's label, of all kinds that can be listed.
func (l *LeakSweeper) objects(ctx context.Context) ([]client.Object, error) {
	var objects []client.Object
	var errs []error
	list := func(list client.ObjectList, namespace string) {
		mine := client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}
		if err := l.Live.List(ctx, list, mine, client.InNamespace(namespace)); err != nil {
			errs = append(errs, fmt.Errorf("list %T: %w", list, err))
			return
		}
		errs = append(errs, meta.EachListItem(list, func(item runtime.Object) error {
			object, ok := item.(client.Object)
			if !ok {
				return fmt.Errorf("%T has no metadata", item)
			}
			objects = append(objects, object)
			return nil
		}))
	}
	for _, namespace := range l.reach() {
		list(&batchv1.JobList{}, namespace)
		list(&corev1.PodList{}, namespace)
		list(&corev1.PersistentVolumeClaimList{}, namespace)
	}
	if len(l.Namespaces) == 0 { // one that is confined makes nothing that has no namespace, nor may it look
		list(&corev1.PersistentVolumeList{}, metav1.NamespaceAll)
		list(&storagev1.StorageClassList{}, metav1.NamespaceAll)
	}
	return objects, errors.Join(errs...)
}

// remove deletes an object whose benchmark is gone.
func (l *LeakSweeper) remove(ctx context.Context, object client.Object, of *v1alpha1.StorageBenchmark) error {
	kind := fmt.Sprintf("%T", object)
	if gvk, err := l.Client.GroupVersionKindFor(object); err == nil {
		kind = gvk.Kind
	}
	err := l.Client.Delete(ctx, object, client.Preconditions{UID: new(object.GetUID())}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil {
		return unlessGone(err, "delete leaked "+kind+" "+object.GetName())
	}
	l.Metrics.leaks.WithLabelValues(kind).Inc()
	ctrl.LoggerFrom(ctx).Info("Removed a leaked object: its StorageBenchmark is gone", "kind", kind, "name", object.GetName(),
		"namespace", object.GetNamespace(), "benchmark", of.Name, "uid", of.UID)
	return nil
}
