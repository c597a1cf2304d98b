package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
)

// TestExplainTellsSharedFactsOnce: what several results have in common is told once, with the results that have it.
func TestExplainTellsSharedFactsOnce(t *testing.T) {
	sb := experiment("e1", []int64{3000}, []int64{1500})
	bound := &v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency, Message: "each I/O is waited for"}
	for i, samples := range []string{"3000", "1500"} {
		run := &sb.Status.Runs[i]
		run.LimitedBy = bound
		run.Warnings = []v1alpha1.Warning{
			{Reason: v1alpha1.WarningShortRuntime, Message: "measured for 1s"},
			{Reason: v1alpha1.WarningFewSamples, Message: "p99.9 needs 10000 writes, and there were " + samples},
		}
	}
	sb.Status.Runs[1].Warnings = append(sb.Status.Runs[1].Warnings, v1alpha1.Warning{Reason: v1alpha1.WarningCPUSteal, Message: "stolen"})
	sb.Status.Warnings = analysis.Summarize(sb.Status.Targets, sb.Status.Runs, sb.Status.Comparisons)
	got := explained(t, sb, "", Style{})
	rows, shared, found := strings.Cut(got, "\nOf several of these results\n")
	if !found {
		t.Fatalf("nothing is shared:\n%s", got)
	}
	var about []string
	for line := range strings.Lines(shared) {
		about = append(about, line[:min(len(line), 45)])
	}
	want := []string{
		"  How sure  All: One run does not show how mu", "  But       All: ShortRuntime: measured for 1",
		"  But       All: FewSamples: p99.9 needs 1000", "  Next      All: Keep more I/Os in flight: mo",
	}
	if diff := cmp.Diff(want, about); diff != "" {
		t.Errorf("shared (-want +got):\n%s", diff)
	}
	if !strings.Contains(shared, "there were 3000. To do: ") || !strings.Contains(shared, "(The figures of the others differ.)") {
		t.Errorf("what differs is not told:\n%s", shared)
	}
	if strings.Contains(rows, "FewSamples") || !strings.Contains(rows, "  But       CPUSteal: stolen") {
		t.Errorf("rows are\n%s", rows)
	}
	few := strings.ReplaceAll(explained(t, withoutWarnings(sb, 0), "", Style{}), "randwrite bs=16k on ", "")
	if strings.Contains(few, "All: ShortRuntime") || !strings.Contains(few, "  But       ShortRuntime") {
		t.Errorf("what one result has is not with it:\n%s", few)
	}
}

func withoutWarnings(sb *v1alpha1.StorageBenchmark, run int) *v1alpha1.StorageBenchmark {
	sb = sb.DeepCopy()
	sb.Status.Runs[run].Warnings = nil
	return sb
}
