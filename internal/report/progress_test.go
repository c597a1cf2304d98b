package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestProgressOf(t *testing.T) {
	start := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	at := func(seconds int) *metav1.Time {
		return &metav1.Time{Time: start.Add(time.Duration(seconds) * time.Second)}
	}
	done := func(name string, from, to int) v1alpha1.Run {
		return v1alpha1.Run{Name: name, State: v1alpha1.RunSucceeded, StartTime: at(from), CompletionTime: at(to)}
	}
	running := func(name string, from int) v1alpha1.Run {
		return v1alpha1.Run{Name: name, State: v1alpha1.RunRunning, StartTime: at(from)}
	}
	pending := func(name string) v1alpha1.Run { return v1alpha1.Run{Name: name, State: v1alpha1.RunPending} }
	minute := map[string]time.Duration{"a": time.Minute, "b": time.Minute, "c": time.Minute}
	for name, test := range map[string]struct {
		runs    []v1alpha1.Run
		planned map[string]time.Duration
		now     int
		want    Progress
	}{
		"nothing is known yet":   {nil, nil, 0, Progress{}},
		"nothing is done":        {[]v1alpha1.Run{pending("a"), pending("b")}, minute, 0, Progress{Left: 2 * time.Minute, LeftKnown: true}},
		"a run goes on":          {[]v1alpha1.Run{running("a", 0), pending("b")}, minute, 30, Progress{Done: 0.25, Left: 90 * time.Second, LeftKnown: true}},
		"a run takes longer":     {[]v1alpha1.Run{running("a", 0), pending("b")}, minute, 90, Progress{Done: 0.5, Left: time.Minute, LeftKnown: true}},
		"a clock is behind":      {[]v1alpha1.Run{running("a", 10), pending("b")}, minute, 0, Progress{Left: 2 * time.Minute, LeftKnown: true}},
		"runs take longer":       {[]v1alpha1.Run{done("a", 0, 70), pending("b"), pending("c")}, minute, 70, Progress{Done: 1. / 3, Left: 140 * time.Second, LeftKnown: true}},
		"the median is taken":    {[]v1alpha1.Run{done("a", 0, 160), done("b", 160, 222), done("c", 222, 284), pending("d")}, map[string]time.Duration{"a": time.Minute, "b": time.Minute, "c": time.Minute, "d": time.Minute}, 284, Progress{Done: 0.75, Left: 62 * time.Second, LeftKnown: true}},
		"one is by size":         {[]v1alpha1.Run{done("a", 0, 60), pending("x")}, minute, 60, Progress{Done: 0.5}},
		"one was by size":        {[]v1alpha1.Run{done("x", 0, 60), pending("a")}, minute, 60, Progress{Done: 0, Left: time.Minute, LeftKnown: true}},
		"all is done":            {[]v1alpha1.Run{done("a", 0, 60)}, minute, 60, Progress{Done: 1, LeftKnown: true}},
		"failed runs have ended": {[]v1alpha1.Run{{Name: "a", State: v1alpha1.RunFailed}, pending("b")}, minute, 60, Progress{Done: 0.5, Left: time.Minute, LeftKnown: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got := ProgressOf(test.runs, test.planned, start.Add(time.Duration(test.now)*time.Second))
			if diff := cmp.Diff(test.want, got, cmpopts.EquateApprox(0, 1e-9), cmpopts.IgnoreFields(Progress{}, "Current")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if current := got.Current; (current != nil) != (len(test.runs) > 0 && test.runs[0].State == v1alpha1.RunRunning) {
				t.Errorf("current run %+v", current)
			}
		})
	}
}

func TestBar(t *testing.T) {
	for part, want := range map[float64]string{
		0: "[>    ]", 0.5: "[==>  ]", 0.99: "[====>]", 1: "[=====]", 7: "[=====]", -1: "[>    ]",
	} {
		if got := Bar(part, 5); got != want {
			t.Errorf("Bar(%v) = %q, want %q", part, got, want)
		}
	}
}
