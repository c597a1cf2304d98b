package attempt

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Of an attempt that this operator has begun itself it knows which Jobs were made. Of all others nobody knows.
func TestOwnAttempt(t *testing.T) {
	run := &v1alpha1.Run{Name: "a", Attempts: 2}
	own := NewOwnAttempt(run)
	own.Made(run, 1)
	own.Made(&v1alpha1.Run{Name: "a", Attempts: 1}, 0)
	own.Made(&v1alpha1.Run{Name: "b", Attempts: 2}, 0)
	for name, test := range map[string]struct {
		own    OwnAttempt
		run    *v1alpha1.Run
		client int32
		want   bool
	}{
		"made":                    {own, run, 1, true},
		"not made":                {own, run, 0, false},
		"another attempt":         {own, &v1alpha1.Run{Name: "a", Attempts: 3}, 0, true},
		"another run":             {own, &v1alpha1.Run{Name: "b", Attempts: 2}, 0, true},
		"by an operator before":   {OwnAttempt{}, run, 0, true},
		"of none, with no number": {OwnAttempt{}, &v1alpha1.Run{}, 0, true},
	} {
		if got := test.own.MayHaveJob(test.run, test.client); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}
