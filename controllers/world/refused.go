package world

import (
	"errors"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// This file has what errors of the API server say of an object that was to be made.

// IsRefused says whether a quota or an admission policy does not let an object be made. A webhook that gives no code
// answers with that of a bad request.
func IsRefused(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) }

// IsNotMade says whether an error says that an object was not made: it was refused, or no webhook could be asked.
// Another server that failed, or took too long, or a proxy before it, may have made it all the same.
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

// MayBeThere says whether an object may have been refused because there is one of its name, which cannot become as it
// is wanted.
func MayBeThere(err error) bool { return apierrors.IsInvalid(err) || apierrors.IsAlreadyExists(err) }
