package gitops

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// What the operator sets is in the tests of controllers. Here is what tools see before and beside it.
func TestSee(t *testing.T) {
	with := func(status metav1.ConditionStatus, reason string, more ...string) []metav1.Condition {
		conditions := []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: status, Reason: reason, Message: "the words"}}
		for _, kind := range more {
			conditions = append(conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: reason, Message: "the words"})
		}
		return conditions
	}
	deleted := new(metav1.Now())
	for _, test := range []struct {
		name          string
		observed      int64
		deleted       *metav1.Time
		conditions    []metav1.Condition
		kstatus, argo string
		words         string
	}{
		{"as the API server has a new one", -1, nil, nil, "InProgress", "Progressing", "has not seen"},
		{"active", 2, nil, with(metav1.ConditionUnknown, v1alpha1.ReasonMeasuring, v1alpha1.ConditionReconciling), "InProgress", "Progressing", "the words"},
		{"suspended", 2, nil, with(metav1.ConditionUnknown, v1alpha1.ReasonSuspended), "Current", "Suspended", "the words"},
		{"succeeded", 2, nil, with(metav1.ConditionTrue, v1alpha1.ReasonCompleted, v1alpha1.ConditionFinished), "Current", "Healthy", "the words"},
		{"failed", 2, nil, with(metav1.ConditionFalse, v1alpha1.ReasonRunFailed, v1alpha1.ConditionFinished, v1alpha1.ConditionStalled), "Failed", "Degraded", "the words"},
		{"ended, and then changed", 1, nil, with(metav1.ConditionTrue, v1alpha1.ReasonCompleted, v1alpha1.ConditionFinished), "InProgress", "Progressing", "the words"},
		{"being deleted", 2, deleted, with(metav1.ConditionUnknown, v1alpha1.ReasonCleaningUp, v1alpha1.ConditionReconciling), "Terminating", "Progressing", "the words"},
	} {
		sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Name: "sb", Generation: 2, DeletionTimestamp: test.deleted}}
		sb.Status.ObservedGeneration, sb.Status.Conditions = test.observed, test.conditions
		seen, err := See(sb)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if seen.Kstatus.Status != test.kstatus || seen.ArgoCD.Status != test.argo || !strings.Contains(seen.ArgoCD.Message, test.words) {
			t.Errorf("%s: %+v, want %s and %s with %q", test.name, seen, test.kstatus, test.argo, test.words)
		}
	}
}
