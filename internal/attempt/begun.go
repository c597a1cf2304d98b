package attempt

import (
	"errors"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Begun is the last attempt that this operator has begun itself, so that it knows which of its Jobs were never made. The zero value is none.
type Begun struct {
	run    string
	number int32
	// made are the clients whose Jobs may have been made.
	made sets.Set[int32]
}

// Begin returns the attempt of a run that this operator begins.
func Begin(run *v1alpha1.Run) Begun {
	return Begun{run: run.Name, number: run.Attempts, made: sets.New[int32]()}
}

// Made notes what became of the call that was to make the Job of a client in an attempt of a run.
func (b *Begun) Made(run *v1alpha1.Run, client int32, err error) {
	if b.Is(run) && !IsNotMade(err) {
		b.made.Insert(client)
	}
}

// Is says whether it is the attempt of a run that is under way.
func (b *Begun) Is(run *v1alpha1.Run) bool {
	return b.made != nil && b.run == run.Name && b.number == run.Attempts
}

// MayHaveJob says whether the Job of a client in an attempt of a run may have been made. Of an attempt that an operator before this one has begun
// nobody knows.
func (b *Begun) MayHaveJob(run *v1alpha1.Run, client int32) bool {
	return !b.Is(run) || b.made.Has(client)
}

// IsNotMade says whether an error says that an object was not made: it was refused, or no webhook could be asked. Another server that failed, or took too
// long, or a proxy before it, may have made it all the same.
func IsNotMade(err error) bool {
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
