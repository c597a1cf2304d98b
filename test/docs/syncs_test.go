package docs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/result"
	"github.com/storagebench/storagebench/internal/runner"
	"github.com/storagebench/storagebench/test/builder"
)

// TestSyncSample holds the table of syncs in the page about results to what a real fio measured (testdata/README.md). The output
// goes the way of every result: runner, digest, status, comparison, table.
func TestSyncSample(t *testing.T) {
	sb := builder.NewBenchmark("ns", "etcd").Target(builder.NewTarget("disk")).Workload(v1alpha1.Workload{Name: "etcd", Fio: &v1alpha1.FioParameters{
		RW: "write", BS: new("2300"), Size: new("22M"), Fdatasync: new(int32(1)),
	}}).Build()
	runs, problems := plan.Runs(&sb.Spec, nil)
	if len(problems) > 0 {
		t.Fatal(problems.ToAggregate())
	}
	sb.Status.Runs = []v1alpha1.Run{measuredRun(t, &runs[0], "testdata/etcd.json")}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"disk"}, "disk")
	var table bytes.Buffer
	report.Table(&table, sb, report.Style{})
	page, err := os.ReadFile(filepath.Join(root, "docs/results.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```text\n"+table.String()+"```\n") {
		t.Errorf("docs/results.md does not show this table:\n%s", table.String())
	}
}

// measuredRun returns a run with what its fio printed, as the operator has it in the status.
func measuredRun(t *testing.T, planned *plan.Run, output string) v1alpha1.Run {
	t.Helper()
	printed, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	reported, err := runner.ParseReport(printed)
	if err != nil {
		t.Fatal(err)
	}
	message, err := digest.Encode(*reported)
	if err != nil {
		t.Fatal(err)
	}
	measured, err := result.Read([]result.Part{{Report: message}}, planned)
	if err != nil {
		t.Fatal(err)
	}
	findings := measured.Analyse(result.Facts{Planned: planned, Target: &v1alpha1.TargetStatus{Name: planned.Target.Name}})
	return v1alpha1.Run{
		Name: planned.Name, Target: planned.Target.Name, Workload: planned.Workload.Name, Repetition: 1,
		State: v1alpha1.RunSucceeded, Result: measured.Result, LimitedBy: &findings.LimitedBy[0],
	}
}
