package controllers

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// A benchmark that has ended is left alone until its time to live is over. One whose spec was refused, and is another
// one now, begins anew.
func TestExpire(t *testing.T) {
	for _, test := range []struct {
		name    string
		ended   *metav1.Time
		started *metav1.Time
		// seen is the generation that was refused, or measured. The spec is of generation 2.
		seen   int64
		ttl    *int32
		want   pass.Outcome
		anew   bool
		active bool
		// settled says that what the cache has tells as much.
		settled bool
	}{
		{name: "it goes on", seen: 2, want: pass.GoOn(), active: true},
		{name: "no time to live", ended: at(-time.Hour), started: at(-2 * time.Hour), seen: 2, want: pass.AwaitChange(), settled: true},
		{name: "a time to live", ended: at(-time.Minute), started: at(-time.Hour), seen: 2, ttl: new(int32(61)), want: pass.AwaitFor(time.Second), settled: true},
		{name: "refused, and not edited", ended: at(-time.Minute), seen: 2, want: pass.AwaitChange(), settled: true},
		{name: "refused, and edited", ended: at(-time.Minute), seen: 1, ttl: new(int32(0)), want: pass.GoOn(), anew: true},
		{name: "measured, and edited", ended: at(-time.Minute), started: at(-time.Hour), seen: 1, want: pass.AwaitChange()},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := builder.OneRun("default", "sb").Build()
			sb.Generation, sb.Spec.TTLSecondsAfterFinished = 2, test.ttl
			sb.Status = v1alpha1.StorageBenchmarkStatus{ObservedGeneration: test.seen, StartTime: test.started, CompletionTime: test.ended}
			s := writerOf(sb)
			if s.Step(v1alpha1.ReasonMeasuring, ""); !test.active {
				s.SetCondition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, "")
			}
			cached := sb.DeepCopy()
			world.Trim(cached)
			if remaining, settled := isSettled(cached, s.Now.Time); settled != test.settled || settled && remaining != test.want.After {
				t.Errorf("settled: %v for %s, want %v", settled, remaining, test.settled)
			}
			out, err := expire(t.Context(), s)
			if err != nil || out != test.want {
				t.Errorf("it goes on with %+v, want %+v: %v", out, test.want, err)
			}
			if anew := len(sb.Status.Conditions) == 0; anew != test.anew || (!anew && sb.Status.ObservedGeneration != 2) {
				t.Errorf("begins anew: %t, want %t; status is %+v", anew, test.anew, sb.Status)
			}
		})
	}
}

func TestTimeToLiveDecision(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name      string
		ttl       *int32
		ended     *metav1.Time
		remaining time.Duration
		expires   bool
	}{
		{"no time to live", nil, new(metav1.NewTime(now)), 0, false},
		{"not ended", new(int32(5)), nil, 0, false},
		{"just ended", new(int32(5)), new(metav1.NewTime(now)), 5 * time.Second, true},
		{"ended long ago", new(int32(5)), new(metav1.NewTime(now.Add(-time.Hour))), 5*time.Second - time.Hour, true},
		{"zero", new(int32(0)), new(metav1.NewTime(now)), 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := &v1alpha1.StorageBenchmark{}
			sb.Spec.TTLSecondsAfterFinished, sb.Status.CompletionTime = test.ttl, test.ended
			remaining, expires := timeToLive(sb, now)
			if remaining != test.remaining || expires != test.expires {
				t.Errorf("timeToLive is %s, %v; want %s, %v", remaining, expires, test.remaining, test.expires)
			}
		})
	}
}

// A benchmark that has ended rests until something is to be done about it, as far as the cache tells.
func TestRest(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmark)
		after  time.Duration
		rests  bool
	}{
		"it has ended":     {func(*v1alpha1.StorageBenchmark) {}, 0, true},
		"it goes on":       {func(sb *v1alpha1.StorageBenchmark) { sb.Status.Conditions[0].Status = metav1.ConditionUnknown }, 0, false},
		"it is edited":     {func(sb *v1alpha1.StorageBenchmark) { sb.Generation++ }, 0, false},
		"it is deleted":    {func(sb *v1alpha1.StorageBenchmark) { sb.DeletionTimestamp = new(metav1.NewTime(now)) }, 0, false},
		"it expires later": {func(sb *v1alpha1.StorageBenchmark) { sb.Spec.TTLSecondsAfterFinished = new(int32(90)) }, 30 * time.Second, true},
		"it expires":       {func(sb *v1alpha1.StorageBenchmark) { sb.Spec.TTLSecondsAfterFinished = new(int32(60)) }, 0, false},
		"an error is told": {func(sb *v1alpha1.StorageBenchmark) {
			meta.SetStatusCondition(&sb.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionRetrying, Status: metav1.ConditionTrue})
		}, 0, false},
		"kept files, without the finalizer": {func(sb *v1alpha1.StorageBenchmark) {
			sb.Finalizers = nil
			cleanedUp(sb, metav1.ConditionFalse, v1alpha1.ReasonRetained)
		}, 0, false},
		"leftovers, without the finalizer": {func(sb *v1alpha1.StorageBenchmark) {
			sb.Finalizers = nil
			cleanedUp(sb, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind)
		}, 0, false},
		"kept files": {func(sb *v1alpha1.StorageBenchmark) {
			cleanedUp(sb, metav1.ConditionFalse, v1alpha1.ReasonRetained)
		}, 0, true},
		"nothing left, without the finalizer": {func(sb *v1alpha1.StorageBenchmark) {
			sb.Finalizers = nil
			cleanedUp(sb, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft)
		}, 0, true},
		"it has no end date": {func(sb *v1alpha1.StorageBenchmark) { sb.Status.CompletionTime = nil }, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			sb := endedBenchmark(now.Add(-time.Minute))
			test.change(sb)
			if after, rests := isSettled(sb, now); after != test.after || rests != test.rests {
				t.Errorf("rests %t for %s, want %t for %s", rests, after, test.rests, test.after)
			}
		})
	}
}

// cleanedUp sets how clean-up ended.
func cleanedUp(sb *v1alpha1.StorageBenchmark, status metav1.ConditionStatus, reason string) {
	meta.SetStatusCondition(&sb.Status.Conditions,
		metav1.Condition{Type: v1alpha1.ConditionCleanedUp, Status: status, Reason: reason})
}

// endedBenchmark is one that ended at a time, as the cache has it.
func endedBenchmark(at time.Time) *v1alpha1.StorageBenchmark {
	sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "sb", Generation: 2}}
	sb.Finalizers = []string{v1alpha1.Finalizer}
	sb.Status = v1alpha1.StorageBenchmarkStatus{
		ObservedGeneration: 2, StartTime: new(metav1.NewTime(at)), CompletionTime: new(metav1.NewTime(at)),
		Conditions: []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonCompleted}},
	}
	return sb
}

// Whoever changes a benchmark that has ended again and again has nobody read its results, which may be 1 MiB.
func TestEndedBenchmarkIsNotRead(t *testing.T) {
	sb := endedBenchmark(time.Unix(1_700_000_000, 0))
	cached := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(sb).Build()
	read := 0
	live := interceptor.NewClient(cached, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
		read++
		return c.Get(ctx, key, object, options...)
	}})
	r := &Reconciler{Client: cached, Live: live, Clock: clock.RealClock{}, Metrics: NewMetrics(prometheus.NewRegistry())}
	result, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(sb)})
	if err != nil || result.RequeueAfter != 0 || read != 0 {
		t.Errorf("it is read %d times, and again after %s: %v", read, result.RequeueAfter, err)
	}
}
