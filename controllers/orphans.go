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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/owned"
)

// OrphanCollector removes what was made for benchmarks that are gone, when the operator starts and every
// orphanInterval. Any user who may update a benchmark can remove its finalizer, which leaves such objects behind.
// Nobody else would remove them, and volumes cost money. Package ours decides what they were made for.
type OrphanCollector struct {
	// Client deletes, and has a cache of the benchmarks that are there.
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
	// orphanRetry is how long after an error it is tried again.
	orphanRetry = 10 * time.Second
	// orphanInterval is how long after all orphans were removed it is looked for new ones: five lists by a label.
	orphanInterval = 10 * time.Minute
)

// Start implements manager.Runnable. It returns when the context ends.
func (l *OrphanCollector) Start(ctx context.Context) error {
	for {
		again := orphanInterval
		if err := l.Sweep(ctx); err != nil {
			again = orphanRetry
			ctrl.LoggerFrom(ctx).Info("Orphaned objects could not be removed; will try again", "why", err.Error())
		}
		select {
		case <-ctx.Done():
			return nil
		case <-l.Clock.After(again):
		}
	}
}

// orphan is an object that was made for a benchmark, which may be gone. It has only the parts of the object that a
// deletion needs.
type orphan struct {
	object client.Object
	of     *v1alpha1.StorageBenchmark
}

// Sweep removes the orphans that there are, those that can be removed also if others cannot.
func (l *OrphanCollector) Sweep(ctx context.Context) error {
	made, err := l.made(ctx)
	if len(made) == 0 {
		return err
	}
	// Benchmarks are listed last: one that an object was made for was there when that was listed, or before. And they are
	// listed, because an API server that has just begun finds none of a kind that it does not know yet, but cannot list
	// them.
	there := sets.New[types.UID]()
	for _, namespace := range l.reach() {
		note := func(meta *metav1.ObjectMeta) error {
			there.Insert(meta.UID)
			return nil
		}
		benchmarks := v1alpha1.GroupVersion.WithKind("StorageBenchmarkList")
		if err := l.each(ctx, benchmarks, note, client.InNamespace(namespace)); err != nil {
			return err
		}
	}
	errs := []error{err}
	for _, found := range made {
		if !there.Has(found.of.UID) {
			errs = append(errs, l.remove(ctx, found.object, found.of))
		}
	}
	return errors.Join(errs...)
}

// isKnown reports whether the cache has a benchmark, or another operator may have it. Then its objects are no orphans.
// Where all benchmarks are known, none have to be listed: there may be thousands.
func (l *OrphanCollector) isKnown(ctx context.Context, of *v1alpha1.StorageBenchmark) bool {
	if slices.Contains(l.Excluded, of.Namespace) {
		return true
	}
	var there v1alpha1.StorageBenchmark
	err := l.Client.Get(ctx, client.ObjectKeyFromObject(of), &there)
	return err == nil && there.UID == of.UID
}

// reach returns the namespaces to look at: those that the operator is confined to, or all at once.
func (l *OrphanCollector) reach() []string {
	if len(l.Namespaces) > 0 {
		return l.Namespaces
	}
	return []string{metav1.NamespaceAll}
}

// collected makes an object of a kind that can be left behind.
type collected func(metav1.ObjectMeta) client.Object

var (
	collectedInNamespaces = map[schema.GroupVersionKind]collected{
		batchv1.SchemeGroupVersion.WithKind("JobList"): func(m metav1.ObjectMeta) client.Object {
			return &batchv1.Job{ObjectMeta: m}
		},
		corev1.SchemeGroupVersion.WithKind("PodList"): func(m metav1.ObjectMeta) client.Object {
			return &corev1.Pod{ObjectMeta: m}
		},
		corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaimList"): func(m metav1.ObjectMeta) client.Object {
			return &corev1.PersistentVolumeClaim{ObjectMeta: m}
		},
	}
	collectedInCluster = map[schema.GroupVersionKind]collected{
		corev1.SchemeGroupVersion.WithKind("PersistentVolumeList"): func(m metav1.ObjectMeta) client.Object {
			return &corev1.PersistentVolume{ObjectMeta: m}
		},
		storagev1.SchemeGroupVersion.WithKind("StorageClassList"): func(m metav1.ObjectMeta) client.Object {
			return &storagev1.StorageClass{ObjectMeta: m}
		},
	}
)

// maxOrphans is how many orphans a sweep removes at most. More than that are removed by the next sweeps.
const maxOrphans = 1000

// errMoreOrphans has the next sweep follow soon.
var errMoreOrphans = fmt.Errorf("there are more than %d orphaned objects", maxOrphans)

// made returns what was made for benchmarks that are not known, of all kinds that can be listed, and is not being
// deleted.
func (l *OrphanCollector) made(ctx context.Context) ([]orphan, error) {
	var made []orphan
	var errs []error
	list := func(kinds map[schema.GroupVersionKind]collected, namespace string) {
		for kind, object := range kinds {
			errs = append(errs, l.each(ctx, kind, func(meta *metav1.ObjectMeta) error {
				of := owned.Benchmark(object(*meta))
				switch {
				case of == nil || !meta.DeletionTimestamp.IsZero() || l.isKnown(ctx, of):
					return nil
				case len(made) == maxOrphans:
					return errMoreOrphans
				}
				identity := metav1.ObjectMeta{Namespace: meta.Namespace, Name: meta.Name, UID: meta.UID}
				made = append(made, orphan{object(identity), of})
				return nil
			}, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}))
		}
	}
	for _, namespace := range l.reach() {
		list(collectedInNamespaces, namespace)
	}
	if len(l.Namespaces) == 0 { // a namespaced one makes nothing that has no namespace, nor may it look
		list(collectedInCluster, metav1.NamespaceAll)
	}
	return made, errors.Join(errs...)
}

// each looks at the metadata of all objects of a kind.
func (l *OrphanCollector) each(
	ctx context.Context, kind schema.GroupVersionKind, look func(*metav1.ObjectMeta) error, options ...client.ListOption,
) error {
	typeMeta := metav1.TypeMeta{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind}
	empty := func() client.ObjectList { return &metav1.PartialObjectMetadataList{TypeMeta: typeMeta} }
	err := world.EachLive(ctx, l.Live, world.Forever, empty, func(object *metav1.PartialObjectMetadata) error {
		object.OwnerReferences = world.ControllersOf(object.OwnerReferences)
		return look(&object.ObjectMeta)
	}, options...)
	if err != nil {
		return fmt.Errorf("list %s: %w", kind.Kind, err)
	}
	return nil
}

// remove deletes an object whose benchmark is gone.
func (l *OrphanCollector) remove(ctx context.Context, object client.Object, of *v1alpha1.StorageBenchmark) error {
	gvk, err := l.Client.GroupVersionKindFor(object)
	if err != nil {
		return fmt.Errorf("a kind that is not known: %w", err)
	}
	kind := gvk.Kind
	sameObject := client.Preconditions{UID: new(object.GetUID())}
	err = l.Client.Delete(ctx, object, sameObject, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil {
		return world.UnlessGone(err, "delete orphaned "+kind+" "+object.GetName())
	}
	l.Metrics.orphans.WithLabelValues(kind).Inc()
	ctrl.LoggerFrom(ctx).Info("Removed an orphaned object: its StorageBenchmark is gone",
		"kind", kind, "name", object.GetName(), "namespace", object.GetNamespace(),
		"benchmark", of.Name, "uid", of.UID)
	return nil
}
