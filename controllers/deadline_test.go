package controllers

import (
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// Each wait has the deadline that its field says, and tells users which that is.
func TestWaitLimits(t *testing.T) {
	s := scopeOf(builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{
		NodeSeconds: new(int32(30)), ProvisioningSeconds: new(int32(60)), StartSeconds: new(int32(90)),
	}).Build())
	for _, test := range []struct {
		name  string
		limit waitLimit
		since time.Duration
		left  time.Duration
		says  string
	}{
		{"a node, from now on", s.nodeLimit(), 0, 30 * time.Second, "waited 30 s for it (spec.deadlines.nodeSeconds)"},
		{"a volume", s.volumeLimit(), 59 * time.Second, time.Second, "waited 60 s for it (spec.deadlines.provisioningSeconds)"},
		{"a pod, until now", s.startLimit(), 90 * time.Second, 0, "waited 90 s for it (spec.deadlines.startSeconds)"},
		{"a pod, for too long", s.startLimit(), 100 * time.Second, -10 * time.Second, "waited 90 s for it (spec.deadlines.startSeconds)"},
		{"without a deadline", waitLimit{field: "none"}, time.Second, -time.Second, "waited 0 s for it (spec.deadlines.none)"},
	} {
		if got := s.deadline(noon.Add(-test.since), test.limit.seconds); got != test.left {
			t.Errorf("%s: %s are left, want %s", test.name, got, test.left)
		}
		if got := test.limit.waited("it"); got != test.says {
			t.Errorf("%s: it says %q, want %q", test.name, got, test.says)
		}
	}
}
