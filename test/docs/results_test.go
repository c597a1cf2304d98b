package docs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fiodigest"
	"github.com/storagebench/storagebench/internal/plan"

	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/result"
	"github.com/storagebench/storagebench/test/builder"
)

// TestSyncSample holds the table of syncs in the page about results to what a real fio measured (testdata/README.md). The output
// goes the way of every result: runner, digest, status, comparison, table.
func TestSyncSample(t *testing.T) {
	holdsTable(t, "testdata/etcd.json", v1alpha1.Workload{Name: "etcd", Fio: &v1alpha1.FioParameters{
		RW: "write", BS: new("2300"), Size: new("22M"), Fdatasync: new(int32(1)),
	}})
}

// TestMetadataSample does so with the table of operations on files: a case of the matrix for each section of the job file.
func TestMetadataSample(t *testing.T) {
	var engines v1alpha1.MatrixValues
	for _, engine := range []string{"filecreate", "filestat", "filedelete", "dircreate", "dirstat", "dirdelete"} {
		engines = append(engines, intstr.FromString(engine))
	}
	holdsTable(t, "testdata/metadata.json", v1alpha1.Workload{
		Name:   "files",
		Fio:    &v1alpha1.FioParameters{RW: "read", IOEngine: new("filecreate"), NrFiles: new(int32(1000)), Size: new("4000k"), NumJobs: new(int32(4))},
		Matrix: map[string]v1alpha1.MatrixValues{"ioengine": engines},
	})
}

// holdsTable holds the page about results to the table of a workload's runs, each of which has a section of what fio printed.
func holdsTable(t *testing.T, output string, workload v1alpha1.Workload) {
	t.Helper()
	sb := builder.NewBenchmark("ns", "sample").Target(builder.NewTarget("disk")).Workload(workload).Build()
	runs, problems := plan.Runs(sb.Spec.Default(), nil)
	if len(problems) > 0 {
		t.Fatal(problems.ToAggregate())
	}
	printed, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	reported, err := fiodigest.Parse(printed)
	if err != nil {
		t.Fatal(err)
	}
	if len(reported.Groups) != len(runs) {
		t.Fatalf("fio printed %d sections, and %d runs are planned", len(reported.Groups), len(runs))
	}
	for i := range runs {
		section := *reported
		section.Groups = reported.Groups[i : i+1]
		section.Groups[0].Name = workload.Name
		sb.Status.Runs = append(sb.Status.Runs, measuredRun(t, &runs[i], section))
	}
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

// measuredRun returns a run with what its runner reports, as the operator has it in the status.
func measuredRun(t *testing.T, planned *plan.Run, reported digest.Report) v1alpha1.Run {
	t.Helper()
	message, err := digest.Encode(reported)
	if err != nil {
		t.Fatal(err)
	}
	measured, err := result.Read([]result.Part{{Report: message}}, planned)
	if err != nil {
		t.Fatal(err)
	}
	findings := measured.Analyse(result.Facts{Planned: planned, Target: &v1alpha1.TargetStatus{Name: planned.Target.Name}})
	return v1alpha1.Run{
		Name: planned.Name, Target: planned.Target.Name, Workload: planned.Workload.Name, Parameters: planned.Parameters, Repetition: 1,
		State: v1alpha1.RunSucceeded, Result: measured.Result, LimitedBy: &findings.LimitedBy[0],
	}
}
