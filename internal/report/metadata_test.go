package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/export"
	"github.com/storagebench/storagebench/internal/report/summary"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// smallFiles is the creation of files on two targets, four times on each, by two clients.
func smallFiles() *v1alpha1.StorageBenchmark {
	sb := &v1alpha1.StorageBenchmark{Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp3"}, {Name: "efs"}}, Repetitions: new(int32(4))}}
	sb.Name, sb.Namespace = "b", "ns"
	sb.Spec.Workloads = []v1alpha1.Workload{{Name: "files", Fio: &v1alpha1.FioParameters{
		RW: "read", IOEngine: new("filecreate"), NrFiles: new(int32(1000)), NumJobs: new(int32(4)), Size: new("4000k"),
	}}}
	for i := range int64(4) {
		for target, perSecond := range map[string]int64{"gp3": 20_000, "efs": 400} {
			rate := perSecond + i
			ns := 4_000_000_000 / rate
			run := measured(target, "files", nil, v1alpha1.BoundUnknown)
			run.Name = "files." + target
			run.Result = &v1alpha1.Result{
				FioVersion: "fio-3.39", ElapsedMilliseconds: 4_000_000 / rate, Clients: 2,
				Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationMetadata, Count: 4000, MilliIOPS: 1000 * rate, Latency: &v1alpha1.Latency{MeanNanoseconds: ns}, PerClient: &v1alpha1.ClientSpread{MinMilliIOPS: 1000 * (rate / 4), MaxMilliIOPS: 1000 * (rate - rate/4), CoefficientOfVariation: "0.707"}, CompletionLatency: &v1alpha1.LatencyDistribution{
					MinNanoseconds: ns / 2, P50Nanoseconds: ns, P90Nanoseconds: 2 * ns, P95Nanoseconds: 3 * ns, P99Nanoseconds: 4 * ns, P999Nanoseconds: 5 * ns, P9999Nanoseconds: 6 * ns, MaxNanoseconds: 7 * ns,
				}}},
			}
			sb.Status.Runs = append(sb.Status.Runs, run)
		}
	}
	sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "gp3"}, {Name: "efs"}}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	return sb
}

// Rows of metadata have a rate and latencies, and no bytes.
func TestMetadataInTables(t *testing.T) {
	var short, wide bytes.Buffer
	Table(&short, smallFiles(), Style{})
	Wide(&wide, smallFiles(), Style{})
	for name, test := range map[string]struct {
		text string
		// want are the cells of the row of efs, in their order.
		want string
	}{
		"table": {short.String(), "files efs metadata 402 +-0.4% 2 x 100-303 (70.7%) 9.96ms 9.96ms 19.9ms 39.9ms 0.0201x Slower"},
		"wide":  {wide.String(), "files efs metadata 4 402 +-0.4% 400-403 2 x 100-303 (70.7%) 9.96ms - 9.96ms 19.9ms 29.9ms 39.9ms 49.8ms 59.8ms 70.0ms 0.0201x 49.82x 0.0199-0.0203 2.5e-11 2.5e-11 Slower"},
	} {
		t.Run(name, func(t *testing.T) {
			var rows []string
			for line := range strings.Lines(test.text) {
				if cells := strings.Fields(line); len(cells) > 2 && cells[2] == "metadata" {
					rows = append(rows, strings.Join(cells, " "))
				}
			}
			if len(rows) != 2 {
				t.Fatalf("%d rows of metadata in\n%s", len(rows), test.text)
			}
			if diff := cmp.Diff(test.want, rows[1]); diff != "" {
				t.Errorf("-want +got:\n%s\n%s", diff, test.text)
			}
			if strings.Contains(test.text, "BANDWIDTH") {
				t.Errorf("there is a bandwidth in\n%s", test.text)
			}
		})
	}
}

func TestMetadataInExports(t *testing.T) {
	rows := records(t, func(w io.Writer) error { return export.CSV(w, smallFiles()) })
	for _, r := range rows {
		if r["direction"] != "metadata" || r["ios"] != "4000" || r["iops"] == "" || r["bytes"] != "" || r["bytes_per_second"] != "" || r["lat_mean_ns"] == "" || r["lat_stddev_ns"] != "" ||
			r["clat_p99_ns"] == "" || r["clat_max_ns"] == "" || r["client_min_iops"] == "" || r["client_iops_cv"] != "0.707" {
			t.Errorf("row %v", r)
		}
	}
	if len(rows) != 8 {
		t.Errorf("%d rows", len(rows))
	}
	var out bytes.Buffer
	if err := export.JSON(&out, smallFiles()); err != nil {
		t.Fatal(err)
	}
	var document struct {
		Results []struct {
			Figures v1alpha1.Figures
		}
		Comparisons []struct {
			Figures v1alpha1.FiguresComparison
		}
	}
	if err := json.Unmarshal(out.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	for _, m := range document.Results {
		if m.Figures.Name != "metadata" || m.Figures.Count != 4000 || m.Figures.Bytes != 0 {
			t.Errorf("measurement %+v", m)
		}
	}
	for _, c := range document.Comparisons {
		if c.Figures.Name != "metadata" || c.Figures.MilliIOPS == nil || c.Figures.P99Nanoseconds == nil || c.Figures.BytesPerSecond != nil {
			t.Errorf("comparison %+v", c)
		}
	}
	if len(document.Results) != 8 || len(document.Comparisons) != 2 {
		t.Errorf("%d measurements, %d comparisons", len(document.Results), len(document.Comparisons))
	}
}

func TestMetadataInWords(t *testing.T) {
	sb := smallFiles()
	for i := range sb.Status.Runs[:2] {
		if got := wording.Outcome(&sb.Status.Runs[i]); !strings.HasPrefix(got, "metadata ") || !strings.Contains(got, " IOPS, p50 ") || strings.Contains(got, "B/s") {
			t.Errorf("outcome %q", got)
		}
	}
	bare := sb.Status.Runs[0].DeepCopy()
	bare.Result.Of(v1alpha1.OperationMetadata).CompletionLatency, bare.Result.Of(v1alpha1.OperationMetadata).Latency.MeanNanoseconds = nil, 9000
	if got := wording.Outcome(bare); !strings.HasSuffix(got, " IOPS, mean 9.00us") {
		t.Errorf("outcome %q", got)
	}
	if got, want := summary.Summary(&sb.Status), "files: gp3 20002 IOPS 200us p50, efs 402 (0.0201x)"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	if got, want := summary.Best(&sb.Status), "gp3 20002 IOPS"; got != want {
		t.Errorf("best %q, want %q", got, want)
	}
	words := strings.Join(strings.Fields(explained(t, sb, "", Style{})), " ")
	for _, want := range []string{
		"Creation of 1000 files by each of 4 jobs (filecreate)", "In the median 20002 operations on files a second; half of them took at most",
		"Slower: 0.0201 times the rate of gp3.", "4 runs had from 400 to 403 IOPS",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %s", want, words)
		}
	}
	sb.Status.Runs = sb.Status.Runs[:1]
	words = strings.Join(strings.Fields(explained(t, sb, sb.Status.Runs[0].Name, Style{})), " ")
	if want := " operations on files a second; 4000 took "; !strings.Contains(words, want) || strings.Count(words, "Result ") > 1 {
		t.Errorf("no %q in %s", want, words)
	}
	if page := markdownOf(t, smallFiles()); strings.Count(page, "| metadata |") != 2 || !strings.Contains(page, "operations on files per second") {
		t.Errorf("rows of metadata in\n%s", page)
	}
}
