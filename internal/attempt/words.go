package attempt

import (
	"fmt"
	"strings"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/humanize"
)

// DescribeRun returns a run's name, its number and that of its attempt.
func DescribeRun(status *v1alpha1.StorageBenchmarkStatus, run *v1alpha1.Run) string {
	most := ""
	if run.Search != nil {
		most = "at most "
	}
	text := fmt.Sprintf("run %s (%d of %s%d)", run.Name, status.EndedRuns()+1, most, status.PlannedRuns)
	if clients := run.ClientCount(); clients > 1 {
		text += fmt.Sprintf(" by %d clients", clients)
	}
	if run.Search != nil && run.Search.Value > 0 {
		text += fmt.Sprintf(" with %s %d", run.Search.Vary, run.Search.Value)
	}
	if run.Attempts > 1 {
		text += fmt.Sprintf(", attempt %d", run.Attempts)
	}
	return text
}

// DescribeAnchor says what the anchor of a client is, and its attempt.
func DescribeAnchor(status *v1alpha1.StorageBenchmarkStatus, client int) string {
	text := "the anchor (one pod that mounts all volumes)"
	if n := len(status.Anchors); n > 1 {
		text = fmt.Sprintf("the anchor of %s (one of %d pods: each mounts all volumes of its client)", childmeta.Client(int32(client)), n)
	}
	if attempts := status.Anchors[client].Attempts; attempts > 1 {
		text += fmt.Sprintf(", attempt %d", attempts)
	}
	return text
}

// SumUp says how the runs of a benchmark ended that has none to make any more: whether all were measured, and with which words.
func SumUp(status *v1alpha1.StorageBenchmarkStatus, now time.Time) (measured bool, words string) {
	runs := humanize.Plural(int(status.PlannedRuns), "run")
	var failures []string
	for i := range status.Runs {
		if run := &status.Runs[i]; run.State == v1alpha1.RunFailed {
			failures = append(failures, run.Name+": "+run.Message)
		}
	}
	if len(failures) > 0 {
		return false, fmt.Sprintf("%d of %s failed: %s", len(failures), runs, strings.Join(failures, "; "))
	}
	took := now.Sub(status.StartTime.Time).Round(time.Second)
	return true, fmt.Sprintf("%s on %s in %s", runs, humanize.Plural(len(status.Targets), "target"), took)
}
