package schedule

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A lasting change is a regression, until somebody has acknowledged it or begins a new baseline.
func TestRegression(t *testing.T) {
	w := newWorld(t)
	w.startOperator()
	s := w.create()
	figures := []int64{3000, 3010, 2990, 3004, 3001, 2995, 3007, 2998, 3003, 3000, 2996, 3005, 1500, 1504, 1497, 1501, 1499}
	for i, iops := range figures {
		w.measure(s, metav1.ConditionTrue, iops)
		w.untilPoints(s, i+1)
		if i == 0 {
			w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionUnknown, v1alpha1.ReasonTooFewRuns)
		}
	}
	w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionTrue, v1alpha1.ReasonSlower, "fell 50 %")

	annotate := func(key, value string) {
		w.change(s, func(s *v1alpha1.StorageBenchmarkSchedule) { metav1.SetMetaDataAnnotation(&s.ObjectMeta, key, value) })
	}
	annotate(v1alpha1.AnnotationAcknowledged, "yes")
	w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionUnknown, v1alpha1.ReasonInvalidAnnotation, `annotation storagebench.dev/acknowledged is "yes": give a time such as`)
	annotate(v1alpha1.AnnotationAcknowledged, w.Clock.Now().UTC().Format(time.RFC3339))
	w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionFalse, v1alpha1.ReasonNotSlower)
	annotate(v1alpha1.AnnotationAcknowledged, "")
	w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionTrue, v1alpha1.ReasonSlower)
	annotate(v1alpha1.AnnotationBaselineFrom, w.Clock.Now().UTC().Format(time.RFC3339))
	w.untilCondition(s, v1alpha1.ConditionRegressed, metav1.ConditionUnknown, v1alpha1.ReasonTooFewRuns)
}
