// Package controllers drives StorageBenchmarks: Reconcile makes a pass over a benchmark, which is an ordered list of
// phases (phases.go). The phases are in packages prepare, measure and clean, which do not import each other. Below them
// are workers and pvc, then pass (data, no API) and world (the API, no status).
package controllers

import (
	"context"
	"fmt"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
	"github.com/storagebench/storagebench/controllers/turns"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/children"
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
	Caches *world.Caches
	// merging is held while the series of several clients are merged.
	merging sync.Mutex

	// Logs reads the logs of pods.
	Logs world.LogReader
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
	// EBSMetricsURL is where pods of benchmarks ask what EBS itself says of their volumes: metrics of the node's part of
	// aws-ebs-csi-driver. "": they do not ask.
	EBSMetricsURL string
	// Namespaces are those that the operator is confined to, where it has Roles and no rights elsewhere. None: it works in
	// the whole cluster.
	Namespaces []string

	// memories is what is remembered of benchmarks from pass to pass.
	memories pass.Memories
	// turns bounds how many passes go on over benchmarks of one namespace.
	turns turns.Turns
	// plans has plans of benchmarks that are under way.
	plans pass.PlanCache
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
	r.Caches.TellOf(r.turns.Recall)
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.StorageBenchmark{}).
		Owns(&batchv1.Job{}).
		Owns(&corev1.PersistentVolumeClaim{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(benchmarkOf)).
		WatchesRawSource(source.Func(r.turns.Begin)).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrentBenchmarks, RateLimiter: pass.RetryAfterErrors()}).
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
	remembered := r.memories.Of(request.NamespacedName)
	isStale := remembered.StaleVersion == benchmark.ResourceVersion
	if isStale && r.Clock.Since(remembered.StaleSince) < pass.CachePatience {
		// The cache has not heard yet of what the last pass wrote.
		return ctrl.Result{RequeueAfter: pass.RetrySoon}, nil
	}
	r.Metrics.seen(benchmark, &remembered.LastSeen, r.Clock.Now())
	if isStale || world.IsTrimmed(benchmark) {
		whole := &v1alpha1.StorageBenchmark{}
		if err := r.Live.Get(ctx, request.NamespacedName, whole); err != nil {
			return r.unread(ctx, benchmark, remembered, err)
		}
		benchmark = whole
	}
	r.Metrics.overdue.saw(benchmark, r.plans.NeededSeconds(request.NamespacedName), r.Clock.Now())
	heedSecond(ctx, r, benchmark, remembered)
	p := r.newPass(benchmark, remembered)
	p.SkipsCache = isStale
	result, err := guarded(ctx, p)
	if p.Released != nil {
		r.Metrics.released(p.Before, p.Released)
	}
	ended := r.Clock.Now()
	saveErr := r.save(ctx, p, err)
	switch {
	case isOutdated(saveErr), saveErr == nil && apierrors.IsConflict(err):
		// This pass saw an old version. The newer one is on its way, or the news that the benchmark is gone. It need not be:
		// an API server that has just begun does not find objects of kinds that it does not know yet.
		return ctrl.Result{RequeueAfter: remembered.AfterConflict()}, nil
	case saveErr != nil:
		return ctrl.Result{}, saveErr
	case err != nil:
		return ctrl.Result{}, err
	}
	r.noteSaved(p, ended)
	return within(p, result), nil
}

// heedSecond counts the writes of another operator. That one may have made the Jobs of attempts that this one has
// begun.
func heedSecond(ctx context.Context, r *Reconciler, sb *v1alpha1.StorageBenchmark, remembered *pass.Memory) {
	if remembered.Writes.NoticeSecond(ctx, r.Events, sb) {
		r.Metrics.foreignWrites.Inc()
		remembered.OwnAttempt = attempt.OwnAttempt{}
	}
}

// unread ends a call over a benchmark that the cache has in part only, and that the API server does not return.
func (r *Reconciler) unread(
	ctx context.Context, cached *v1alpha1.StorageBenchmark, remembered *pass.Memory, err error,
) (ctrl.Result, error) {
	if apierrors.IsNotFound(err) {
		// It need not be gone: an API server that has just begun does not find objects of kinds that it does not know yet.
		return ctrl.Result{RequeueAfter: remembered.AfterConflict()}, nil
	}
	return ctrl.Result{}, r.saveUnread(ctx, r.newPass(cached, remembered), fmt.Errorf("get benchmark: %w", err))
}

// within has the next pass over a benchmark that is under way come within cachePatience, unless it has to rest.
func within(p *pass.Pass, result ctrl.Result) ctrl.Result {
	isUnderWay := p.SB.Status.StartTime != nil && !p.SB.Status.HasEnded() && !ptr.Deref(p.SB.Spec.Suspend, false)
	if p.Rests || !isUnderWay || result.RequeueAfter > 0 && result.RequeueAfter < pass.CachePatience {
		return result
	}
	return ctrl.Result{RequeueAfter: pass.CachePatience}
}

// noteSaved notes that all is saved that a pass has found out, which ended at a time.
func (r *Reconciler) noteSaved(p *pass.Pass, ended time.Time) {
	r.Results.SetBenchmark(p.SB)
	if !p.Unheard {
		p.Memory.UnheardSince = time.Time{}
	}
	r.Failing.Succeeded(failing.Benchmark, client.ObjectKeyFromObject(p.SB))
	p.Memory.Succeeded(p.AwaitsEnd, ended)
}

// forget drops what is kept of a benchmark that is gone, or of which nothing is known for the moment.
func (r *Reconciler) forget(name types.NamespacedName) {
	r.Metrics.overdue.forget(name)
	r.Failing.Succeeded(failing.Benchmark, name)
	r.memories.Forget(name)
	r.plans.Forget(name)
}

// newPass begins a pass over a benchmark.
func (r *Reconciler) newPass(sb *v1alpha1.StorageBenchmark, remembered *pass.Memory) *pass.Pass {
	return &pass.Pass{
		World:      r.world(sb.Namespace),
		Now:        metav1.NewTime(r.Clock.Now()),
		Memory:     remembered,
		Plans:      &r.plans,
		Namespaces: r.Namespaces,
		Children:   children.Of(sb, remembered.IsUnmade),
		SB:         sb,
		Before:     sb.DeepCopy(),
	}
}

// world returns what a pass over a benchmark of a namespace acts with.
func (r *Reconciler) world(namespace string) *world.World {
	return &world.World{
		Namespace: namespace, Client: r.Client, Live: r.Live, Caches: r.Caches, Merging: &r.merging,
		Logs: r.Logs, Events: r.Events, Clock: r.Clock,
		Image: r.Image, EBSMetricsURL: r.EBSMetricsURL, Namespaces: r.Namespaces,
	}
}
