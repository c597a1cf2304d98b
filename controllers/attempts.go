package controllers

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
)

// Package attempt says what the status keeps of attempts without a result. Before that, this file notes the files that they may have made.

// disrupted ends an attempt that was ended from outside.
func (s *writer) disrupted(run *v1alpha1.Run, why string) {
	s.repeat(run, v1alpha1.AbandonDisrupted, why)
}

// late ends an attempt whose start came too late to a client. The next attempt has more time for that.
func (s *writer) late(run *v1alpha1.Run, why string) {
	attempt.DoubleLead(run)
	s.repeat(run, v1alpha1.AbandonLate, why)
}

func (s *writer) repeat(run *v1alpha1.Run, reason v1alpha1.AbandonReason, why string) {
	s.NoteWritten(run.Target) // its pod may be gone without having been seen
	attempt.Disrupt(&s.sb.Status, run, reason, why, s.now)
}

// suspended ends an attempt because that is what the spec asks for.
func (s *writer) suspended(run *v1alpha1.Run) {
	s.NoteUnseen(run, &s.memory.ownAttempt)
	attempt.Suspend(&s.sb.Status, run, s.now)
}

// failRun ends a run without a result.
func (s *writer) failRun(run *v1alpha1.Run, message string) {
	s.NoteUnseen(run, &s.memory.ownAttempt)
	attempt.FailRun(run, message, s.now)
}
