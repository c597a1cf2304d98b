package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The status has room for how 48 results went; what is kept of a run does not change for that.
func TestBoundOverTime(t *testing.T) {
	var runs []v1alpha1.Run
	eventful := func(name string) v1alpha1.Run {
		return v1alpha1.Run{Name: name, Result: &v1alpha1.Result{OverTime: &v1alpha1.OverTime{SlowPercent: 1}}}
	}
	for i := range maxOverTime - 1 {
		runs = append(runs, eventful(string(rune('a'+i))))
	}
	last := eventful("last")
	BoundOverTime(runs, &last)
	last.Result.SteadyState = &v1alpha1.SteadyState{AfterSeconds: 7, RangePercent: 30}
	if last.Result.OverTime == nil {
		t.Errorf("result %d has none", maxOverTime)
	}
	runs = append(runs, last)
	sections := v1alpha1.Run{Name: "more", Sections: []v1alpha1.SectionResult{{Result: *eventful("").Result}, {}}}
	BoundOverTime(runs, &sections)
	if sections.Sections[0].OverTime != nil {
		t.Error("one more result says how it went")
	}
	steady := v1alpha1.Run{Name: "steady", Result: &v1alpha1.Result{SteadyState: &v1alpha1.SteadyState{Attained: true, AfterSeconds: 900, RangePercent: 3, SlopePercent: 1}}}
	BoundOverTime(runs, &steady)
	if diff := cmp.Diff(&v1alpha1.SteadyState{Attained: true, AfterSeconds: 900}, steady.Result.SteadyState); diff != "" {
		t.Errorf("burst credits follow from how long it ran before it was steady (-want +got):\n%s", diff)
	}
	runs = append(runs[1:], steady)
	again := eventful("again")
	if BoundOverTime(runs, &again); again.Result.OverTime == nil {
		t.Error("what is told briefly takes the room of another result")
	}
}
