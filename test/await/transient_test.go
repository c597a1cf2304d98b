package await

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Who is refused is not helped by asking again. Who comes too early, or too late, is.
func TestIsTransient(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"none":                {nil, false},
		"etcd is slow":        {errors.New("etcdserver: request timed out"), true},
		"too many requests":   {apierrors.NewTooManyRequests("later", 1), true},
		"somebody was faster": {apierrors.NewConflict(pods, "p", errors.New("changed")), true},
		"it took too long":    {apierrors.NewTimeoutError("slow", 1), true},
		"it is refused":       {apierrors.NewForbidden(pods, "p", errors.New("no")), false},
		"it is gone":          {apierrors.NewNotFound(pods, "p"), false},
		"something else":      {errors.New("etcdserver: no leader of that name"), false},
	} {
		if got := IsTransient(test.err); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}
