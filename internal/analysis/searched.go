package analysis

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// WithoutAnswer returns a result for each repetition of a search, of those runs that are about it, in which no load kept the budget: within that nothing was
// done, and there are no latencies of it.
func WithoutAnswer(runs []v1alpha1.Run, isAbout func(*v1alpha1.Run) bool) []*v1alpha1.Result {
	var results []*v1alpha1.Result
	for _, run := range unanswered(runs) {
		if isAbout(run) {
			results = append(results, nothingOf(run.Result))
		}
	}
	return results
}

// searchKey is one repetition of a search.
type searchKey struct {
	target     string
	of         groupKey
	repetition int32
}

// unanswered returns the first step of each repetition of a search that has ended without an answer: steps kept the budget in none, or not when repeated.
func unanswered(runs []v1alpha1.Run) []*v1alpha1.Run {
	var first []*v1alpha1.Run
	keys := map[searchKey]bool{} // whether a step is the answer, or may be
	keyOfSearch := func(run *v1alpha1.Run) searchKey { return searchKey{run.Target, keyOf(run, "", 0), run.Repetition} }
	for i := range runs {
		run := &runs[i]
		if run.Search == nil {
			continue
		}
		key := keyOfSearch(run)
		may, seen := keys[key]
		if !seen {
			first = append(first, run)
		}
		keys[key] = may || run.Search.Verdict == v1alpha1.SearchAnswer || run.Result == nil || run.State == v1alpha1.RunFailed
	}
	return slices.DeleteFunc(first, func(run *v1alpha1.Run) bool { return keys[keyOfSearch(run)] })
}

// nothingOf returns a result that has the parts of another one, in which nothing was done.
func nothingOf(r *v1alpha1.Result) *v1alpha1.Result {
	none := &v1alpha1.Result{}
	for _, f := range r.Figures {
		if f.Name != v1alpha1.OperationSync {
			none.Figures = append(none.Figures, v1alpha1.Figures{Name: f.Name})
		}
	}
	return none
}
