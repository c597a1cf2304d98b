package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// LeakSweeper removes, when the operator starts, what was made for benchmarks that are gone: a finalizer that was removed by
// hand leaves objects that nobody else would remove, of which volumes cost money. An object is known by the operator's
// labels together with the UID of its benchmark; all others are not touched.
type LeakSweeper struct {
	// Client deletes.
	Client client.Client
	// Live reads from the API server: what was made by an operator before this one is in no cache yet.
	Live client.Reader
	// Metrics count what was removed.
	Metrics *Metrics
}

// leakRetry is how long after an error it is tried again.
const leakRetry = 10 * time.Second

// Start implements manager.Runnable. It returns when all leaks that there are have been removed.
func (l *LeakSweeper) Start(ctx context.Context) error {
	for {
		err := l.Sweep(ctx)
		if err == nil {
			return nil
		}
		ctrl.LoggerFrom(ctx).Info("Leaked objects could not be removed, which is tried again", "why", err.Error())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(leakRetry):
		}
	}
}

// Sweep removes the leaks that there are, those that can be removed also if others cannot.
func (l *LeakSweeper) Sweep(ctx context.Context) error {
	known := map[owner]bool{}
	var errs []error
	for _, list := range []client.ObjectList{
		&batchv1.JobList{}, &corev1.PodList{}, &corev1.PersistentVolumeClaimList{}, &corev1.PersistentVolumeList{}, &storagev1.StorageClassList{},
	} {
		if err := l.Live.List(ctx, list, client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}); err != nil {
			errs = append(errs, fmt.Errorf("list %T: %w", list, err))
			continue
		}
		errs = append(errs, meta.EachListItem(list, func(item runtime.Object) error {
			object, ok := item.(client.Object)
			if !ok {
				return fmt.Errorf("%T has no metadata", item)
			}
			return l.removeIfLeaked(ctx, object, known)
		}))
	}
	return errors.Join(errs...)
}

// owner is a benchmark that an object was made for.
type owner struct {
	name types.NamespacedName
	uid  types.UID
}

// removeIfLeaked deletes an object whose benchmark is gone.
func (l *LeakSweeper) removeIfLeaked(ctx context.Context, object client.Object, known map[owner]bool) error {
	of, found := ownerOf(object)
	if !found || !object.GetDeletionTimestamp().IsZero() {
		return nil
	}
	exists, asked := known[of]
	if !asked {
		var err error
		if exists, err = l.exists(ctx, of); err != nil {
			return err
		}
		known[of] = exists
	}
	if exists {
		return nil
	}
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
		"namespace", object.GetNamespace(), "benchmark", of.name.String(), "uid", of.uid)
	return nil
}

// exists says whether a benchmark exists. One of the same name that was created later is another.
func (l *LeakSweeper) exists(ctx context.Context, of owner) (bool, error) {
	var sb v1alpha1.StorageBenchmark
	err := l.Live.Get(ctx, of.name, &sb)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("get StorageBenchmark %s: %w", of.name, err)
	}
	return sb.UID == of.uid, nil
}

// ownerOf returns the benchmark that an object was made for: its controller or, of an object without a namespace, the one
// that its labels name. Somebody's object that has some of the labels has none.
func ownerOf(object client.Object) (owner, bool) {
	labels := object.GetLabels()
	of := owner{name: types.NamespacedName{Namespace: object.GetNamespace(), Name: labels[v1alpha1.LabelBenchmark]}}
	if object.GetNamespace() == "" {
		of.name.Namespace, of.uid = labels[v1alpha1.LabelNamespace], types.UID(labels[v1alpha1.LabelUID])
		return of, of.name.Name != "" && of.name.Namespace != "" && of.uid != ""
	}
	controller := metav1.GetControllerOf(object)
	if controller == nil || controller.Kind != "StorageBenchmark" || controller.APIVersion != v1alpha1.GroupVersion.String() {
		return of, false
	}
	of.name.Name, of.uid = controller.Name, controller.UID
	return of, true
}
