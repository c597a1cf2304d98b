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
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// troubledScope is a pass over a benchmark by an operator without a cluster.
func troubledScope(clock *clocktesting.FakeClock) *scope {
	sb := builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{StartSeconds: new(int32(60))}).Build()
	return &scope{memory: &memory{}, Reconciler: &Reconciler{Clock: clock}, sb: sb, before: sb.DeepCopy()}
}

func retrying(s *scope) *metav1.Condition {
	return meta.FindStatusCondition(s.sb.Status.Conditions, v1alpha1.ConditionRetrying)
}

func TestErrorsThatGoOnAreTold(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	began := clock.Now()
	s := troubledScope(clock)
	s.noteTrouble(errors.New("etcd is busy"))
	clock.Step(quietTrouble - time.Second)
	s.noteTrouble(errors.New("etcd is busy"))
	if c := retrying(s); c != nil {
		t.Errorf("errors of 9 s are told: %+v", c)
	}
	clock.Step(time.Second)
	s.noteTrouble(errors.New("webhook does not answer"))
	c := retrying(s)
	if c == nil || c.Status != metav1.ConditionTrue || c.Message != "webhook does not answer" || !c.LastTransitionTime.Time.Equal(began) {
		t.Errorf("condition = %+v", c)
	}
	s.noteTrouble(nil)
	if c := retrying(s); c != nil {
		t.Errorf("after a pass without an error: %+v", c)
	}
	s.noteTrouble(errors.New("etcd is busy"))
	if c := retrying(s); c != nil {
		t.Errorf("an error after a pass without one is told at once: %+v", c)
	}
}

// The deadline also holds if the operator is started anew meanwhile.
func TestErrorsThatGoOnEndTheBenchmark(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	s := troubledScope(clock)
	s.noteTrouble(errors.New("webhook does not answer"))
	clock.Step(30 * time.Second)
	s.noteTrouble(errors.New("webhook does not answer"))

	s.Reconciler, s.memory = &Reconciler{Clock: clock}, &memory{}
	clock.Step(29 * time.Second)
	s.noteTrouble(errors.New("webhook does not answer"))
	if s.concluded() {
		t.Fatal("ended after 59 s")
	}
	clock.Step(time.Second)
	s.noteTrouble(errors.New("webhook does not answer"))
	err := matches(s.sb, v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "errors went on for 60 s", "webhook does not answer")
	if err != nil {
		t.Error(err)
	}
}

func TestFaultOfTheOperatorIsAnError(t *testing.T) {
	s := troubledScope(clocktesting.NewFakeClock(time.Now()))
	s.sb.Status.Progress = "half a pass"
	_, err := s.guarded(t.Context()) // which has no client to call
	if err == nil || !strings.Contains(err.Error(), "fault in the operator") {
		t.Errorf("error = %v", err)
	}
	if s.changed() {
		t.Errorf("status of a pass that did not end: %+v", s.sb.Status)
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
	sb := create(w, builder.OneRun(w.namespace, "sb").Build())
	w.passUntil(11*time.Second, func() error {
		if len(w.get(sb).Status.Runs) == 0 || w.get(sb).Status.Runs[0].Result == nil {
			return errors.New("no result")
		}
		return nil
	}, sb)
	w.until(sb, func(sb *v1alpha1.StorageBenchmark) error {
		if c := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionMeasured); c == nil || c.Status != metav1.ConditionTrue {
			return errors.New("not measured")
		}
		return nil
	})
}
