package controllers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/test/builder"
)

func retrying(s *pass.Pass) *metav1.Condition {
	return meta.FindStatusCondition(s.SB.Status.Conditions, v1alpha1.ConditionRetrying)
}

func TestErrorsThatGoOnAreTold(t *testing.T) {
	s := failingPass()
	began := noon
	s.NoteError(errors.New("etcd is busy"))
	later(s, pass.QuietErrors-time.Second)
	s.NoteError(errors.New("etcd is busy"))
	if c := retrying(s); c != nil {
		t.Errorf("errors of 9 s are told: %+v", c)
	}
	later(s, time.Second)
	s.NoteError(errors.New("webhook does not answer"))
	c := retrying(s)
	if c == nil || c.Status != metav1.ConditionTrue || c.Message != "webhook does not answer" || !c.LastTransitionTime.Time.Equal(began) {
		t.Errorf("condition = %+v", c)
	}
	s.Memory.Succeeded(false, noon)
	s.RetractError()
	if c := retrying(s); c != nil {
		t.Errorf("after a pass without an error: %+v", c)
	}
	s.NoteError(errors.New("etcd is busy"))
	if c := retrying(s); c != nil {
		t.Errorf("an error after a pass without one is told at once: %+v", c)
	}
}

// The status has to have room for all results beside the error, of which the operator's log has all.
func TestErrorsThatGoOnAreShortened(t *testing.T) {
	s := failingPass()
	many := errors.New(strings.Repeat("m", world.MaxErrorMessage+1))
	s.NoteError(many)
	later(s, pass.QuietErrors)
	s.NoteError(many)
	if c, want := retrying(s), strings.Repeat("m", world.MaxErrorMessage-len("…"))+"…"; c == nil || c.Message != want {
		t.Errorf("condition = %+v, want a message of %d bytes", c, len(want))
	}
}

// The deadline also holds if the operator is started anew meanwhile.
func TestErrorsThatGoOnEndTheBenchmark(t *testing.T) {
	s := failingPass()
	s.NoteError(errors.New("webhook does not answer"))
	later(s, 30*time.Second)
	s.NoteError(errors.New("webhook does not answer"))

	s.Memory = &pass.Memory{}
	later(s, 29*time.Second)
	s.NoteError(errors.New("webhook does not answer"))
	if s.SB.Status.HasMeasured() {
		t.Fatal("ended after 59 s")
	}
	later(s, time.Second)
	s.NoteError(errors.New("webhook does not answer"))
	err := matches(s.SB, v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "waited 60 s for errors to end (spec.deadlines.podStartSeconds)", "webhook does not answer")
	if err != nil {
		t.Error(err)
	}
}

// A wait has its own deadline, whatever the errors: they do not make it longer, and do not end one that may last.
func TestErrorsKeepTheDeadlineOfAWait(t *testing.T) {
	const before, errorsLast = 30, 30 // seconds that the wait has lasted when errors begin, and that these go on
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name, reason string
		deadlines    v1alpha1.Deadlines
		waits        func(*v1alpha1.StorageBenchmarkStatus, *metav1.Time)
		want         string
	}{
		{
			"a node, soon enough", v1alpha1.ReasonWaitingForNode, v1alpha1.Deadlines{WaitingForNodeSeconds: new(int32(61)), PodStartSeconds: new(int32(20))},
			func(status *v1alpha1.StorageBenchmarkStatus, at *metav1.Time) { status.StepStartTime = at }, "",
		},
		{
			"a node, too long", v1alpha1.ReasonWaitingForNode, v1alpha1.Deadlines{WaitingForNodeSeconds: new(int32(60)), PodStartSeconds: new(int32(86400))},
			func(status *v1alpha1.StorageBenchmarkStatus, at *metav1.Time) { status.StepStartTime = at }, "waited 60 s for a node (spec.deadlines.waitingForNodeSeconds); the last error",
		},
		{
			"a volume of a run, soon enough", v1alpha1.ReasonProvisioning, v1alpha1.Deadlines{ProvisioningSeconds: new(int32(61)), PodStartSeconds: new(int32(20))},
			func(status *v1alpha1.StorageBenchmarkStatus, at *metav1.Time) {
				status.Runs = []v1alpha1.Run{{State: v1alpha1.RunRunning, StartTime: at, Target: "fast"}}
			}, "",
		},
		{
			"a volume of a run, too long", v1alpha1.ReasonProvisioning, v1alpha1.Deadlines{ProvisioningSeconds: new(int32(60)), PodStartSeconds: new(int32(86400))},
			func(status *v1alpha1.StorageBenchmarkStatus, at *metav1.Time) {
				status.Runs = []v1alpha1.Run{{State: v1alpha1.RunRunning, StartTime: at, Target: "fast"}}
			}, "waited 60 s for a volume (spec.deadlines.provisioningSeconds); the last error",
		},
		{
			"a volume of an anchor, too long", v1alpha1.ReasonProvisioning, v1alpha1.Deadlines{ProvisioningSeconds: new(int32(60)), PodStartSeconds: new(int32(86400))},
			func(status *v1alpha1.StorageBenchmarkStatus, at *metav1.Time) {
				status.Anchors = []v1alpha1.Anchor{{}, {StartTime: at}}
			}, "waited 60 s for a volume (spec.deadlines.provisioningSeconds); the last error",
		},
		{
			"a run whose volume is there", v1alpha1.ReasonProvisioning, v1alpha1.Deadlines{ProvisioningSeconds: new(int32(10)), PodStartSeconds: new(int32(30))},
			func(status *v1alpha1.StorageBenchmarkStatus, at *metav1.Time) {
				status.Runs = []v1alpha1.Run{{State: v1alpha1.RunRunning, StartTime: at, Target: "other", Job: "was-seen"}}
			}, "waited 30 s for errors to end (spec.deadlines.podStartSeconds)",
		},
		{
			"a pod of a run, soon enough", v1alpha1.ReasonPreparing, v1alpha1.Deadlines{PodStartSeconds: new(int32(61))},
			func(status *v1alpha1.StorageBenchmarkStatus, at *metav1.Time) {
				status.Runs = []v1alpha1.Run{{State: v1alpha1.RunRunning, StartTime: at, Target: "other"}}
			}, "",
		},
		{
			"a pod of a run, too long", v1alpha1.ReasonPreparing, v1alpha1.Deadlines{PodStartSeconds: new(int32(60))},
			func(status *v1alpha1.StorageBenchmarkStatus, at *metav1.Time) {
				status.Runs = []v1alpha1.Run{{State: v1alpha1.RunRunning, StartTime: at, Target: "other"}}
			}, "waited 60 s for a pod to start (spec.deadlines.podStartSeconds); the last error",
		},
		{
			"a pod of an anchor, too long", v1alpha1.ReasonPreparing, v1alpha1.Deadlines{PodStartSeconds: new(int32(60)), ProvisioningSeconds: new(int32(10))},
			func(status *v1alpha1.StorageBenchmarkStatus, at *metav1.Time) {
				status.Targets = []v1alpha1.TargetStatus{{Name: "fast", AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}}}
				status.Anchors = []v1alpha1.Anchor{{StartTime: at, Node: "a"}, {StartTime: at}}
			}, "waited 60 s for a pod to start (spec.deadlines.podStartSeconds); the last error",
		},
		{
			"an anchor that has its node", v1alpha1.ReasonProvisioning, v1alpha1.Deadlines{ProvisioningSeconds: new(int32(10)), PodStartSeconds: new(int32(30))},
			func(status *v1alpha1.StorageBenchmarkStatus, at *metav1.Time) {
				status.Anchors = []v1alpha1.Anchor{{StartTime: at, Node: "a"}}
			}, "waited 30 s for errors to end (spec.deadlines.podStartSeconds)",
		},
		{
			"storage that is refused, too long", v1alpha1.ReasonProvisioning, v1alpha1.Deadlines{ProvisioningSeconds: new(int32(60)), PodStartSeconds: new(int32(86400))},
			func(status *v1alpha1.StorageBenchmarkStatus, at *metav1.Time) { status.StepStartTime = at }, "waited 60 s for a volume (spec.deadlines.provisioningSeconds); the last error",
		},
		{
			"nothing of its own", v1alpha1.ReasonMeasuring, v1alpha1.Deadlines{PodStartSeconds: new(int32(30))},
			func(*v1alpha1.StorageBenchmarkStatus, *metav1.Time) {}, "waited 30 s for errors to end (spec.deadlines.podStartSeconds)",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := failingPass()
			s.SB.Spec.Deadlines = test.deadlines
			s.Step(test.reason, "it waits")
			s.Children.Claims, s.Children.ClaimTargets = map[string]*corev1.PersistentVolumeClaim{"claim": {}}, map[string]string{"claim": "fast"}
			test.waits(&s.SB.Status, &metav1.Time{Time: noon})
			later(s, before*time.Second)
			s.NoteError(errors.New("etcd is busy"))
			later(s, errorsLast*time.Second)
			s.NoteError(errors.New("etcd is busy"))
			if s.SB.Status.HasMeasured() != (test.want != "") {
				t.Fatalf("it has ended: %v", s.SB.Status.HasMeasured())
			}
			if test.want == "" {
				return
			}
			if err := matches(s.SB, v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, test.want, "etcd is busy"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFaultOfTheOperatorIsAnError(t *testing.T) {
	s := failingPass()
	s.SB.Status.Progress = "half a pass"
	_, err := guarded(t.Context(), s) // which has no client to call
	if err == nil || !strings.Contains(err.Error(), "fault in the operator") {
		t.Errorf("error = %v", err)
	}
	if s.Changed() {
		t.Errorf("status of a pass that did not end: %+v", s.SB.Status)
	}
}

// Calls that a result does not depend on cannot keep it for ever.
func TestResultIsTakenInSpiteOfErrors(t *testing.T) {
	w := newWorldWithoutOperator(t)
	broken := errors.New("webhook does not answer")
	w.startOperatorWith(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if _, isNode := object.(*corev1.Node); isNode {
				return broken
			}
			return c.Get(ctx, key, object, options...)
		},
	})
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.passUntil(11*time.Second, func() error {
		if len(w.Get(sb).Status.Runs) == 0 || w.Get(sb).Status.Runs[0].Result == nil {
			return errors.New("no result")
		}
		return nil
	}, sb)
	w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
		if c := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionMeasured); c == nil || c.Status != metav1.ConditionTrue {
			return errors.New("not measured")
		}
		return nil
	})
}

// A result that errors have kept from being taken until they ended the benchmark is taken before clean-up deletes the
// pod that has it.
func TestResultIsTakenWhenErrorsHaveEndedTheBenchmark(t *testing.T) {
	w := newWorldWithoutOperator(t)
	w.startOperatorWith(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if _, isNode := object.(*corev1.Node); isNode {
				return errors.New("webhook does not answer")
			}
			return c.Get(ctx, key, object, options...)
		},
	})
	sb := create(w, builder.OneRun(w.Namespace, "sb").Deadlines(v1alpha1.Deadlines{PodStartSeconds: new(int32(30))}).Build())
	w.Eventually(func() error {
		if jobs := w.jobs(); len(jobs) != 1 || jobs[0].Status.Succeeded != 1 {
			return errors.New("the run has not ended")
		}
		return nil
	})
	w.passUntil(11*time.Second, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "webhook does not answer")
	}, sb)
	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "webhook does not answer")
	if run := sb.Status.Runs[0]; run.State != v1alpha1.RunSucceeded || run.Result == nil {
		t.Errorf("the run is %+v", run)
	}
}
