package controllers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/storagebench/storagebench/controllers/world"
)

// That a call failed says that nothing was made only if the API server says so.
func TestIsNotMade(t *testing.T) {
	jobs := schema.GroupResource{Group: "batch", Resource: "jobs"}
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"made":                         {nil, false},
		"no answer":                    {errors.New("read: connection reset by peer"), false},
		"the time of the call is over": {fmt.Errorf("apply Job: %w", context.DeadlineExceeded), false},
		"it took too long":             {apierrors.NewTimeoutError("request did not complete", 1), false},
		"the server took too long":     {apierrors.NewServerTimeout(jobs, "patch", 1), false},
		"a proxy before it failed":     {apierrors.NewGenericServerResponse(http.StatusBadGateway, "patch", jobs, "x", "", 0, true), false},
		"the storage of the server":    {apierrors.NewInternalError(errors.New("etcdserver: request timed out")), false},
		"too many requests":            {apierrors.NewTooManyRequests("later", 1), false},
		"forbidden":                    {apierrors.NewForbidden(jobs, "x", errors.New("exceeded quota")), true},
		"a webhook":                    {apierrors.NewBadRequest("no"), true},
		"invalid":                      {apierrors.NewInvalid(schema.GroupKind{Group: "batch", Kind: "Job"}, "x", nil), true},
		"a webhook that is away":       {fmt.Errorf("apply Job: %w", apierrors.NewInternalError(errors.New("failed calling webhook"))), true},
	} {
		if got := world.IsNotMade(test.err); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// Those who may change their minds are waited for, and no others.
func TestIsRefused(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"none":     {nil, false},
		"a quota":  {apierrors.NewForbidden(pods, "p", errors.New("exceeded quota")), true},
		"a hook":   {apierrors.NewBadRequest("denied"), true},
		"invalid":  {apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "p", nil), false},
		"conflict": {apierrors.NewConflict(pods, "p", errors.New("changed")), false},
		"too busy": {apierrors.NewTooManyRequests("later", 1), false},
		"a cable":  {errors.New("connection refused"), false},
	} {
		if got := world.IsRefused(test.err); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}
