package controllers

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
)

// notify tells users by events what a status write has changed: steps, ended runs, errors that go on, and the outcome.
func notify(recorder events.EventRecorder, before, after *v1alpha1.StorageBenchmark) {
	old := map[string]v1alpha1.Run{}
	for _, run := range before.Status.Runs {
		old[run.Name] = run
	}
	for i := range after.Status.Runs {
		notifyRun(recorder, after, old[after.Status.Runs[i].Name], after.Status.Runs[i])
	}
	c := after.Status.Condition(v1alpha1.ConditionRetrying)
	if c.Status != "" && before.Status.Condition(c.Type).Status == "" {
		recorder.Eventf(after, nil, corev1.EventTypeWarning, c.Type, "Reconcile", "%s", world.LimitNote(c.Message))
	}
	was, is := before.Status.Condition(v1alpha1.ConditionSucceeded), after.Status.Condition(v1alpha1.ConditionSucceeded)
	if is.Status == "" || (was.Reason == is.Reason && was.Status == is.Status) {
		return
	}
	kind := corev1.EventTypeNormal
	if is.Status == metav1.ConditionFalse {
		kind = corev1.EventTypeWarning
	}
	recorder.Eventf(after, nil, kind, is.Reason, "Reconcile", "%s", cmp.Or(world.LimitNote(is.Message), is.Reason))
}

func notifyRun(recorder events.EventRecorder, sb *v1alpha1.StorageBenchmark, before, after v1alpha1.Run) {
	note := world.LimitNote(after.Name + ": " + after.Message)
	switch {
	case after.State == v1alpha1.RunFailed && before.State != v1alpha1.RunFailed:
		recorder.Eventf(sb, nil, corev1.EventTypeWarning, "RunFailed", "Measure", "%s", note)
	case after.State == v1alpha1.RunSucceeded && before.State != v1alpha1.RunSucceeded:
		recorder.Eventf(sb, nil, corev1.EventTypeNormal, "RunSucceeded", "Measure", "%s", after.Name)
	case after.Disruptions > before.Disruptions:
		recorder.Eventf(sb, nil, corev1.EventTypeWarning, "RunDisrupted", "Measure", "%s", note)
	}
}
