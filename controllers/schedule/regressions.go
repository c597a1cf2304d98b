package schedule

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/regression"
	"github.com/storagebench/storagebench/internal/schedule"
)

// asked returns what users ask to be left out of regressions, as they wrote it.
func (p *pass) asked() string {
	return p.schedule.Annotations[v1alpha1.AnnotationAcknowledged] + "\n" + p.schedule.Annotations[v1alpha1.AnnotationBaselineFrom]
}

// judged is whether results have become worse for good, as condition Regressed says it.
type judged struct {
	status          metav1.ConditionStatus
	reason, message string
}

// judgeHistory says whether results have become worse for good.
func (p *pass) judgeHistory(h *history.History) judged {
	options, err := schedule.Asked(p.schedule)
	if err != nil {
		return judged{metav1.ConditionUnknown, v1alpha1.ReasonInvalidAnnotation, err.Error()}
	}
	report := regression.Find(h, options)
	status, reason := verdict(&report)
	return judged{status, reason, report.Message()}
}

// verdict returns the status and the reason of condition Regressed.
func verdict(report *regression.Report) (metav1.ConditionStatus, string) {
	switch {
	case report.Worst() != nil:
		return metav1.ConditionTrue, v1alpha1.ReasonSlower
	case report.Baseline.Needed > 0:
		return metav1.ConditionUnknown, v1alpha1.ReasonTooFewRuns
	}
	return metav1.ConditionFalse, v1alpha1.ReasonNotSlower
}
