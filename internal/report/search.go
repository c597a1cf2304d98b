package report

import (
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// searchStep says what a run is to its search.
func searchStep(run *v1alpha1.Run) string {
	at := fmt.Sprintf("This is step %d of a search for the highest load within a latency budget, with %s %d", run.Search.Step, run.Search.Vary, run.Search.Value)
	switch run.Search.Verdict {
	case v1alpha1.SearchAnswer:
		return at + ", which is the answer: this run stands for the search."
	case v1alpha1.SearchWithin:
		return at + ", which kept the budget."
	case v1alpha1.SearchBeyond:
		return at + ", which did not keep the budget."
	default:
		return at + "."
	}
}
