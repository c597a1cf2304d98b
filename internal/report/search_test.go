package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/export"
	"github.com/storagebench/storagebench/internal/report/summary"
	"github.com/storagebench/storagebench/internal/search"
	"github.com/storagebench/storagebench/test/builder"
)

// searchedBenchmark is one of which a search has ended on one target, and found nothing on another.
func searchedBenchmark() *v1alpha1.StorageBenchmark {
	workload := builder.NewWorkload("reads")
	workload.Search = &v1alpha1.LoadSearch{Vary: v1alpha1.VaryIODepth, Max: 4, Objective: v1alpha1.SearchObjective{Metric: "read.mean", Max: "5ms"}}
	sb := builder.NewBenchmark("ns", "sb").Target(builder.NewTarget("gp3")).Target(builder.NewTarget("slow")).Workload(workload).Build()
	add := func(target string, depth int32, iops, nanoseconds int64, verdict v1alpha1.SearchVerdict) {
		result := builder.Result()
		result.Of(v1alpha1.OperationRead).MilliIOPS, result.Of(v1alpha1.OperationRead).BytesPerSecond, result.Of(v1alpha1.OperationRead).Latency.MeanNanoseconds = 1000*iops, 4096*iops, nanoseconds
		sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{
			Name: "reads." + target + ".step-" + search.Text(depth), Target: target, Workload: "reads", Repetition: 1, State: v1alpha1.RunSucceeded, Result: result,
			Parameters: map[string]string{"iodepth": search.Text(depth)},
			Search:     &v1alpha1.RunSearch{Step: depth, Vary: v1alpha1.VaryIODepth, Value: depth, Verdict: verdict},
		})
	}
	add("gp3", 1, 1000, 1_000_000, v1alpha1.SearchWithin)
	add("gp3", 2, 1900, 2_000_000, v1alpha1.SearchWithin)
	add("gp3", 2, 1900, 2_000_000, v1alpha1.SearchAnswer)
	add("gp3", 4, 2000, 8_000_000, v1alpha1.SearchBeyond)
	add("gp3", 3, 2000, 6_000_000, v1alpha1.SearchBeyond)
	add("gp3", 3, 2000, 6_000_000, v1alpha1.SearchBeyond)
	add("slow", 1, 100, 9_000_000, v1alpha1.SearchBeyond)
	add("slow", 1, 100, 9_000_000, v1alpha1.SearchBeyond)
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "slow"}, "gp3")
	sb.Status.Searches = search.Results(&sb.Spec, sb.Status.Runs, true)
	return sb
}

// Tables, summaries and explanations have the answer of a search, and nothing is an average of several loads.
func TestSearchIsReported(t *testing.T) {
	sb := searchedBenchmark()
	const found = "1900 IOPS at read.mean <= 5 ms (iodepth 2); at saturation 2000 IOPS and 6 ms"
	for name, test := range map[string]struct {
		print func(*bytes.Buffer) error
		want  []string
	}{
		"table": {
			func(w *bytes.Buffer) error { Table(w, sb, Style{}); return nil },
			[]string{"1900", "reads on gp3: " + found + " (95 % can be used within the budget)", "reads on slow: not even iodepth 1 keeps read.mean <= 5 ms: 9 ms"},
		},
		"explanation": {
			func(w *bytes.Buffer) error { return Explain(w, sb, "", Style{}) },
			[]string{"latency budget\n  reads on gp3: " + found, "\n  reads on slow: not even iodepth 1 keeps", "\n\nreads on gp3\n", "run that stands for the search"},
		},
		"explanation of a run": {
			func(w *bytes.Buffer) error { return Explain(w, sb, "reads.gp3.step-4", Style{}) },
			[]string{"This is step 4 of a search", "which did not keep the budget"},
		},
		"CSV":      {func(w *bytes.Buffer) error { return export.CSV(w, sb) }, []string{"search_step,search_verdict", ",2,Answer,"}},
		"JSON":     {func(w *bytes.Buffer) error { return export.JSON(w, sb) }, []string{`"outcome": "MinBeyond"`, `"verdict": "Answer"`}},
		"Markdown": {func(w *bytes.Buffer) error { return Markdown(w, sb) }, []string{"## Highest load within the latency budget", "1900 IOPS"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := test.print(&out); err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in\n%s", want, out.String())
				}
			}
		})
	}
	want := "reads: gp3 1900 IOPS 5.01ms p50 at read.mean<=5.00ms (iodepth 2); reads: slow not even iodepth 1 keeps read.mean <= 5 ms: 9 ms"
	if got := summary.Summary(&sb.Status); got != want {
		t.Errorf("summary is %q, want %q", got, want)
	}
	if len(sb.Status.Comparisons) != 1 || sb.Status.Comparisons[0].Targets[0].Runs != 1 {
		t.Errorf("comparisons are %+v", sb.Status.Comparisons)
	}
}
