package attempt

import (
	"slices"
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The start is farther ahead for more clients, and twice as far after each start of the benchmark that came too late.
func TestStartLead(t *testing.T) {
	late := v1alpha1.AbandonedAttempt{Reason: v1alpha1.AbandonLate}
	for _, test := range []struct {
		name      string
		abandoned []v1alpha1.AbandonedAttempt
		clients   int32
		want      time.Duration
	}{
		{"two clients", nil, 2, 2050 * time.Millisecond},
		{"more clients take longer", nil, 100, 4500 * time.Millisecond},
		{"after a late start", []v1alpha1.AbandonedAttempt{late}, 2, 4100 * time.Millisecond},
		{"after two late starts", []v1alpha1.AbandonedAttempt{late, late}, 2, 8200 * time.Millisecond},
		{"a minute at most", slices.Repeat([]v1alpha1.AbandonedAttempt{late}, 32), 2, time.Minute},
		{
			"other attempts were not late",
			[]v1alpha1.AbandonedAttempt{{Reason: v1alpha1.AbandonDisrupted}, {Reason: v1alpha1.AbandonSuspended}},
			2, 2050 * time.Millisecond,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := StartLead(test.abandoned, test.clients); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
