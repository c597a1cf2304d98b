package pass

import (
	"fmt"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
)

// Package attempt says what the status keeps of attempts without a result. Before that, this file notes the files that
// they may have made.

// Disrupted ends an attempt that was ended from outside.
func (s *Pass) Disrupted(run *v1alpha1.Run, why string) {
	s.repeat(run, v1alpha1.AbandonDisrupted, why)
}

// Late ends an attempt whose start came too late to a client. The next attempt has more time for that.
func (s *Pass) Late(run *v1alpha1.Run, why string) {
	s.repeat(run, v1alpha1.AbandonLate, why)
}

func (s *Pass) repeat(run *v1alpha1.Run, reason v1alpha1.AbandonReason, why string) {
	s.Children.NoteWritten(run.Target) // its pod may be gone without having been seen
	attempt.Disrupt(&s.SB.Status, run, reason, why, s.Now)
}

// Suspended ends an attempt because that is what the spec asks for.
func (s *Pass) Suspended(run *v1alpha1.Run) {
	s.Children.NoteUnseen(run, &s.Memory.OwnAttempt)
	attempt.Suspend(&s.SB.Status, run, s.Now)
}

// FailRun ends a run without a result.
func (s *Pass) FailRun(run *v1alpha1.Run, message string) {
	s.Children.NoteUnseen(run, &s.Memory.OwnAttempt)
	attempt.FailRun(run, message, s.Now)
}

// BeginAnchors begins attempts to hold nodes, and reports whether there are any.
func (s *Pass) BeginAnchors(now time.Time) bool {
	first := attempt.BeginAnchors(&s.SB.Status, now)
	if first >= 0 {
		s.Step(v1alpha1.ReasonProvisioning, attempt.DescribeAnchor(&s.SB.Status, first))
	}
	return first >= 0
}

// RefuseTaken fails the benchmark because an object of another owner has the name of one that a target needs.
func (s *Pass) RefuseTaken(target *v1alpha1.Target, taken string) {
	s.Fail(v1alpha1.ReasonProvisioningFailed, TakenMessage(target, taken))
}

// TakenMessage tells users that an object of another owner has the name of one that a target needs.
func TakenMessage(target *v1alpha1.Target, taken string) string {
	return fmt.Sprintf("target %s: %s exists, and was not made for this benchmark; "+
		"delete or rename it, and create the benchmark anew", target.Name, taken)
}
