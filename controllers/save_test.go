package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// stubborn is an operator of one benchmark, whose API server answers writes of its status by a function.
type stubborn struct {
	*Reconciler
	*testing.T
	clock *clocktesting.FakeClock
	sb    *v1alpha1.StorageBenchmark
	// writes is how often a status was written, or refused.
	writes int
}

// newStubborn has the operator find a benchmark that was suspended during its first run: each pass wants to write that
// it has ended that.
func newStubborn(t *testing.T, answer func(fields map[string]any) error, live interceptor.Funcs) *stubborn {
	t.Helper()
	now := metav1.NewTime(noon)
	s := &stubborn{T: t, clock: clocktesting.NewFakeClock(noon)}
	s.sb = builder.OneRun("default", "sb").Suspended().With(func(sb *v1alpha1.StorageBenchmark) {
		sb.UID, sb.Generation, sb.CreationTimestamp, sb.Finalizers = "u1", 1, now, []string{v1alpha1.Finalizer}
		sb.Spec.Deadlines = v1alpha1.Deadlines{PodStartSeconds: new(int32(60)), CleanUpSeconds: new(int32(60)), ProvisioningSeconds: new(int32(60)), WaitingForNodeSeconds: new(int32(60))}
		sb.Status = v1alpha1.StorageBenchmarkStatus{
			StartTime: &now, PlannedRuns: 1, Targets: []v1alpha1.TargetStatus{{Name: "fast"}},
			Runs: []v1alpha1.Run{{Name: "reads.fast", Target: "fast", State: v1alpha1.RunRunning, Attempts: 1, StartTime: &now, Job: "was-seen"}},
		}
	}).Build()
	c := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(s.sb).WithStatusSubresource(s.sb).WithInterceptorFuncs(interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
			fields := fieldsOf(t, object, patch)
			s.writes++
			if err := answer(fields); err != nil {
				return err
			}
			return c.SubResource(sub).Patch(ctx, object, patch, options...)
		},
	}).Build()
	s.Reconciler = &Reconciler{
		Client: c, Live: interceptor.NewClient(c, live), Events: &events.FakeRecorder{}, Metrics: NewMetrics(prometheus.NewRegistry()), Clock: s.clock,
	}
	return s
}

// fieldsOf returns what a patch changes in the status.
func fieldsOf(t *testing.T, object client.Object, patch client.Patch) map[string]any {
	t.Helper()
	data, err := patch.Data(object)
	if err != nil {
		t.Fatal(err)
	}
	var change struct{ Status map[string]any }
	if err := json.Unmarshal(data, &change); err != nil {
		t.Fatal(err)
	}
	return change.Status
}

// passes makes a pass every few seconds, until a time has passed, and returns the benchmark and what the last pass
// returned.
func (s *stubborn) passes(during, every time.Duration) (*v1alpha1.StorageBenchmark, ctrl.Result, error) {
	s.Helper()
	name := client.ObjectKeyFromObject(s.sb)
	for end := s.clock.Now().Add(during); ; s.clock.Step(every) {
		result, err := s.Reconcile(s.Context(), ctrl.Request{NamespacedName: name})
		if !s.clock.Now().Before(end) {
			sb := &v1alpha1.StorageBenchmark{}
			if err := s.Client.Get(s.Context(), name, sb); err != nil {
				s.Fatal(err)
			}
			return sb, result, err
		}
	}
}

// A status that the API server refuses is told, in a write of conditions alone, and has a deadline. The benchmark is
// cleaned up and ends, also if what it writes is refused to the end.
func TestRefusedStatus(t *testing.T) {
	kind := schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: "StorageBenchmark"}
	resource := schema.GroupResource{Group: kind.Group, Resource: "storagebenchmarks"}
	for name, test := range map[string]struct {
		answer func() error
		words  string
	}{
		"invalid": {func() error {
			return apierrors.NewInvalid(kind, "sb", field.ErrorList{field.TooLong(field.NewPath("status", "runs").Index(0).Child("message"), "", 1024)})
		}, "status.runs[0].message: Too long"},
		"too large for the API server": {func() error { return apierrors.NewRequestEntityTooLargeError("limit is 3145728") }, "limit is 3145728"},
		"too large for etcd":           {func() error { return apierrors.NewInternalError(errors.New("etcdserver: request is too large")) }, "etcdserver: request is too large"},
		"refused by a webhook":         {func() error { return apierrors.NewForbidden(resource, "sb", errors.New("no more runs")) }, "no more runs"},
		"not to be made":               {func() error { panic("index out of range") }, "fault in the operator, please report it with its log: index out of range"},
		"refused at length": {func() error {
			return apierrors.NewForbidden(resource, "sb", errors.New(strings.Repeat("refused, ", 4000)))
		}, "refused, "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStubborn(t, func(fields map[string]any) error {
				if fields["runs"] != nil || fields["progress"] != nil {
					return test.answer()
				}
				return nil
			}, interceptor.Funcs{})

			sb, _, err := s.passes(12*time.Second, 2*time.Second)

			if c := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionRetrying); c == nil || !strings.Contains(c.Message, "save status: ") ||
				!strings.Contains(c.Message, test.words) || len(c.Message) > 2*world.MaxErrorMessage {
				t.Fatalf("condition Retrying is %.3000v, error %.200v", c, err)
			}
			if err == nil {
				t.Error("a pass whose status is refused has no error, and is not repeated")
			}
			if sb.Status.Runs[0].State != v1alpha1.RunRunning || sb.Status.ObservedGeneration > 0 {
				t.Errorf("more than conditions were saved: %+v", sb.Status)
			}
			sb, _, _ = s.passes(50*time.Second, 2*time.Second)
			if err := matches(sb, v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "waited 60 s for errors to end (spec.deadlines.podStartSeconds)", test.words); err != nil {
				t.Error(err)
			}
			sb, result, err := s.passes(20*time.Second, 2*time.Second)
			if err != nil || result.RequeueAfter != 0 {
				t.Errorf("it goes on after its end: %v, %v", result, err)
			}
			if err := matches(sb, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "not all of the status could be saved"); err != nil {
				t.Error(err)
			}
			if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft); err != nil {
				t.Error(err)
			}
			if sb.Status.CompletionTime == nil || meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionRetrying) != nil {
				t.Errorf("status of the end is %+v", sb.Status)
			}
		})
	}
}

// Where nothing can be written, not even conditions, it is tried again as after other errors.
func TestAllIsRefused(t *testing.T) {
	s := newStubborn(t, func(map[string]any) error { return apierrors.NewInternalError(errors.New("webhook does not answer")) }, interceptor.Funcs{})
	_, result, err := s.passes(30*time.Second, 5*time.Second)
	if err == nil || result.RequeueAfter != 0 || !strings.Contains(err.Error(), "webhook does not answer") {
		t.Errorf("%v, %v", result, err)
	}
}

// What has been measured is in the ConfigMap of the run's log: that is told, where its result cannot be saved.
func TestLogOfARefusedResultIsNamed(t *testing.T) {
	s := newStubborn(t, func(fields map[string]any) error {
		if fields["runs"] != nil {
			return apierrors.NewRequestEntityTooLargeError(strings.Repeat("too large, ", 400))
		}
		return nil
	}, interceptor.Funcs{})
	sb := &v1alpha1.StorageBenchmark{}
	if err := s.Client.Get(t.Context(), client.ObjectKeyFromObject(s.sb), sb); err != nil {
		t.Fatal(err)
	}
	pass := s.newPass(sb, &pass.Memory{FailingSince: noon.Add(-pass.QuietErrors)})
	log := strings.Repeat("l", 63)
	pass.SB.Status.Runs[0].State, pass.SB.Status.Runs[0].LogConfigMap = v1alpha1.RunSucceeded, log
	if err := s.save(t.Context(), pass, nil); err == nil {
		t.Error("no error")
	}
	if c := retrying(pass); c == nil || !strings.Contains(c.Message, "what was measured is in ConfigMap "+log) {
		t.Errorf("condition Retrying is %+v", c)
	}
}

// A pass that always finds an old version is made less and less often.
func TestConflictsBackOff(t *testing.T) {
	conflicts := true
	s := newStubborn(t, func(map[string]any) error {
		if conflicts {
			return apierrors.NewConflict(schema.GroupResource{Resource: "storagebenchmarks"}, "sb", errors.New("the object has been modified"))
		}
		return nil
	}, interceptor.Funcs{})
	last := time.Duration(0)
	for i := range 12 {
		_, result, err := s.passes(0, time.Second)
		if err != nil || result.RequeueAfter < last || (i == 0 && result.RequeueAfter != pass.RetrySoon) {
			t.Fatalf("pass %d: %v after %v, %v", i, result, last, err)
		}
		last = result.RequeueAfter
	}
	if last != pass.MaxRetry {
		t.Errorf("it is tried again after %v, want %v", last, pass.MaxRetry)
	}
	conflicts = false
	if _, _, err := s.passes(0, time.Second); err != nil {
		t.Fatal(err)
	}
	if got := s.memories.Of(client.ObjectKeyFromObject(s.sb)).AfterConflict(); got != pass.RetrySoon {
		t.Errorf("after a pass that was saved it waits %v, want %v", got, pass.RetrySoon)
	}
}

// An error whose text is another one in each pass is not written in each: each write starts a pass, and no wait would
// lie between them.
func TestErrorsOfManyWordsBackOff(t *testing.T) {
	port := 40000
	s := newStubborn(t, func(map[string]any) error { return nil }, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			port++
			return fmt.Errorf("read tcp 127.0.0.1:%d->10.0.0.1:443: connection reset by peer", port)
		},
	})
	_, _, _ = s.passes(12*time.Second, time.Second) // the errors are what is tested
	written := s.writes
	var sb *v1alpha1.StorageBenchmark
	for range 20 { // as its own writes would start them
		sb, _, _ = s.passes(0, time.Second)
	}
	if s.writes > written+1 {
		t.Errorf("20 passes wrote the status %d times", s.writes-written)
	}
	before := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionRetrying).Message
	sb, _, _ = s.passes(3*time.Second, 3*time.Second)
	if after := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionRetrying).Message; after == before {
		t.Errorf("3 s later users are still told of %q", after)
	}
}

// A fault in a goroutine of its own would end the operator, for all benchmarks.
func TestFaultBesideOthersIsAnError(t *testing.T) {
	errs := world.InParallel(t.Context(), []int{0, 1, 2}, func(i int) error {
		if i == 1 {
			panic("no such client")
		}
		return nil
	})
	if errs[0] != nil || !errors.Is(errs[1], world.ErrFault) || errs[2] != nil {
		t.Errorf("errors are %v", errs)
	}
}

// The time for clean-up begins when it is written down that measuring has ended, however long the pass took until then.
func TestCleanUpBeginsWhenMeasuringHasEnded(t *testing.T) {
	s := newStubborn(t, func(map[string]any) error { return nil }, interceptor.Funcs{})
	p := s.newPass(s.sb.DeepCopy(), &pass.Memory{})
	s.clock.Step(time.Minute)
	p.Fail(v1alpha1.ReasonRunFailed, "a run failed")
	if err := s.save(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	if want := noon.Add(time.Minute); !cleanup.Began(p.SB).Equal(want) {
		t.Errorf("clean-up began at %s, want %s", cleanup.Began(p.SB), want)
	}
	later := s.newPass(p.SB.DeepCopy(), &pass.Memory{})
	s.clock.Step(time.Minute)
	later.Step(v1alpha1.ReasonCleaningUp, "waiting")
	if err := s.save(t.Context(), later, nil); err != nil || !cleanup.Began(later.SB).Equal(noon.Add(time.Minute)) {
		t.Errorf("it began anew at %s: %v", cleanup.Began(later.SB), err)
	}
}

// A large benchmark that cannot be read from the API server says so. Nothing else of its status changes.
func TestUnreadBenchmarkIsTold(t *testing.T) {
	s := newStubborn(t, func(map[string]any) error { return nil }, interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errors.New("the API server is overloaded")
		},
	})
	whole, ok := s.Client.(client.WithWatch)
	if !ok {
		t.Fatalf("%T does not watch", s.Client)
	}
	s.Client = interceptor.NewClient(whole, interceptor.Funcs{
		Get: func(ctx context.Context, way client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			err := way.Get(ctx, key, object, options...)
			if sb, ok := object.(*v1alpha1.StorageBenchmark); ok { // as a large one is cached
				sb.Spec, sb.Status = v1alpha1.StorageBenchmarkSpec{}, v1alpha1.StorageBenchmarkStatus{Conditions: sb.Status.Conditions}
			}
			return err
		},
	})
	if sb, _, err := s.passes(pass.QuietErrors-time.Second, time.Second); err == nil || len(sb.Status.Conditions) > 0 {
		t.Errorf("at first: %v, with conditions %v", err, sb.Status.Conditions)
	}
	s.clock.Step(time.Second)
	if _, _, err := s.passes(10*time.Minute, time.Minute); err == nil {
		t.Error("it is not retried")
	}
	sb := &v1alpha1.StorageBenchmark{}
	if err := whole.Get(t.Context(), client.ObjectKeyFromObject(s.sb), sb); err != nil {
		t.Fatal(err)
	}
	c := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionRetrying)
	if c == nil || !strings.Contains(c.Message, "get benchmark: the API server is overloaded") || !c.LastTransitionTime.Time.Equal(noon) {
		t.Errorf("condition Retrying is %+v", c)
	}
	if len(sb.Status.Conditions) != 1 || len(sb.Status.Runs) != 1 || len(sb.Spec.Targets) != 1 {
		t.Errorf("the benchmark has become %+v", sb)
	}
}

// Of a finished benchmark the cache has no messages of conditions. If the API server does not return the rest, its
// conditions stay as they are: a write here would panic, because the operator has no client.
func TestUnreadFinishedBenchmarkIsNotWritten(t *testing.T) {
	sb := endedBenchmark(noon)
	sb.Status.Conditions[0].Message = "4 runs on 2 targets in 1m2s"
	world.Trim(sb)
	r := &Reconciler{}
	p := passOver(r, sb)
	p.Memory.FailingSince = noon
	p.Now = metav1.NewTime(noon.Add(time.Hour))
	cause := errors.New("the API server is overloaded")
	if err := r.saveUnread(t.Context(), p, cause); !errors.Is(err, cause) {
		t.Errorf("the error is %v", err)
	}
}
