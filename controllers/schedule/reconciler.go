// Package schedule makes StorageBenchmarks as StorageBenchmarkSchedules say, keeps what they measured, and deletes
// those that are more than the limits let be. When a start is due, and what is deleted, package internal/schedule
// decides.
package schedule

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/crd"
	"github.com/storagebench/storagebench/controllers/failing"
)

// +kubebuilder:rbac:groups=storagebench.dev,resources=storagebenchmarkschedules,verbs=get;list;watch
// +kubebuilder:rbac:groups=storagebench.dev,resources=storagebenchmarkschedules/status,verbs=patch
// +kubebuilder:rbac:groups=storagebench.dev,resources=storagebenchmarks,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;create;patch
// +kubebuilder:rbac:groups=storage.k8s.io,resources=csidrivers;storageclasses,verbs=get

// Index lets StorageBenchmarks be found by their schedule. It is to be called before the manager starts.
func Index(ctx context.Context, mgr ctrl.Manager) error {
	return mgr.GetFieldIndexer().IndexField(ctx, &v1alpha1.StorageBenchmark{}, bySchedule, scheduleOf)
}

// SetupWithManager has the manager call Reconcile for each change of a schedule by its user, and when one of its
// StorageBenchmarks comes, ends or goes.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.Client = crd.RefuseUnknown(r.Client)
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.StorageBenchmarkSchedule{}, builder.WithPredicates(byUsers)).
		Owns(&v1alpha1.StorageBenchmark{}, builder.WithPredicates(endings)).
		WatchesRawSource(source.Func(r.turns.Begin)).
		WithOptions(r.options()).
		Complete(r)
}

// options returns how passes follow each other.
func (r *Reconciler) options() controller.Options {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](retrySoon, failedAgain)
	return controller.Options{
		MaxConcurrentReconciles: concurrentSchedules,
		ReconciliationTimeout:   wholePatience,
		RateLimiter:             retries{limiter, r.memories.restOf},
	}
}

// turnLimit returns how many passes may go on over schedules of one namespace. An operator that is confined to one has
// all for it.
func (r *Reconciler) turnLimit() int {
	if len(r.Namespaces) == 1 {
		return concurrentSchedules
	}
	return passesOfANamespace
}

// byUsers leaves out changes of the status alone of a schedule, which the operator makes. If each of them began a pass,
// and each pass met an error of another text, they would follow each other without end.
var byUsers predicate.Predicate = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, was := e.ObjectOld.(*v1alpha1.StorageBenchmarkSchedule)
		after, is := e.ObjectNew.(*v1alpha1.StorageBenchmarkSchedule)
		return !was || !is || before.UID != after.UID || before.Generation != after.Generation ||
			!maps.Equal(before.Annotations, after.Annotations) ||
			equality.Semantic.DeepEqual(before.Status, after.Status)
	},
}

// endings leaves out what changes of a StorageBenchmark while it measures.
var endings predicate.Predicate = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, was := e.ObjectOld.(*v1alpha1.StorageBenchmark)
		after, is := e.ObjectNew.(*v1alpha1.StorageBenchmark)
		return !was || !is || stateOf(before) != stateOf(after) ||
			before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero()
	},
}

// Reconcile makes one pass over a schedule, when it is its namespace's turn.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	defer r.turns.CallNext(request.NamespacedName, r.turnLimit())
	if !r.turns.Take(request.NamespacedName, r.turnLimit()) {
		return ctrl.Result{}, nil // it is called
	}
	defer r.turns.GiveBack(request.Namespace)
	schedule, err := r.read(ctx, request.NamespacedName)
	if schedule == nil || err != nil {
		return ctrl.Result{}, err
	}
	if !schedule.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // what it owns goes with it
	}
	p := &pass{
		Reconciler: r, schedule: schedule, before: schedule.DeepCopy(),
		now: r.Clock.Now(), memory: r.memories.of(schedule),
	}
	began := time.Now() // what it costs the machine, whatever the clock says
	after, err := runPass(ctx, p)
	if errors.Is(err, errOutdated) {
		return ctrl.Result{RequeueAfter: retrySoon}, nil
	}
	noteEnd(p, time.Since(began), err)
	return ctrl.Result{RequeueAfter: after}, err
}

// read returns a schedule, none if it is gone. The cache lacks the template of a large schedule.
func (r *Reconciler) read(ctx context.Context, name types.NamespacedName) (*v1alpha1.StorageBenchmarkSchedule, error) {
	schedule := &v1alpha1.StorageBenchmarkSchedule{}
	err := r.Client.Get(ctx, name, schedule)
	if err == nil && len(schedule.Spec.Template.Spec.Targets) == 0 {
		schedule = &v1alpha1.StorageBenchmarkSchedule{}
		err = r.Live.Get(ctx, name, schedule)
	}
	switch {
	case apierrors.IsNotFound(err):
		r.memories.forget(name)
		r.Failing.Succeeded(failing.Schedule, name)
		r.Results.ForgetSchedule(name)
		return nil, nil //nolint:nilnil // It is gone.
	case err != nil:
		return nil, fmt.Errorf("get StorageBenchmarkSchedule: %w", err)
	}
	return schedule, nil
}
