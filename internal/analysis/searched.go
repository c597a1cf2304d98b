package analysis

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/direction"
)

// WithoutAnswer returns a result for each repetition of a search, of those runs that are about it, in which no load kept the budget: within that nothing was
// done, and there are no latencies of it.
func WithoutAnswer(runs []v1alpha1.Run, isAbout func(*v1alpha1.Run) bool) []*v1alpha1.Result {
	var repetitions []int32
	steps := map[int32][]*v1alpha1.Run{}
	for i := range runs {
		if run := &runs[i]; run.Search != nil && isAbout(run) {
			if steps[run.Repetition] == nil {
				repetitions = append(repetitions, run.Repetition)
			}
			steps[run.Repetition] = append(steps[run.Repetition], run)
		}
	}
	var results []*v1alpha1.Result
	for _, repetition := range repetitions {
		keeps := func(run *v1alpha1.Run) bool { return run.Search.Verdict != v1alpha1.SearchBeyond || run.Result == nil }
		if all := steps[repetition]; !slices.ContainsFunc(all, keeps) {
			results = append(results, nothingOf(all[0].Result))
		}
	}
	return results
}

// nothingOf returns a result that has the parts of another one, in which nothing was done.
func nothingOf(r *v1alpha1.Result) *v1alpha1.Result {
	none := &v1alpha1.Result{}
	none.Read, none.Write, none.Trim = direction.Map(r.Read, r.Write, r.Trim, func(*v1alpha1.IOResult) *v1alpha1.IOResult { return &v1alpha1.IOResult{} })
	if r.Metadata != nil {
		none.Metadata = &v1alpha1.MetadataResult{}
	}
	return none
}
