package schedule

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/regression"
	"github.com/storagebench/storagebench/internal/schedule"
)

// asked returns what users ask to be left out of regressions, as they wrote it.
func asked(p *pass) string {
	annotations := p.schedule.Annotations
	return annotations[v1alpha1.AnnotationAcknowledged] + "\n" + annotations[v1alpha1.AnnotationBaselineFrom]
}

// isNoted reports whether the schedule's status has the judgement.
func (j *judged) isNoted(s *v1alpha1.StorageBenchmarkSchedule) bool {
	c := s.Status.Condition(v1alpha1.ConditionRegressed)
	return c.Status == j.status && c.Reason == j.reason && c.Message == shown(j.message)
}

// betweenChanges is how many runs lie between two changes at least. A change is known to a run or so, and may move by
// that from run to run.
const betweenChanges = 3

// isNews reports whether the worst change began after the last one that users were told of.
func (j *judged) isNews(told int64) bool { return told > 0 && j.worst >= told+betweenChanges }

// judgeHistory judges whether results have become worse for good.
func judgeHistory(p *pass, h *history.History) judged {
	options, err := schedule.Asked(p.schedule, p.now)
	if err != nil {
		return judged{status: metav1.ConditionUnknown, reason: v1alpha1.ReasonInvalidAnnotation, message: err.Error()}
	}
	report := regression.Find(h, options)
	status, reason := verdict(&report)
	found := judged{status: status, reason: reason, message: report.Message()}
	if worst := report.Worst(); worst != nil {
		found.worst = worst.Sequence
	}
	return found
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
