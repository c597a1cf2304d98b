package controllers

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/search"
)

// writer writes into the status what was decided, and into the memory what later passes have to know. It cannot read the API: what it writes follows from its scope
// and its arguments.
type writer struct{ *scope }

func (s *writer) setCondition(kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&s.sb.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: legible.Fit(message, maxConditionMessage),
		ObservedGeneration: s.sb.Generation,
		LastTransitionTime: s.now, // kept as it is where the status is the same
	})
}

// step tells users which step the benchmark is at.
func (s *writer) step(reason, message string) {
	s.setCondition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, reason, message)
}

// fail ends measuring. Runs that have not ended stay as they are; results are kept.
func (s *writer) fail(reason, message string) {
	s.NoteUnseen(s.sb.Status.RunningRun(), &s.memory.ownAttempt)
	s.setCondition(v1alpha1.ConditionMeasured, metav1.ConditionFalse, reason, message)
}

// summarize derives the figures and lines that people read from the runs.
func (s *writer) summarize() {
	status := &s.sb.Status
	if finished := int32(s.sb.Status.EndedRuns()); finished != status.FinishedRuns || s.searchEnded {
		status.FinishedRuns = finished
		compare(s.sb, s.sb.Status.HasMeasured())
	}
	if s.sb.Status.HasMeasured() && len(status.Searches) > 0 {
		status.Searches = search.Results(&s.sb.Spec, status.Runs, true)
	}
	s.judge()
	status.Progress = ""
	if status.PlannedRuns > 0 {
		status.Progress = fmt.Sprintf("%d/%d", status.FinishedRuns, status.PlannedRuns)
	}
	status.WarningCount = int32(len(status.Warnings))
	status.Best, status.Summary = report.Best(status), report.Summary(status)
}
