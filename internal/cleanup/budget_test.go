package cleanup

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
)

// Clean-up has the time that the spec says, and each operator some of its own, however long none was there. Half of both is for test files.
func TestBudget(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name         string
		began, tried time.Duration // how long ago
		least        time.Duration
		limit        int32
		half, all    time.Duration
	}{
		{"it begins", 0, 0, FirstTry, 600, 5 * time.Minute, 10 * time.Minute},
		{"it goes on", 4 * time.Minute, 4 * time.Minute, FirstTry, 600, time.Minute, 6 * time.Minute},
		{"no operator was there", time.Hour, 0, FirstTry, 600, time.Minute, 2 * time.Minute},
		{"it is started anew", time.Hour, 0, NextTry, 600, 15 * time.Second, 30 * time.Second},
		{"it has tried", time.Hour, 2 * time.Minute, FirstTry, 600, -time.Minute, 0},
		{"short", time.Hour, 0, FirstTry, 10, 5 * time.Second, 10 * time.Second},
	} {
		b := Budget{Began: now.Add(-test.began), Tried: now.Add(-test.tried), Now: now, Limit: attempt.Limit{Field: "cleanUpSeconds", Seconds: test.limit}, Least: test.least}
		if half, all := b.HalfRemaining(), b.Remaining(); half != test.half || all != test.all || b.IsHalfOver() != (half <= 0) {
			t.Errorf("%s: %s and %s remain, want %s and %s", test.name, half, all, test.half, test.all)
		}
	}
}

// It begins with the deletion, or when it was written down that measuring has ended.
func TestBegan(t *testing.T) {
	deleted, measured := metav1.Unix(100, 0), metav1.Unix(50, 0)
	ended := v1alpha1.StorageBenchmarkStatus{Conditions: []metav1.Condition{{Type: v1alpha1.ConditionMeasured, LastTransitionTime: measured}}}
	for name, test := range map[string]struct {
		sb   v1alpha1.StorageBenchmark
		want time.Time
	}{
		"neither": {v1alpha1.StorageBenchmark{}, time.Time{}},
		"ended":   {v1alpha1.StorageBenchmark{Status: ended}, measured.Time},
		"deleted": {v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &deleted}, Status: ended}, deleted.Time},
	} {
		if got := Began(&test.sb); !got.Equal(test.want) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
