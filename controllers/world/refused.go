package world

import (
	"errors"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// This file has what errors of the API server say of an object that was to be made.

// IsRefused reports whether a quota or an admission policy does not let an object be made. A webhook that gives no code
// answers with the code of a bad request.
func IsRefused(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) }

// IsNotMade reports whether an error means that an object was not made: it was refused, or no webhook could be asked.
// After another failure or timeout of the server, or of a proxy before it, the object may exist all the same.
func IsNotMade(err error) bool {
	var answer apierrors.APIStatus // which is no error by itself
	if !errors.As(err, &answer) {
		return false
	}
	switch code := answer.Status().Code; code {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return code >= http.StatusBadRequest && code < http.StatusInternalServerError ||
			strings.Contains(answer.Status().Message, "failed calling webhook")
	}
}

// MayBeThere reports whether an object may have been refused because one of its name exists, which cannot be changed to
// the wanted one.
func MayBeThere(err error) bool { return apierrors.IsInvalid(err) || apierrors.IsAlreadyExists(err) }
