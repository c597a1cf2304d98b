package controllers

import (
	"fmt"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// maxDisruptions is how many attempts of a run may be ended from outside before the run fails.
	maxDisruptions = 3
	// maxAbandoned is the most attempts without a result that the status keeps, the last ones.
	maxAbandoned = 32
	// maxAbandonedMessage is the most bytes of their messages.
	maxAbandonedMessage = 256
)

// disrupted ends an attempt that was ended from outside. The run is repeated, but not for ever.
func (s *scope) disrupted(run *v1alpha1.Run, why string) {
	s.repeat(run, v1alpha1.AbandonDisrupted, why)
}

// late ends an attempt of which a client heard of the start when it had passed. The next one has twice the time.
func (s *scope) late(run *v1alpha1.Run, why string) {
	run.StartLeadMilliseconds = min(2*run.StartLeadMilliseconds, maxLead.Milliseconds())
	s.repeat(run, v1alpha1.AbandonLate, why)
}

// suspended ends an attempt because that is what the spec asks for. The run is repeated however often that is.
func (s *scope) suspended(run *v1alpha1.Run) {
	s.noteUnseen(run)
	s.abandonAttempt(run, v1alpha1.AbandonSuspended, "")
	run.State, run.Job = v1alpha1.RunPending, ""
	run.Message = "ended by spec.suspend, will be repeated"
}

func (s *scope) repeat(run *v1alpha1.Run, reason v1alpha1.AbandonReason, why string) {
	s.mayHaveWritten(run.Target) // its pod may be gone without having been seen
	s.abandonAttempt(run, reason, why)
	run.Disruptions++
	if run.Disruptions > maxDisruptions {
		s.failRun(run, fmt.Sprintf("%d attempts were disrupted, the last one because %s", run.Disruptions, why))
		return
	}
	run.State = v1alpha1.RunPending
	run.Job = ""
	run.Message = truncate(fmt.Sprintf("attempt %d was disrupted and is repeated: %s", run.Attempts, why), maxRunMessage)
}

// abandonAttempt keeps what is known of an attempt without a result.
func (s *scope) abandonAttempt(run *v1alpha1.Run, reason v1alpha1.AbandonReason, why string) {
	attempt := v1alpha1.AbandonedAttempt{
		Run: run.Name, Attempt: run.Attempts, Reason: reason, Node: s.sb.Status.NodeOf(0),
		StartTime: run.StartTime, CompletionTime: new(s.now), Message: truncate(why, maxAbandonedMessage),
	}
	if volumes := s.sb.Status.Target(run.Target).Volumes; attempt.Node == "" && len(volumes) > 0 {
		attempt.Node = volumes[0].Node
	}
	all := slices.Concat(s.sb.Status.AbandonedAttempts, []v1alpha1.AbandonedAttempt{attempt})
	s.sb.Status.AbandonedAttempts = all[max(len(all)-maxAbandoned, 0):]
}
