package search

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Runs are the runs of a benchmark, some of which are steps of searches.
type Runs struct {
	Spec   *v1alpha1.StorageBenchmarkSpec
	Status *v1alpha1.StorageBenchmarkStatus
}

// End takes away the steps that no search needs any more, and says whether a search has ended by that.
func (r Runs) End() (ended bool) {
	for _, steps := range Of(r.Status.Runs) {
		if answer, over := r.endOf(steps); over {
			steps.End(answer)
			r.dropPending(steps)
			r.End() // the runs after these are at other places now
			return true
		}
	}
	return false
}

// endOf returns the answer of a search that has one, or none of one that has failed; false if it goes on, or that was taken note of.
func (r Runs) endOf(steps Steps) (Answer, bool) {
	if !steps.Waits() {
		return Answer{}, false
	}
	if steps.HasFailed() {
		return Answer{}, !steps.isTaken(Answer{})
	}
	decision, known := r.decide(steps)
	return decision.Answer, known && decision.Value == 0 && !steps.isTaken(decision.Answer)
}

// decide says what comes next in a search, false if the spec has no such search.
func (r Runs) decide(steps Steps) (Decision, bool) {
	search := searchOf(r.Spec, steps[0].Workload)
	if search == nil {
		return Decision{}, false
	}
	return steps.Next(search), true
}

// dropPending drops the steps of a search that have not begun.
func (r Runs) dropPending(steps Steps) {
	left := map[string]bool{}
	for _, run := range steps {
		left[run.Name] = run.State == v1alpha1.RunPending
	}
	r.Status.Runs = slices.DeleteFunc(r.Status.Runs, func(run v1alpha1.Run) bool { return left[run.Name] })
	r.Status.PlannedRuns = int32(len(r.Status.Runs))
}

// Load returns the load of a step that has none yet, 0 if the spec has no such search. The same steps before it always give it the same one.
func (r Runs) Load(step *v1alpha1.Run) int32 {
	for _, steps := range Of(r.Status.Runs) {
		if !slices.Contains(steps, step) {
			continue
		}
		if decision, known := r.decide(steps); known {
			return decision.Value
		}
	}
	return 0
}
