package attempt

import (
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// OwnAttempt is the last attempt that this operator has begun itself, so that it knows which of its Jobs were never made. The zero value is none.
type OwnAttempt struct {
	run    string
	number int32
	// made are the clients whose Jobs may have been made.
	made sets.Set[int32]
}

// NewOwnAttempt returns the attempt of a run that this operator begins.
func NewOwnAttempt(run *v1alpha1.Run) OwnAttempt {
	return OwnAttempt{run: run.Name, number: run.Attempts, made: sets.New[int32]()}
}

// Made notes that the Job of a client in an attempt of a run was made, or may have been.
func (a *OwnAttempt) Made(run *v1alpha1.Run, client int32) {
	if a.Is(run) {
		a.made.Insert(client)
	}
}

// Is says whether it is the attempt of a run that is under way.
func (a *OwnAttempt) Is(run *v1alpha1.Run) bool {
	return a.made != nil && a.run == run.Name && a.number == run.Attempts
}

// MayHaveJob says whether the Job of a client in an attempt of a run may have been made. Of an attempt that an operator before this one has begun
// nobody knows.
func (a *OwnAttempt) MayHaveJob(run *v1alpha1.Run, client int32) bool {
	return !a.Is(run) || a.made.Has(client)
}
