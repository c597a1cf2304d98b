package controllers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// Other tools know by these conditions whether a benchmark goes on, is stuck, or has ended. Those that do not hold are
// absent, also where they held before.
func TestSignal(t *testing.T) {
	const yes, no, unknown = metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown
	signals := []string{v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled, v1alpha1.ConditionFinished}
	for _, test := range []struct {
		name   string
		status metav1.ConditionStatus
		reason string
		want   []string
	}{
		{"it measures", unknown, v1alpha1.ReasonMeasuring, []string{v1alpha1.ConditionReconciling}},
		{"it is suspended", unknown, v1alpha1.ReasonSuspended, nil},
		{"it has succeeded", yes, v1alpha1.ReasonCompleted, []string{v1alpha1.ConditionFinished}},
		{"it has failed", no, v1alpha1.ReasonRunFailed, []string{v1alpha1.ConditionStalled, v1alpha1.ConditionFinished}},
		{"nothing is known of it yet", "", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := writerOf(builder.OneRun("default", "sb").Build())
			for _, kind := range signals {
				s.SetCondition(kind, yes, "Before", "before")
			}
			if test.status != "" {
				s.SetCondition(v1alpha1.ConditionSucceeded, test.status, test.reason, strings.Repeat("x", 2*maxSignal))
			}
			signal(s)
			var got []string
			for _, kind := range signals {
				c := meta.FindStatusCondition(s.SB.Status.Conditions, kind)
				if c == nil {
					continue
				}
				got = append(got, kind)
				if c.Status != yes || c.Reason != test.reason || len(c.Message) > maxSignal || !strings.HasPrefix(c.Message, "xxx") {
					t.Errorf("condition is %+v", c)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}
