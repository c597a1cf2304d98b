package schedule

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/harness"
)

// unreachable is a client whose StorageBenchmarks a webhook would have to admit that cannot be reached.
type unreachable struct {
	client.Client
	is    atomic.Bool
	asked atomic.Int32
}

func (c *unreachable) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if err := c.admit(object); err != nil {
		return err
	}
	return c.Client.Create(ctx, object, options...)
}

func (c *unreachable) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	if err := c.admit(object); err != nil {
		return err
	}
	return c.Client.Patch(ctx, object, patch, options...)
}

func (c *unreachable) admit(object client.Object) error {
	if _, asks := object.(*v1alpha1.StorageBenchmark); !asks || !c.is.Load() {
		return nil
	}
	c.asked.Add(1)
	return apierrors.NewInternalError(errors.New(`failed calling webhook "admit.example.com": connection refused`))
}

// startBehindAWebhook starts an operator whose StorageBenchmarks a webhook would have to admit.
func (w *testWorld) startBehindAWebhook() *unreachable {
	w.Helper()
	webhook := &unreachable{}
	w.startOperatorWith(envtest.OperatorConfig(w), func(r *Reconciler) { webhook.Client, r.Client = r.Client, webhook })
	return webhook
}

// A start that fails for another reason than a refusal keeps no point from being kept and nothing from being deleted.
// Users are told when it has gone on.
func TestFailingStart(t *testing.T) {
	w := newWorld(t)
	webhook := w.startBehindAWebhook()
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.SuccessfulBenchmarksHistoryLimit = new(int32(0)) })
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonWaiting)

	webhook.is.Store(true)
	w.pass(s, time.Minute)
	asked := harness.Create(w.World, schedule.Requested(s))
	w.end(asked, metav1.ConditionTrue, 100)
	w.untilPoints(s, 1)
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonWaiting)

	w.pass(s, quietErrors)
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonStartFailed, `failed calling webhook "admit.example.com"`, "tried again")
	w.untilEvent(s, v1alpha1.ReasonStartFailed, "failed calling webhook")

	webhook.is.Store(false)
	w.pass(s, time.Second)
	w.untilGone(asked) // when it is marked
	w.untilThere(1)
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonActive)
}

// counting is a client whose StorageBenchmarks of a schedule are refused for another reason each time.
type counting struct {
	client.Client
	schedule string
	refused  atomic.Int32
}

func (c *counting) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if sb, is := object.(*v1alpha1.StorageBenchmark); is && sb.Labels[v1alpha1.LabelSchedule] == c.schedule {
		why := fmt.Errorf("number %d", c.refused.Add(1))
		return apierrors.NewForbidden(v1alpha1.GroupVersion.WithResource("storagebenchmarks").GroupResource(), sb.Name, why)
	}
	return c.Client.Create(ctx, object, options...)
}

// What the status says of a refusal begins no other try, also where each says something else. Another schedule takes
// its course meanwhile, which takes longer than tries that follow each other.
func TestRefusalsThatDiffer(t *testing.T) {
	w := newWorld(t)
	policy := &counting{schedule: "nightly"}
	w.startOperatorWith(envtest.OperatorConfig(w), func(r *Reconciler) { policy.Client, r.Client = r.Client, policy })
	s := w.create()
	other := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) { s.Name = "other" })
	w.untilCondition(other, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonWaiting)
	w.pass(s, time.Minute)
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonStartRefused, "number 1")
	w.pass(other, 0)
	w.end(&w.untilThere(1)[0], metav1.ConditionTrue, 100)
	w.untilPoints(other, 1)
	if n := policy.refused.Load(); n != 1 {
		t.Errorf("%d tries within a minute", n)
	}
}

// What failed is told from a minute on, whatever the clock does, and what fails anew is not told at once.
func TestNoteFailure(t *testing.T) {
	noon := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	failure := errors.New("no route to host")
	p := &pass{schedule: &v1alpha1.StorageBenchmarkSchedule{}, memory: &memory{}}
	for n, step := range []struct {
		at   time.Duration
		err  error
		told bool
	}{
		{0, failure, false}, {quietErrors - 1, failure, false}, {quietErrors, nil, false}, {quietErrors, failure, false},
		{-time.Hour, failure, false}, {quietErrors - time.Hour, failure, true},
	} {
		p.now = noon.Add(step.at)
		if noteFailure(p, step.err); step.err == nil {
			forgetFailure(p)
		}
		if (len(p.schedule.Status.Conditions) > 0) != step.told {
			t.Errorf("step %d: conditions are %+v", n, p.schedule.Status.Conditions)
		}
	}
}

// Only a start of the same spec whose deadline has passed has failed for good.
func TestHasFailedForGood(t *testing.T) {
	due, failure := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), errors.New("no route to host")
	for name, row := range map[string]struct {
		failed   failedStart
		deadline *int64
		want     bool
	}{
		"its deadline has passed": {failedStart{err: failure, due: due, generation: 2}, new(int64(30)), true},
		"nothing failed":          {failedStart{}, new(int64(30)), false},
		"it has time":             {failedStart{err: failure, due: due, generation: 2}, new(int64(3600)), false},
		"it has no deadline":      {failedStart{err: failure, due: due, generation: 2}, nil, false},
		"the spec is another one": {failedStart{err: failure, due: due, generation: 1}, new(int64(30)), false},
	} {
		p := &pass{schedule: &v1alpha1.StorageBenchmarkSchedule{}, memory: &memory{failed: row.failed}, now: due.Add(time.Minute)}
		p.schedule.Generation, p.schedule.Spec.StartingDeadlineSeconds = 2, row.deadline
		if got := hasFailedForGood(p); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A start that failed until its deadline had passed is told, too.
func TestStartThatFailedUntilItsDeadline(t *testing.T) {
	w := newWorld(t)
	webhook := w.startBehindAWebhook()
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.StartingDeadlineSeconds = new(int64(30)) })
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonWaiting)
	webhook.is.Store(true)
	due := w.Clock.Now().Truncate(time.Minute).Add(time.Minute)
	w.pass(s, due.Sub(w.Clock.Now()))
	w.Eventually(func() error {
		if webhook.asked.Load() == 0 {
			return errors.New("nothing was to be made")
		}
		return nil
	})
	w.pass(s, 31*time.Second)
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonStartFailed, "failed calling webhook", "deadline has passed")
}

// Where no StorageBenchmark can be marked for now, one that leaves no point keeps no other's out.
func TestPointsWhereNoneCanBeMarked(t *testing.T) {
	w := newWorld(t)
	webhook := w.startBehindAWebhook()
	s := w.createByHand(10)
	webhook.is.Store(true)
	for _, iops := range []int64{0, 100} {
		w.end(harness.Create(w.World, schedule.Requested(s)), metav1.ConditionTrue, iops)
	}
	w.untilPoints(s, 1)
}
