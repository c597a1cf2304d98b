// Package controllers drives StorageBenchmarks: a pass over a benchmark is a scope, which holds all that was
// read, and an ordered list of phases, each in a file of its own.
package controllers

import (
	"context"
	"fmt"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/crd"
	"github.com/storagebench/storagebench/controllers/failing"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
	"github.com/storagebench/storagebench/controllers/turns"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/job"
)

// +kubebuilder:rbac:groups=storagebench.dev,resources=storagebenchmarks,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=storagebench.dev,resources=storagebenchmarks/status,verbs=patch
// +kubebuilder:rbac:groups=storagebench.dev,resources=storagebenchmarks/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=persistentvolumes,verbs=get;list;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods/log,verbs=get
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get
// +kubebuilder:rbac:groups="",resources=events,verbs=list
// Each event is about another version of a benchmark, so that none repeats one that would have to be patched.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=storage.k8s.io,resources=storageclasses,verbs=list;create;patch;delete
// +kubebuilder:rbac:groups=storage.k8s.io,resources=csidrivers;volumeattributesclasses,verbs=get
// +kubebuilder:rbac:groups=storage.k8s.io,resources=csinodes,verbs=get;list

// Reconciler drives StorageBenchmarks from their spec to their results.
type Reconciler struct {
	// Client reads benchmarks and their children from a cache, and writes.
	Client client.Client
	// Live reads from the API server what is not cached, or must not be stale.
	Live client.Reader
	// Caches are those that Client reads from. nil: they have no budget.
	Caches *Caches
	// merging is held while the series of several clients are merged.
	merging sync.Mutex

	// Logs reads the logs of pods.
	Logs LogReader
	// Events tells users what happened.
	Events events.EventRecorder
	// Metrics count what happened.
	Metrics *Metrics
	// Failing is a metric of the benchmarks that cannot be written. nil: there is none.
	Failing *failing.Objects
	// Results serve what benchmarks have measured that ask for it.
	Results *resultmetrics.Store
	// Clock is the time.
	Clock clock.Clock
	// Image is the runner's.
	Image job.Image
	// EBSMetricsURL is where pods of benchmarks ask what EBS itself says of their volumes: metrics of the node's part of aws-ebs-csi-driver. "": they do
	// not ask.
	EBSMetricsURL string
	// Namespaces are those that the operator is confined to, where it has Roles and no rights elsewhere. None: it works in the
	// whole cluster.
	Namespaces []string

	// memories is what is remembered of benchmarks from pass to pass.
	memories memories
	// turns bounds how many passes go on over benchmarks of one namespace.
	turns turns.Turns
	// plans has plans of benchmarks that are under way.
	plans planCache
}

const (
	// concurrentBenchmarks is how many passes go on at the same time, so that a benchmark whose calls take long, such
	// as for the log of a slow node, does not hold up others.
	concurrentBenchmarks = 4
	// passesOfANamespace is how many of them may be over benchmarks of one namespace.
	passesOfANamespace = concurrentBenchmarks / 2
)

// turnLimit returns how many passes may go on over benchmarks of one namespace. An operator that is confined to one
// has all for it.
func (r *Reconciler) turnLimit() int {
	if len(r.Namespaces) == 1 {
		return concurrentBenchmarks
	}
	return passesOfANamespace
}

// SetupWithManager has the manager call Reconcile for each change of a benchmark or one of its children.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.Client = crd.RefuseUnknown(r.Client)
	r.Caches.tellOf(r.turns.Recall)
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.StorageBenchmark{}).
		Owns(&batchv1.Job{}).
		Owns(&corev1.PersistentVolumeClaim{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(benchmarkOf)).
		WatchesRawSource(source.Func(r.turns.Begin)).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrentBenchmarks, RateLimiter: retryAfterErrors()}).
		Complete(r)
}

// benchmarkOf returns the benchmark that a pod works for. A pod is owned by its Job, not by the benchmark.
func benchmarkOf(_ context.Context, pod client.Object) []reconcile.Request {
	name := pod.GetLabels()[v1alpha1.LabelBenchmark]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: pod.GetNamespace(), Name: name}}}
}

// Reconcile makes one pass over a benchmark.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (_ ctrl.Result, failure error) {
	defer r.turns.CallNext(request.NamespacedName, r.turnLimit())
	defer func() {
		if failure != nil {
			r.Failing.Failed(failing.Benchmark, request.NamespacedName)
		}
	}()
	benchmark := &v1alpha1.StorageBenchmark{}
	if err := r.Client.Get(ctx, request.NamespacedName, benchmark); err != nil {
		r.forget(request.NamespacedName)
		r.Results.ForgetBenchmark(request.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if remaining, settled := isSettled(benchmark, r.Clock.Now()); settled && r.Results.HasBenchmark(benchmark) {
		r.forget(request.NamespacedName)
		return ctrl.Result{RequeueAfter: remaining}, nil
	}
	if !r.turns.Take(request.NamespacedName, r.turnLimit()) {
		return ctrl.Result{}, nil
	}
	defer r.turns.GiveBack(request.Namespace)
	remembered := r.memories.of(request.NamespacedName)
	isStale := remembered.staleVersion == benchmark.ResourceVersion
	if isStale && r.Clock.Since(remembered.staleSince) < cachePatience {
		// The cache has not heard yet of what the last pass wrote.
		return ctrl.Result{RequeueAfter: retrySoon}, nil
	}
	r.Metrics.seen(benchmark, &remembered.lastSeen, r.Clock.Now())
	if isStale || isTrimmed(benchmark) {
		whole := &v1alpha1.StorageBenchmark{}
		if err := r.Live.Get(ctx, request.NamespacedName, whole); err != nil {
			return r.unread(ctx, benchmark, remembered, err)
		}
		benchmark = whole
	}
	r.Metrics.overdue.saw(benchmark, r.Clock.Now())
	heedSecond(ctx, r, benchmark, remembered)
	p := r.newPass(benchmark, remembered)
	p.skipsCache = isStale
	result, err := p.guarded(ctx)
	ended := r.Clock.Now()
	saveErr := p.save(ctx, err)
	switch {
	case isOutdated(saveErr), saveErr == nil && apierrors.IsConflict(err):
		// This pass saw an old version. The newer one is on its way, or the news that the benchmark is gone. It need not be:
		// an API server that has just begun does not find objects of kinds that it does not know yet.
		return ctrl.Result{RequeueAfter: remembered.afterConflict()}, nil
	case saveErr != nil:
		return ctrl.Result{}, saveErr
	case err != nil:
		return ctrl.Result{}, err
	}
	r.noteSaved(p, ended)
	return p.within(result), nil
}

// heedSecond counts the writes of another operator. That one may have made the Jobs of attempts that this one has begun.
func heedSecond(ctx context.Context, r *Reconciler, sb *v1alpha1.StorageBenchmark, remembered *memory) {
	if remembered.writes.noticeSecond(ctx, r.Events, sb) {
		r.Metrics.foreignWrites.Inc()
		remembered.ownAttempt = attempt.OwnAttempt{}
	}
}

// unread ends a call over a benchmark that the cache has in part only, and that the API server does not return.
func (r *Reconciler) unread(ctx context.Context, cached *v1alpha1.StorageBenchmark, remembered *memory, err error) (ctrl.Result, error) {
	if apierrors.IsNotFound(err) {
		// It need not be gone: an API server that has just begun does not find objects of kinds that it does not know yet.
		return ctrl.Result{RequeueAfter: remembered.afterConflict()}, nil
	}
	return ctrl.Result{}, r.newPass(cached, remembered).saveUnread(ctx, fmt.Errorf("get benchmark: %w", err))
}

// within has the next pass over a benchmark that is under way come within cachePatience, unless it has to rest.
func (p *pass) within(result ctrl.Result) ctrl.Result {
	isUnderWay := p.sb.Status.StartTime != nil && !p.sb.Status.HasEnded() && !ptr.Deref(p.sb.Spec.Suspend, false)
	if p.rests || !isUnderWay || result.RequeueAfter > 0 && result.RequeueAfter < cachePatience {
		return result
	}
	return ctrl.Result{RequeueAfter: cachePatience}
}

// noteSaved notes that all is saved that a pass has found out, which ended at a time.
func (r *Reconciler) noteSaved(p *pass, ended time.Time) {
	r.Results.SetBenchmark(p.sb)
	if !p.unheard {
		p.memory.unheardSince = time.Time{}
	}
	r.Failing.Succeeded(failing.Benchmark, client.ObjectKeyFromObject(p.sb))
	p.memory.succeeded(p.awaitsEnd, ended)
}

// forget drops what is kept of a benchmark that is gone, or of which nothing is known for the moment.
func (r *Reconciler) forget(name types.NamespacedName) {
	r.Metrics.overdue.forget(name)
	r.Failing.Succeeded(failing.Benchmark, name)
	r.memories.forget(name)
	r.plans.forget(name)
}
