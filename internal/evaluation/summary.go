package evaluation

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/report/summary"
	"github.com/storagebench/storagebench/internal/search"
)

// Compare derives comparisons, searches and warnings from the runs that have ended, if more have than before, or if
// anew is set.
func Compare(sb *v1alpha1.StorageBenchmark, anew bool) {
	status := &sb.Status
	over := status.HasMeasured()
	if finished := int32(status.EndedRuns()); finished != status.FinishedRuns || anew {
		status.FinishedRuns = finished
		compare(sb, over)
	}
	if over && len(status.Searches) > 0 {
		status.Searches = search.Results(&sb.Spec, status.Runs, true)
	}
}

// compare compares the targets by the results so far. over reports whether all runs have ended.
func compare(sb *v1alpha1.StorageBenchmark, over bool) {
	status := &sb.Status
	if len(status.Targets) == 0 {
		return
	}
	var targets []string
	for i := range status.Targets {
		targets = append(targets, status.Targets[i].Name)
	}
	// The first target is the status's: the spec's order may change, and not what is compared with what.
	status.Comparisons = analysis.Compare(status.Runs, targets, ptr.Deref(sb.Spec.Baseline, targets[0]))
	analysis.WarnOfOrder(status.Comparisons, sb.Spec.Order)
	status.Searches = search.Results(&sb.Spec, status.Runs, over)
	status.Warnings = analysis.Summarize(status.Targets, status.Runs, status.Comparisons)
}

// Judge holds the results to what is expected of them. It returns condition ExpectationsMet, nil if nothing is
// expected. Only results of all runs can be judged: a median over some of the repetitions is another one.
func Judge(sb *v1alpha1.StorageBenchmark) *metav1.Condition {
	findings := expectation.Judge(&sb.Spec, &sb.Status)
	sb.Status.Expected = expectation.Short(findings)
	status, reason, message, expected := expectation.Condition(findings)
	if !expected {
		return nil
	}
	return &metav1.Condition{
		Type: v1alpha1.ConditionExpectationsMet, Status: status, Reason: reason, Message: message,
	}
}

// Summarize derives the figures and lines that people read.
func Summarize(status *v1alpha1.StorageBenchmarkStatus) {
	status.Progress = ""
	if status.PlannedRuns > 0 {
		status.Progress = fmt.Sprintf("%d/%d", status.FinishedRuns, status.PlannedRuns)
	}
	status.WarningCount = int32(len(status.Warnings))
	status.Best, status.Summary = summary.Best(status), summary.Summary(status)
}
