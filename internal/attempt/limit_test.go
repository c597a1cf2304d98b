package attempt

import (
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Each limit names the field that has it.
func TestLimits(t *testing.T) {
	d := v1alpha1.Deadlines{WaitingForNodeSeconds: new(int32(30)), ProvisioningSeconds: new(int32(60)), PodStartSeconds: new(int32(90))}
	for _, test := range []struct {
		name  string
		limit Limit
		takes time.Duration
		says  string
	}{
		{"a node", NodeLimit(d), 30 * time.Second, "waited 30 s for it (spec.deadlines.waitingForNodeSeconds)"},
		{"a volume", VolumeLimit(d), time.Minute, "waited 60 s for it (spec.deadlines.provisioningSeconds)"},
		{"a pod", StartLimit(d), 90 * time.Second, "waited 90 s for it (spec.deadlines.podStartSeconds)"},
		{"a run", RunLimit(&v1alpha1.StorageBenchmark{}, 0), 24 * time.Hour, "waited 86400 s for it (spec.deadlines.runCompletionSeconds)"},
		{"without a deadline", NodeLimit(v1alpha1.Deadlines{}), 0, "waited 0 s for it (spec.deadlines.waitingForNodeSeconds)"},
	} {
		if got := test.limit.Duration(); got != test.takes {
			t.Errorf("%s: it takes %s, want %s", test.name, got, test.takes)
		}
		if got := test.limit.Waited("it"); got != test.says {
			t.Errorf("%s: it says %q, want %q", test.name, got, test.says)
		}
	}
}

// The end of pods is waited for since it was first looked for, as long as pods may take to start, and to be given up.
func TestEndWait(t *testing.T) {
	start := Limit{Field: "podStartSeconds", Seconds: 60}
	for _, test := range []struct {
		name      string
		wait      EndWait
		remaining time.Duration
		late      bool
	}{
		{"it begins", EndWait{Now: noon, Start: start}, 3 * time.Minute, false},
		{"it goes on", EndWait{Since: noon.Add(-179 * time.Second), Now: noon, Start: start}, time.Second, false},
		{"it is over", EndWait{Since: noon.Add(-180 * time.Second), Now: noon, Start: start}, 0, true},
		{"for longer", EndWait{Since: noon.Add(-time.Hour), Now: noon, Start: start}, -57 * time.Minute, true},
	} {
		if got := test.wait.Remaining(); got != test.remaining || test.wait.IsLate() != test.late {
			t.Errorf("%s: %s remain, late: %t", test.name, got, test.wait.IsLate())
		}
		if got, want := test.wait.LimitWords(), "180 s (spec.deadlines.podStartSeconds and 120 s)"; got != want {
			t.Errorf("%s: it says %q, want %q", test.name, got, want)
		}
	}
}
