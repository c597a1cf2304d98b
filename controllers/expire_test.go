package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// A benchmark that has ended is left alone until its time to live is over. One whose spec was refused, and is another one now, begins anew.
func TestExpire(t *testing.T) {
	for _, test := range []struct {
		name    string
		ended   *metav1.Time
		started *metav1.Time
		// seen is the generation that was refused, or measured. The spec is of generation 2.
		seen   int64
		ttl    *int32
		want   outcome
		anew   bool
		active bool
		// settled says that what the cache has tells as much.
		settled bool
	}{
		{name: "it goes on", seen: 2, want: goOn(), active: true},
		{name: "no time to live", ended: at(-time.Hour), started: at(-2 * time.Hour), seen: 2, want: awaitChange(), settled: true},
		{name: "a time to live", ended: at(-time.Minute), started: at(-time.Hour), seen: 2, ttl: new(int32(61)), want: awaitFor(time.Second), settled: true},
		{name: "refused, and not edited", ended: at(-time.Minute), seen: 2, want: awaitChange(), settled: true},
		{name: "refused, and edited", ended: at(-time.Minute), seen: 1, ttl: new(int32(0)), want: goOn(), anew: true},
		{name: "measured, and edited", ended: at(-time.Minute), started: at(-time.Hour), seen: 1, want: awaitChange()},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := builder.OneRun("default", "sb").Build()
			sb.Generation, sb.Spec.TTLSecondsAfterFinished = 2, test.ttl
			sb.Status = v1alpha1.StorageBenchmarkStatus{ObservedGeneration: test.seen, StartTime: test.started, CompletionTime: test.ended}
			s := scopeOf(sb)
			if s.step(v1alpha1.ReasonMeasuring, ""); !test.active {
				s.setCondition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonInvalidSpec, "")
			}
			cached := sb.DeepCopy()
			trim(cached)
			if remaining, settled := isSettled(cached, s.now.Time); settled != test.settled || settled && remaining != test.want.after {
				t.Errorf("settled: %v for %s, want %v", settled, remaining, test.settled)
			}
			out, err := expire(t.Context(), &pass{scope: s})
			if err != nil || out != test.want {
				t.Errorf("it goes on with %+v, want %+v: %v", out, test.want, err)
			}
			if anew := len(sb.Status.Conditions) == 0; anew != test.anew || (!anew && sb.Status.ObservedGeneration != 2) {
				t.Errorf("begins anew: %t, want %t; status is %+v", anew, test.anew, sb.Status)
			}
		})
	}
}

func TestTimeToLiveDecision(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name      string
		ttl       *int32
		ended     *metav1.Time
		remaining time.Duration
		expires   bool
	}{
		{"no time to live", nil, new(metav1.NewTime(now)), 0, false},
		{"not ended", new(int32(5)), nil, 0, false},
		{"just ended", new(int32(5)), new(metav1.NewTime(now)), 5 * time.Second, true},
		{"ended long ago", new(int32(5)), new(metav1.NewTime(now.Add(-time.Hour))), 5*time.Second - time.Hour, true},
		{"zero", new(int32(0)), new(metav1.NewTime(now)), 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := &v1alpha1.StorageBenchmark{}
			sb.Spec.TTLSecondsAfterFinished, sb.Status.CompletionTime = test.ttl, test.ended
			remaining, expires := timeToLive(sb, now)
			if remaining != test.remaining || expires != test.expires {
				t.Errorf("timeToLive is %s, %v; want %s, %v", remaining, expires, test.remaining, test.expires)
			}
		})
	}
}
