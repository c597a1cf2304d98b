package controllers

import (
	"errors"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/ours"
)

// A Job may be made, run and be deleted while the operator does not look: it was started anew, and a tenant or the garbage collector was faster. Then
// nobody has seen that a container of it began. Its test files lie on storage that stays all the same. So an attempt that the status says was begun, and whose
// Jobs or pods are not there, counts as one that has written, unless this operator knows that its Jobs were never made.

// begunAttempt is the last attempt that this operator has begun itself, so that it knows which of its Jobs were never made.
type begunAttempt struct {
	run    string
	number int32
	// made are the clients whose Jobs may have been made.
	made sets.Set[int32]
}

// begins notes that this operator begins an attempt of a run.
func (m *memory) begins(run *v1alpha1.Run) {
	m.begun = begunAttempt{run: run.Name, number: run.Attempts, made: sets.New[int32]()}
}

// makes notes what became of the call that was to make the Job of a client in an attempt of a run.
func (m *memory) makes(run *v1alpha1.Run, client int32, err error) {
	if m.begun.is(run) && !isNotMade(err) {
		m.begun.made.Insert(client)
	}
}

// is says whether it is the attempt of a run that is under way.
func (b *begunAttempt) is(run *v1alpha1.Run) bool {
	return b.made != nil && b.run == run.Name && b.number == run.Attempts
}

// mayHaveJob says whether the Job of a client in an attempt of a run may have been made. Of an attempt that an operator before this one has begun
// nobody knows.
func (b *begunAttempt) mayHaveJob(run *v1alpha1.Run, client int32) bool {
	return !b.is(run) || b.made.Has(client)
}

// isNotMade says whether an error says that an object was not made: it was refused, or no webhook could be asked. Another server that failed, or took too
// long, or a proxy before it, may have made it all the same.
func isNotMade(err error) bool {
	var answer apierrors.APIStatus // which is no error by itself
	if !errors.As(err, &answer) {
		return false
	}
	switch code := answer.Status().Code; code {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return code >= http.StatusBadRequest && code < http.StatusInternalServerError || strings.Contains(answer.Status().Message, "failed calling webhook")
	}
}

// noteUnseen writes down that the attempt of a run, which is given up, may have made files, if nobody has seen that it did not, before the status says
// that it has ended. There need not be a run.
func (s *scope) noteUnseen(run *v1alpha1.Run) {
	if run != nil && s.isUnseen(run) {
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
	for _, claim := range s.claims {
		if s.claimTargets[claim.Name] == name && !s.mountsAsIs(claim) && ours.OriginOf(claim, nil) == ours.Existing {
			status.TestFiles = v1alpha1.TestFilesPresent
		}
	}
}

// isUnseen says whether a client of a run's attempt may have written without having been seen: its Job is not there and may have been, or its pod is not, and
// Kubernetes has counted one. Of a pod that is there it is seen whether a container has begun.
func (s *scope) isUnseen(run *v1alpha1.Run) bool {
	if run.State != v1alpha1.RunRunning {
		return false
	}
	for client := range run.ClientCount() {
		j := s.jobOfClient(run, client)
		switch {
		case j == nil && s.memory.begun.mayHaveJob(run, client):
			return true
		case j != nil && len(s.pods[j.Name]) == 0 && attempt.HasEndedPods(j):
			return true
		}
	}
	return false
}

// noteEarlierJobs writes down that Jobs of an attempt which are to be made may have been there before, and gone with what tells of their files.
func (s *scope) noteEarlierJobs(run *v1alpha1.Run, clients []int32) {
	for _, client := range clients {
		if s.memory.begun.mayHaveJob(run, client) {
			s.mayHaveWritten(run.Target)
			return
		}
	}
}
