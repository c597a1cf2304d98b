package controllers

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/measure"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// measuring returns what a pass knows of a benchmark whose runs are in the states.
func measuring(states ...v1alpha1.RunState) *pass.Pass {
	s := writerOf(builder.OneRun("default", "sb").Build())
	s.SB.Status.Runs, s.SB.Status.PlannedRuns = runsOf(states...), int32(len(states))
	return s
}

// An attempt begins anew: nothing of the one before is left in its run but how often it was tried, and why.
func TestBeginAttempt(t *testing.T) {
	s := measuring(v1alpha1.RunPending)
	run := &s.SB.Status.Runs[0]
	*run = v1alpha1.Run{
		Name: "a", Target: "fast", State: v1alpha1.RunPending, Attempts: 1, Disruptions: 1, Message: "attempt 1 was disrupted", Job: "before",
		StartTime: at(-time.Hour), AgreedStart: &metav1.MicroTime{Time: noon},
	}
	measure.BeginRun(s, run, false, noon.Add(time.Second))
	want := v1alpha1.Run{
		Name: "a", Target: "fast", State: v1alpha1.RunRunning, Attempts: 2, Disruptions: 1, Message: "attempt 1 was disrupted",
		StartTime: at(time.Second),
	}
	if diff := cmp.Diff(want, *run); diff != "" {
		t.Errorf("run (-want +got):\n%s", diff)
	}
	if err := matches(s.SB, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonPreparing, "run a (1 of 1), attempt 2"); err != nil {
		t.Error(err)
	}
}

// An attempt begins with its run. Where the claim has to be bound first, an anchor begins instead, and the run later.
func TestBeginRun(t *testing.T) {
	for name, test := range map[string]struct {
		bindsFirst bool
		attempts   int32
		anchors    int
		state      v1alpha1.RunState
	}{
		"at once":            {false, 1, 0, v1alpha1.RunRunning},
		"by an anchor first": {true, 0, 1, v1alpha1.RunPending},
	} {
		s := measuring(v1alpha1.RunPending)
		run := &s.SB.Status.Runs[0]
		measure.BeginRun(s, run, test.bindsFirst, noon)
		if run.Attempts != test.attempts || run.State != test.state || len(s.SB.Status.Anchors) != test.anchors || s.Memory.OwnAttempt.Is(run) == test.bindsFirst {
			t.Errorf("%s: run %+v, anchors %+v, memory %+v", name, run, s.SB.Status.Anchors, s.Memory.OwnAttempt)
		}
		if anchors := s.SB.Status.Anchors; len(anchors) == 1 && (anchors[0].Attempts != 1 || !anchors[0].StartTime.Equal(at(0))) {
			t.Errorf("%s: anchor %+v", name, anchors[0])
		}
	}
}

func TestTellStep(t *testing.T) {
	for _, test := range []struct {
		decision        attempt.Decision
		reason, message string
	}{
		{attempt.Decision{}, v1alpha1.ReasonPreparing, "run a (1 of 1)"},
		{attempt.Decision{Measures: true}, v1alpha1.ReasonMeasuring, "run a (1 of 1)"},
		{attempt.Decision{Measures: true, Why: "node n does not answer"}, v1alpha1.ReasonMeasuring, "run a (1 of 1): node n does not answer"},
	} {
		s := measuring(v1alpha1.RunRunning)
		measure.TellStep(s, &s.SB.Status.Runs[0], test.decision)
		if got := s.SB.Status.Condition(v1alpha1.ConditionSucceeded); got.Status != metav1.ConditionUnknown || got.Reason != test.reason || got.Message != test.message {
			t.Errorf("%s %s %q, want %s %q", got.Status, got.Reason, got.Message, test.reason, test.message)
		}
	}
}

// A run that takes too long ends its benchmark. Users read how long that was, and what they can do, or which node does
// not answer.
func TestExpireRun(t *testing.T) {
	for _, test := range []struct {
		name, unanswered string
		limit            *int32
		runtime          int32
		want             string
	}{
		{"by the spec", "", new(int32(600)), 86_400, "run a waited 600 s for its end (spec.deadlines.runCompletionSeconds): fio still runs; raise runCompletionSeconds, or lower runtimeSeconds or size"},
		{"by the plan", "", nil, 86_400, "run a waited 172800 s for its end (spec.deadlines.runCompletionSeconds): fio still runs; raise runCompletionSeconds, or lower runtimeSeconds or size"},
		{"a node", "node n does not answer", new(int32(600)), 60, "run a waited 600 s for its end (spec.deadlines.runCompletionSeconds): node n does not answer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := measuring(v1alpha1.RunRunning, v1alpha1.RunPending)
			s.SB.Spec.Deadlines.RunCompletionSeconds = test.limit
			s.SB.Spec.Workloads[0].Fio.RuntimeSeconds = &test.runtime
			run := &s.SB.Status.Runs[0]
			measure.ExpireRun(s, run, test.unanswered)
			if run.State != v1alpha1.RunFailed || run.Message != test.want || !run.CompletionTime.Equal(&s.Now) || s.SB.Status.Runs[1].State != v1alpha1.RunPending {
				t.Errorf("runs are %+v", s.SB.Status.Runs)
			}
			if got := s.SB.Status.Condition(v1alpha1.ConditionMeasured); got.Status != metav1.ConditionFalse || got.Reason != v1alpha1.ReasonDeadlineExceeded || got.Message != test.want {
				t.Errorf("condition is %+v", got)
			}
		})
	}
}

// Runs go by their names: who edits the spec may reorder it. What is no longer in it is not planned.
func TestPlanned(t *testing.T) {
	s := writerOf(builder.OneRun("default", "sb").Target(builder.NewTarget("slow")).Build())
	s.SB.Status.Targets = []v1alpha1.TargetStatus{{Name: "fast"}, {Name: "slow"}}
	slices.Reverse(s.SB.Spec.Targets)
	for name, known := range map[string]bool{"randread.fast": true, "randread.slow": true, "randread.gone": false, "": false} {
		planned, found := s.Planned(&v1alpha1.Run{Name: name})
		if found != known || (found && (planned.Name != name || planned.Target.Name != strings.TrimPrefix(name, "randread."))) {
			t.Errorf("%q is planned: %t, as %+v", name, found, planned)
		}
	}
}

func TestRemaining(t *testing.T) {
	for name, test := range map[string]struct {
		since time.Duration
		limit int32
		want  time.Duration
	}{
		"begins now":      {0, 60, time.Minute},
		"goes on":         {-59 * time.Second, 60, time.Second},
		"is over":         {-time.Minute, 60, 0},
		"has been over":   {-time.Hour, 60, time.Minute - time.Hour},
		"has no limit":    {0, 0, 0},
		"more than a day": {0, 100_000, 100_000 * time.Second},
	} {
		if got := measuring().Remaining(noon.Add(test.since), attempt.Limit{Seconds: test.limit}); got != test.want {
			t.Errorf("a wait that %s has %s left, want %s", name, got, test.want)
		}
	}
}

// What is advised can be done: a claim that exists has no fields in the benchmark, and the class of an ebs target waits
// for a node anyway.
func TestDescribeElsewhere(t *testing.T) {
	for name, test := range map[string]struct {
		target v1alpha1.Target
		want   string
	}{
		"class": {builder.NewTarget("t"), "in another StorageBenchmark, set spec.placement.nodeSelector to where the volume is, or accessMode to ReadWriteOnce, or storageClassName to a class whose volumeBindingMode is WaitForFirstConsumer: "},
		"ebs":   {v1alpha1.Target{Name: "t", EBS: &v1alpha1.EBSVolume{}}, "in another StorageBenchmark, set spec.placement.nodeSelector to where the volume is, or accessMode to ReadWriteOnce: "},
		"claim": {builder.NewClaimTarget("t", "mine"), "in another StorageBenchmark, set spec.placement.nodeSelector to where the volume is: "},
	} {
		want := "the volume of target t cannot be used on node n, which the benchmark holds; " + test.want
		if got := measure.DescribeElsewhere(&test.target, "n"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// When what became of an attempt has to be saved first, nothing follows in the same pass, also where the run has ended
// with it.
func TestEndOfAnAttemptIsSavedFirst(t *testing.T) {
	for name, test := range map[string]struct {
		run  v1alpha1.Run
		more v1alpha1.Workload
		want []v1alpha1.RunState
	}{
		"its Job was deleted, once more than may be": {
			v1alpha1.Run{Job: "there-before", Attempts: attempt.MaxDisruptions + 1, Disruptions: attempt.MaxDisruptions}, v1alpha1.Workload{}, []v1alpha1.RunState{v1alpha1.RunFailed},
		},
		"its Job is not valid, and another run comes next": {
			v1alpha1.Run{Attempts: 1}, builder.NewWorkload("next"), []v1alpha1.RunState{v1alpha1.RunFailed, v1alpha1.RunPending},
		},
	} {
		t.Run(name, func(t *testing.T) {
			benchmark := builder.OneRun("default", "sb")
			if test.more.Name != "" {
				benchmark = benchmark.Workload(test.more)
			}
			sb := benchmark.Build()
			sb.UID = "u"
			test.run.Name, test.run.Target, test.run.State, test.run.StartTime = "randread.fast", "fast", v1alpha1.RunRunning, at(0)
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "fast"}}
			sb.Status.Runs = []v1alpha1.Run{test.run, {Name: "next.fast", Target: "fast", State: v1alpha1.RunPending}}[:len(test.want)]
			cluster := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(sb).Build(), interceptor.Funcs{
				Apply: func(context.Context, client.WithWatch, runtime.ApplyConfiguration, ...client.ApplyOption) error {
					return apierrors.NewInvalid(schema.GroupKind{Kind: "Job"}, "j", nil)
				},
			})
			if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(sb), sb); err != nil {
				t.Fatal(err)
			}
			p := passOver(&Reconciler{Client: cluster, Live: cluster}, sb)

			out, err := measure.Measure(t.Context(), p)

			got := world.Each(sb.Status.Runs, func(run v1alpha1.Run) v1alpha1.RunState { return run.State })
			if err != nil || out != pass.SaveFirst() || !p.Changed() || !slices.Equal(got, test.want) {
				t.Errorf("it goes on with %+v, runs are %s: %v", out, got, err)
			}
		})
	}
}
