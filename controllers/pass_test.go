package controllers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// passOver begins a pass over a benchmark, of which no earlier one has left anything. A clock that is not given stands
// still.
func passOver(r *Reconciler, sb *v1alpha1.StorageBenchmark) *pass.Pass {
	if r.Clock == nil {
		r.Clock = fakecluster.NewClock()
	}
	return r.newPass(sb, &pass.Memory{})
}

// failingPass begins a pass at noon, over a benchmark whose errors may go on for a minute, by an operator without a
// cluster.
func failingPass() *pass.Pass {
	p := passOver(&Reconciler{}, builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{PodStartSeconds: new(int32(60))}).Build())
	p.Now = metav1.NewTime(noon)
	return p
}

// scopeOf returns what a pass at noon knows when it has read a benchmark, and nothing else.
func writerOf(sb *v1alpha1.StorageBenchmark) *pass.Pass {
	remembered := &pass.Memory{}
	return &pass.Pass{Now: metav1.NewTime(noon), Memory: remembered, Plans: &pass.PlanCache{}, SB: sb, Before: sb.DeepCopy(), Children: children.Of(sb, remembered.IsUnmade)}
}

// atStepSince has a benchmark be at a step since a time.
func atStepSince(sb *v1alpha1.StorageBenchmark, step string, since *metav1.Time) {
	sb.Status.StepStartTime = since
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: step}}
}

// runsOf returns runs of target fast in the states.
func runsOf(states ...v1alpha1.RunState) []v1alpha1.Run {
	runs := make([]v1alpha1.Run, len(states))
	for i, state := range states {
		runs[i] = v1alpha1.Run{Name: string(rune('a' + i)), Target: "fast", State: state}
	}
	return runs
}

// at returns a time after noon.
func at(after time.Duration) *metav1.Time { return new(metav1.NewTime(noon.Add(after))) }

// later has the next pass made after a time.
func later(s *pass.Pass, after time.Duration) { s.Now = metav1.NewTime(s.Now.Add(after)) }

// Whoever looks whether something is gone rests in proportion to what the look took, and misses no deadline for that.
func TestPassRestsAfterASlowLook(t *testing.T) {
	one := []cleanup.Leftover{{What: "pod"}}
	for _, test := range []struct {
		name            string
		out             pass.Outcome
		took, wantAfter time.Duration
	}{
		{"a quick look", pass.AwaitGone(one, time.Hour), time.Millisecond, pass.PollFor(one)},
		{"a slow look", pass.AwaitGone(one, time.Hour), time.Second, pass.RestFactor * time.Second},
		{"a very slow look", pass.AwaitGone(one, time.Hour), time.Minute, pass.MaxRest},
		{"a slow look before a deadline", pass.AwaitGone(one, 7*time.Second), time.Second, 7 * time.Second},
		{"a look just before a deadline", pass.AwaitGone(one, time.Nanosecond), time.Second, time.Millisecond},
		{"a slow look at storage that is refused", pass.AwaitFor(2 * time.Second).Resting(time.Hour), time.Second, pass.RestFactor * time.Second},
		{"many are left", pass.AwaitGone(make([]cleanup.Leftover, 400), time.Hour), 0, pass.PollFor(make([]cleanup.Leftover, 400))},
		{"another wait", pass.AwaitFor(time.Second), time.Minute, time.Second},
		{"a wait for a change", pass.AwaitChange(), time.Minute, 0},
	} {
		if got := test.out.Next(test.took); got != test.wantAfter {
			t.Errorf("%s is followed by the next pass after %s, want %s", test.name, got, test.wantAfter)
		}
	}
}

// One thing that is left is looked for several times a second, many seldom: the more there are, the more calls a look
// takes.
func TestPollFor(t *testing.T) {
	if one, many := pass.PollFor(make([]cleanup.Leftover, 1)), pass.PollFor(make([]cleanup.Leftover, 400)); one > 300*time.Millisecond || many < 2*time.Second {
		t.Errorf("one is looked for every %s, 400 every %s", one, many)
	}
}

// Clean-up whose lists take long is not made again at once.
func TestCleanUpRestsAfterASlowLook(t *testing.T) {
	clock := clocktesting.NewFakeClock(noon)
	sb := builder.OneRun("default", "sb").Build()
	sb.UID, sb.Finalizers = "u", []string{v1alpha1.Finalizer}
	sb.DeletionTimestamp = &metav1.Time{Time: noon}
	sb.Spec.Deadlines.CleanUpSeconds = new(int32(300))
	anchor := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: sb.Namespace, Name: childmeta.AnchorName(sb, 0, 1), UID: "pod", Finalizers: []string{"tenant.example/keep"}, DeletionTimestamp: &metav1.Time{Time: noon},
		Labels:          childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleAnchor, v1alpha1.LabelAttempt, "1", v1alpha1.LabelClient, "0"),
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(sb, v1alpha1.GroupVersion.WithKind("StorageBenchmark"))},
	}}
	cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(anchor).Build()
	live := interceptor.NewClient(cluster, interceptor.Funcs{
		List: func(ctx context.Context, way client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			clock.Step(100 * time.Millisecond)
			return way.List(ctx, list, options...)
		},
	})
	r := &Reconciler{Client: cluster, Live: live, Clock: clock}
	result, err := guarded(t.Context(), r.newPass(sb.DeepCopy(), &pass.Memory{}))
	took := clock.Since(noon)
	if err != nil || took < 100*time.Millisecond || result.RequeueAfter != pass.RestFactor*took {
		t.Errorf("a pass that took %s is followed by the next after %s: %v", took, result.RequeueAfter, err)
	}
}

// A pass ends, whatever does not answer.
func TestPassHasADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
			List: func(ctx context.Context, _ client.WithWatch, _ client.ObjectList, _ ...client.ListOption) error {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(24 * time.Hour):
					return nil
				}
			},
		})
		sb := builder.OneRun("default", "sb").Build()
		sb.Finalizers = []string{v1alpha1.Finalizer}
		began := time.Now()
		_, err := guarded(t.Context(), (&Reconciler{Client: silent, Live: silent, Clock: clock.RealClock{}}).newPass(sb, &pass.Memory{}))
		if took := time.Since(began); took != passPatience || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the longest that one may take") {
			t.Errorf("after %s: %v", took, err)
		}
	})
}
