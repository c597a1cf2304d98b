package schedule

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/failing"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// neighbours is an operator in a synctest bubble, with its real queue and workers. In namespace "mallory" each write
// takes a while, as with a webhook that does not answer.
type neighbours struct {
	*Reconciler
	cluster client.WithWatch
	queue   workqueue.TypedRateLimitingInterface[reconcile.Request]
	failing failing.Objects
	began   time.Time

	mu sync.Mutex
	// passes has the times after the beginning at which passes over schedules of a namespace wrote first.
	passes map[string][]time.Duration
}

// newNeighbours starts an operator beside schedules that are due each minute, of which so many are mallory's.
func newNeighbours(t *testing.T, many int, hang time.Duration) *neighbours {
	t.Helper()
	n := &neighbours{began: time.Now(), passes: map[string][]time.Duration{}}
	objects := []client.Object{n.schedule("alice", "honest")}
	for i := range many {
		objects = append(objects, n.schedule("mallory", fmt.Sprintf("s-%d", i)))
	}
	n.cluster = fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(objects...).
		WithStatusSubresource(&v1alpha1.StorageBenchmarkSchedule{}).
		WithIndex(&v1alpha1.StorageBenchmark{}, bySchedule, scheduleOf).Build()
	slow := interceptor.NewClient(n.cluster, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
			n.note(object.GetNamespace())
			if err := n.hang(ctx, object.GetNamespace(), hang); err != nil {
				return err
			}
			return c.Create(ctx, object, options...)
		},
	})
	n.Reconciler = &Reconciler{
		Client: slow, Live: n.cluster, Events: &events.FakeRecorder{}, Failing: &n.failing, Clock: clock.RealClock{},
		Results: &resultmetrics.Store{Limit: resultmetrics.DefaultLimit},
	}
	n.start(t)
	return n
}

func (n *neighbours) schedule(namespace, name string) *v1alpha1.StorageBenchmarkSchedule {
	return &v1alpha1.StorageBenchmarkSchedule{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(n.began),
		},
		Spec: v1alpha1.StorageBenchmarkScheduleSpec{
			Schedule: "* * * * *", Template: v1alpha1.StorageBenchmarkTemplate{Spec: builder.OneRun("", "").Build().Spec},
		},
	}
}

// hang waits as a call does that the API server does not answer, in mallory's namespace. The webhook may be ignored, or
// it may not.
func (n *neighbours) hang(ctx context.Context, namespace string, hang time.Duration) error {
	if namespace != "mallory" {
		return nil
	}
	select {
	case <-time.After(hang):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("post storagebenchmarks: %w", ctx.Err())
	}
}

func (n *neighbours) note(namespace string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.passes[namespace] = append(n.passes[namespace], time.Since(n.began))
}

func (n *neighbours) noted(namespace string) []time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.passes[namespace]
}

// start starts the workers, and ends them when the test is over.
func (n *neighbours) start(t *testing.T) {
	t.Helper()
	options := n.options()
	options.Reconciler, options.SkipNameValidation = n.Reconciler, new(true)
	c, err := controller.NewUnmanaged("neighbours", options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	keep := func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		n.queue = queue
		return nil
	}
	for _, s := range []source.Func{n.turns.Begin, keep} {
		if err := c.Watch(s); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error)
	go func() { ended <- c.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	synctest.Wait()
}

// enqueue asks for a pass over a schedule, as a change of it does.
func (n *neighbours) enqueue(namespace, name string) {
	n.queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}})
}

// A webhook that does not answer in one namespace, or passes there that take long, keep no schedule of another
// namespace waiting, however many schedules there are.
func TestSlowNamespaceKeepsNoOtherWaiting(t *testing.T) {
	for name, row := range map[string]struct {
		schedules int
		hang      time.Duration
	}{
		"a webhook hangs for 12 s": {6, 12 * time.Second},
		"a webhook never answers":  {6, time.Hour},
		"40 schedules are patched": {40, 800 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNeighbours(t, row.schedules, row.hang)
				time.Sleep(time.Until(n.began.Truncate(time.Minute).Add(time.Minute))) // all are due
				due := time.Since(n.began)
				for i := range row.schedules {
					n.enqueue("mallory", fmt.Sprintf("s-%d", i))
				}
				synctest.Wait()
				n.enqueue("alice", "honest")
				time.Sleep(4*time.Minute + 30*time.Second)
				passes := n.noted("alice")
				if len(passes) != 5 {
					t.Errorf("%d starts were made, want 5: %v", len(passes), passes)
				}
				for i, at := range passes {
					if late := at - due - time.Duration(i)*time.Minute; late > time.Second {
						t.Errorf("start %d is %s late", i, late)
					}
				}
				if len(n.noted("mallory")) == 0 {
					t.Error("no start of the slow namespace was tried")
				}
			})
		})
	}
}

// A pass ends in time, tells its user why, and is made again after minutes. Others can see in which namespace that is.
func TestPassThatTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNeighbours(t, 1, time.Hour)
		time.Sleep(time.Until(n.began.Truncate(time.Minute).Add(time.Minute)))
		n.enqueue("mallory", "s-0")
		time.Sleep(time.Hour)
		tries := n.noted("mallory")
		for i := range tries[1:] {
			if wait := tries[i+1] - tries[i]; wait < startPatience+restAfter(startPatience) {
				t.Errorf("try %d comes %s after the one before", i+1, wait)
			}
		}
		if len(tries) < 5 {
			t.Errorf("it was tried %d times in an hour", len(tries))
		}
		s := &v1alpha1.StorageBenchmarkSchedule{}
		if err := n.cluster.Get(t.Context(), client.ObjectKey{Namespace: "mallory", Name: "s-0"}, s); err != nil {
			t.Fatal(err)
		}
		c := s.Status.Condition(v1alpha1.ConditionScheduled)
		for _, words := range []string{"the start was ended after 35s", "admission webhook", "it is tried again"} {
			if c.Reason != v1alpha1.ReasonStartFailed || !strings.Contains(c.Message, words) {
				t.Errorf("condition is %+v, want %q", c, words)
			}
		}
		if !n.failing.Has(failing.Schedule, client.ObjectKeyFromObject(s)) {
			t.Error("no metric tells of it")
		}
	})
}
