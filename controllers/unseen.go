package controllers

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/ours"
)

// A Job may be made, run and be deleted while the operator does not look: it was started anew, and a tenant or the garbage collector was faster. Then
// nobody has seen that a container of it began. Its test files lie on storage that stays all the same. So an attempt that the status says was begun, and whose
// Jobs or pods are not there, counts as one that has written, unless this operator knows that its Jobs were never made.

// noteUnseen writes down that the attempt of a run, which is given up, may have made files, if nobody has seen that it did not, before the status says
// that it has ended. There need not be a run.
func (s *scope) noteUnseen(run *v1alpha1.Run) {
	if run != nil && s.IsUnseen(run, &s.memory.begun) {
		s.mayHaveWritten(run.Target)
	}
}

// mayHaveWritten writes down that there may be files on a target, also where only its volume tells that they would stay: one that was there before the
// benchmark has another name than one that was made for its claim.
func (s *scope) mayHaveWritten(name string) {
	s.mayHaveFiles(name)
	status := s.sb.Status.Target(name)
	if status.TestFiles != "" || status.VolumeMode == corev1.PersistentVolumeBlock {
		return
	}
	for _, claim := range s.Claims {
		if s.ClaimTargets[claim.Name] == name && !s.MountsAsIs(claim) && ours.OriginOf(claim, nil) == ours.Existing {
			status.TestFiles = v1alpha1.TestFilesPresent
		}
	}
}

// noteEarlierJobs writes down that Jobs of an attempt which are to be made may have been there before, and gone with what tells of their files.
func (s *scope) noteEarlierJobs(run *v1alpha1.Run, clients []int32) {
	for _, client := range clients {
		if s.memory.begun.MayHaveJob(run, client) {
			s.mayHaveWritten(run.Target)
			return
		}
	}
}
