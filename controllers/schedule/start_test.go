package schedule

import (
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/harness"
)

// A start that is due makes the benchmark of the template, which has its labels and is the schedule's.
func TestMakesBenchmarks(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) {
		s.Spec.Template.Metadata = v1alpha1.TemplateMetadata{Labels: map[string]string{"team": "storage"}, Annotations: map[string]string{"why": "nightly"}}
	})
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonWaiting)
	w.untilThere(0)

	w.pass(s, time.Minute)
	sb := w.untilThere(1)[0]
	at := w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if s.Status.LastScheduleTime == nil || s.Status.ActiveBenchmarks != 1 {
			return fmt.Errorf("status.lastScheduleTime is %v, %d active", s.Status.LastScheduleTime, s.Status.ActiveBenchmarks)
		}
		return nil
	})
	due := at.Status.LastScheduleTime.Time
	if sb.Name != schedule.Name(s.Name, s.UID, due) || sb.Annotations[v1alpha1.AnnotationScheduledTime] != due.UTC().Format(time.RFC3339) {
		t.Errorf("the benchmark is %s, scheduled for %s", sb.Name, sb.Annotations[v1alpha1.AnnotationScheduledTime])
	}
	if sb.Labels["team"] != "storage" || sb.Labels[v1alpha1.LabelSchedule] != s.Name || sb.Annotations["why"] != "nightly" || !metav1.IsControlledBy(&sb, s) {
		t.Errorf("the benchmark's metadata is %+v", sb.ObjectMeta)
	}
	if len(at.Status.Active) != 1 || at.Status.Active[0] != sb.Name || !at.Status.NextScheduleTime.After(w.Clock.Now()) {
		t.Errorf("status is %+v", at.Status)
	}
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonActive)
}

// Two operators, as while one takes over from another, make one benchmark of a start.
func TestTwoOperators(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	w.startOperator()
	s := w.create()
	for n := range 3 {
		w.pass(s, time.Minute)
		w.untilThere(n + 1)
	}
}

// An operator that was killed before it had noted a start does not make it again.
func TestStartThatWasNotNoted(t *testing.T) {
	w := newWorld(t)
	stop := w.startOperator()
	s := w.create()
	w.pass(s, time.Minute)
	w.untilThere(1)
	at := w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if s.Status.LastScheduleTime == nil {
			return fmt.Errorf("the start is not noted")
		}
		return nil
	})
	stop()
	before := at.DeepCopy()
	at.Status = v1alpha1.StorageBenchmarkScheduleStatus{}
	if err := w.Client.Status().Patch(t.Context(), at, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	w.startOperator()
	w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if s.Status.LastScheduleTime == nil {
			return fmt.Errorf("the start is not noted")
		}
		return nil
	})
	w.untilThere(1)
}

func TestConcurrencyPolicies(t *testing.T) {
	for policy, check := range map[v1alpha1.ConcurrencyPolicy]func(*testWorld, *v1alpha1.StorageBenchmarkSchedule, *v1alpha1.StorageBenchmark){
		v1alpha1.ConcurrencyAllow: func(w *testWorld, _ *v1alpha1.StorageBenchmarkSchedule, _ *v1alpha1.StorageBenchmark) {
			w.untilThere(2)
		},
		v1alpha1.ConcurrencyForbid: func(w *testWorld, s *v1alpha1.StorageBenchmarkSchedule, first *v1alpha1.StorageBenchmark) {
			w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonActive, "waits until another StorageBenchmark is over")
			w.untilThere(1)
			w.end(first, metav1.ConditionTrue, 100)
			w.untilThere(2)
		},
		v1alpha1.ConcurrencyReplace: func(w *testWorld, _ *v1alpha1.StorageBenchmarkSchedule, first *v1alpha1.StorageBenchmark) {
			w.untilGone(first)
			w.untilThere(1)
		},
	} {
		t.Run(string(policy), func(t *testing.T) {
			w := newWorld(t)
			w.startOperator()
			s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.ConcurrencyPolicy = policy })
			w.pass(s, time.Minute)
			first := w.untilThere(1)[0]
			w.pass(s, time.Minute)
			check(w, s, &first)
		})
	}
}

// A benchmark that has ended since the pass has listed it is not replaced: its point is kept first.
func TestReplaceOfOneThatHasEnded(t *testing.T) {
	w := newWorld(t)
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.ConcurrencyPolicy = v1alpha1.ConcurrencyReplace })
	sb := harness.Create(w.World, schedule.ForStart(s, w.Clock.Now()))
	w.end(sb, metav1.ConditionTrue, 100)
	p := &pass{Reconciler: &Reconciler{Client: w.Client, Live: w.Client}, schedule: s}
	if replaced, err := replace(t.Context(), p, schedule.Benchmark{Name: sb.Name, UID: sb.UID}); replaced || err != nil {
		t.Errorf("replaced: %v, %v", replaced, err)
	}
	if now := w.Get(sb); !now.DeletionTimestamp.IsZero() {
		t.Error("it is deleted")
	}
}

func TestSuspendedSchedule(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Suspend = new(true) })
	w.pass(s, 10*time.Minute)
	at := w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonSuspended)
	if w.untilThere(0); at.Status.NextScheduleTime != nil {
		t.Errorf("the next start is at %s", at.Status.NextScheduleTime)
	}
	w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Suspend = new(false) })
	w.untilThere(1)
	w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if s.Status.MissedStarts < 8 {
			return fmt.Errorf("%d starts were missed", s.Status.MissedStarts)
		}
		return nil
	})
	w.untilEvent(s, "MissedStarts", "were missed: the operator was away, the schedule was suspended")
}

// What no benchmark could be made of is refused as the plan of a benchmark would, and nothing is made.
func TestInvalidSchedules(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmarkSchedule)
		words  string
	}{
		"an option that is not admitted": {func(s *v1alpha1.StorageBenchmarkSchedule) {
			s.Spec.Template.Spec.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{"exec_prerun": "reboot"}
		}, "spec.template.spec.workloads[0].fio.options"},
		"a label that is none": {func(s *v1alpha1.StorageBenchmarkSchedule) {
			s.Spec.Template.Metadata.Labels = map[string]string{"team": "storage and more"}
		}, "spec.template.metadata.labels: Invalid value: \"storage and more\""},
		"an annotation without a name": {func(s *v1alpha1.StorageBenchmarkSchedule) {
			s.Spec.Template.Metadata.Annotations = map[string]string{"example.com/": "x"}
		}, "spec.template.metadata.annotations: Invalid value: \"example.com/\""},
		"a day that no year has":        {func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Schedule = "0 0 31 2 *" }, "spec.schedule: Invalid value: \"0 0 31 2 *\": there is no such day"},
		"a minute that no hour has":     {func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Schedule = "61 * * * *" }, "spec.schedule: Invalid value: \"61 * * * *\": it cannot be read as a schedule"},
		"more often than once a minute": {func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.Schedule = "@every 30s" }, "spec.schedule: Invalid value: \"@every 30s\": @every takes a duration of at least 1m0s"},
		"nobody's time zone":            {func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.TimeZone = new("Mars/Olympus") }, "spec.timeZone: Invalid value: \"Mars/Olympus\": there is no such time zone"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.startOperator()
			s := w.create(test.change)
			w.pass(s, time.Minute)
			w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, test.words)
			w.untilCondition(s, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonInvalidSpec)
			w.untilThere(0)
			w.untilMetric("storagebench_schedule_invalid", 1)
			w.change(s, func(at *v1alpha1.StorageBenchmarkSchedule) {
				at.Spec = v1alpha1.StorageBenchmarkScheduleSpec{Schedule: "* * * * *", Template: at.Spec.Template}
				at.Spec.Template.Spec.Workloads[0].Fio.Options, at.Spec.Template.Metadata = nil, v1alpha1.TemplateMetadata{}
			})
			w.untilThere(1)
			w.untilMetric("storagebench_schedule_invalid", 0)
		})
	}
}

// A quota refuses a benchmark with words that the schedule has, and the start is made when it no longer does.
func TestRefusedStart(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.create()
	quota := w.allowNone()
	w.pass(s, time.Minute)
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonStartRefused, "exceeded quota: none")
	w.untilThere(0)
	if err := w.Client.Delete(t.Context(), quota); err != nil {
		t.Fatal(err)
	}
	w.Eventually(func() error {
		w.pass(s, time.Millisecond) // so that no other start is due, however long it takes
		list, err := w.list()
		if err == nil && len(list) != 1 {
			return fmt.Errorf("there are %d benchmarks", len(list))
		}
		return err
	})
}

// allowNone has a quota that refuses benchmarks.
func (w *testWorld) allowNone() *corev1.ResourceQuota {
	w.Helper()
	quota := harness.Create(w.World, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "none"},
		Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/storagebenchmarks.storagebench.dev": resource.MustParse("0")}}})
	// envtest has no controller that counts what a quota limits.
	before := quota.DeepCopy()
	quota.Status = corev1.ResourceQuotaStatus{Hard: quota.Spec.Hard, Used: quota.Spec.Hard}
	if err := w.Client.Status().Patch(w.Context(), quota, client.MergeFrom(before)); err != nil {
		w.Fatal(err)
	}
	return quota
}

// A start that was refused until its deadline is told until another one is made.
func TestRefusedUntilItsDeadline(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) {
		s.Spec.Schedule, s.Spec.StartingDeadlineSeconds = "0 * * * *", new(int64(90))
	})
	toNextStart := func() { w.pass(s, time.Hour+time.Second-w.Clock.Now().Sub(w.Clock.Now().Truncate(time.Hour))) }
	quota := w.allowNone()
	toNextStart()
	refused := w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonStartRefused, "exceeded quota: none")
	w.pass(s, 2*time.Minute)
	over := w.until(s, func(s *v1alpha1.StorageBenchmarkSchedule) error {
		if s.Status.NextScheduleTime == nil || !s.Status.NextScheduleTime.After(w.Clock.Now()) {
			return errors.New("the start is not over")
		}
		return nil
	})
	of := func(s *v1alpha1.StorageBenchmarkSchedule) metav1.Condition {
		return *meta.FindStatusCondition(s.Status.Conditions, v1alpha1.ConditionScheduled)
	}
	if is, was := of(over), of(refused); is.Reason != v1alpha1.ReasonStartRefused || !is.LastTransitionTime.Equal(&was.LastTransitionTime) {
		t.Errorf("condition is %+v, and was %+v", is, was)
	}
	if err := w.Client.Delete(t.Context(), quota); err != nil {
		t.Fatal(err)
	}
	w.Eventually(func() error {
		toNextStart()
		list, err := w.list()
		if err == nil && len(list) == 0 {
			return errors.New("no benchmark is made")
		}
		return err
	})
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionTrue, v1alpha1.ReasonActive)
}

// A benchmark of somebody that has the name of the schedule's is neither taken for it nor deleted.
func TestBenchmarkOfSomebodyElse(t *testing.T) {
	w := newWorld(t)
	s := w.create(func(s *v1alpha1.StorageBenchmarkSchedule) { s.Spec.SuccessfulBenchmarksHistoryLimit = new(int32(0)) })
	w.Clock.Pass(time.Minute)
	due := w.Clock.Now().Truncate(time.Minute)
	other := schedule.ForStart(s, due)
	other.OwnerReferences = nil
	harness.Create(w.World, other)
	w.startOperator()
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonStartRefused, "there is a StorageBenchmark "+other.Name+" already, which is not this schedule's; delete it")
	w.untilThere(1)
}

// An operator that is confined to the namespace makes benchmarks there, and says of storage that takes more rights that
// it has none.
func TestConfinedOperator(t *testing.T) {
	w := newWorld(t)
	w.startOperatorWith(envtest.NamespacedOperatorConfig(w, w.Namespace), func(r *Reconciler) { r.Namespaces = []string{w.Namespace} })
	s := w.create()
	w.pass(s, time.Minute)
	sb := w.untilThere(1)[0]
	w.end(&sb, metav1.ConditionTrue, 100)
	w.untilPoints(s, 1)
	w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) {
		s.Spec.Template.Spec.Targets[0].StorageClassName, s.Spec.Template.Spec.Targets[0].EBS = nil, &v1alpha1.EBSVolume{Type: "gp3"}
	})
	w.untilCondition(s, v1alpha1.ConditionScheduled, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, "spec.template.spec.targets[0]", "this operator is confined to "+w.Namespace)
}

// A cache is late by the machine's time: a clock that is set, or stepped, does not end the wait for it.
func TestAwaitsMadeWhateverTheClockSays(t *testing.T) {
	w := newWorld(t)
	p := &pass{Reconciler: &Reconciler{Clock: w.Clock}, memory: &memory{made: "nightly-1", madeAt: time.Now()}}
	w.Clock.Pass(time.Hour)
	if !awaitsMade(p) {
		t.Error("it does not wait for the cache")
	}
	p.benchmarks = []v1alpha1.StorageBenchmark{{ObjectMeta: metav1.ObjectMeta{Name: "nightly-1"}}}
	if awaitsMade(p) {
		t.Error("it waits for what the cache has")
	}
}
