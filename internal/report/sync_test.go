package report

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/export"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// etcd is etcd's job on two targets, four times on each.
func etcd() *v1alpha1.StorageBenchmark {
	sb := &v1alpha1.StorageBenchmark{Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp3"}, {Name: "efs"}}, Repetitions: new(int32(4))}}
	sb.Name, sb.Namespace = "b", "ns"
	for i := range int64(4) {
		for target, us := range map[string]int64{"gp3": 900, "efs": 5000} {
			ns := (us + i) * 1000
			run := measured(target, "etcd", nil, v1alpha1.BoundLatency)
			run.Name = "etcd." + target
			run.Result = &v1alpha1.Result{
				FioVersion: "fio-3.39", ElapsedMilliseconds: 60_000,
				Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Count: 24_000, Bytes: 24_000 * 2300, MilliIOPS: 400_000, BytesPerSecond: 400 * 2300, Latency: &v1alpha1.Latency{MeanNanoseconds: 21_000, StddevNanoseconds: 1000}, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: 17_500, P90Nanoseconds: 29_800, P99Nanoseconds: 62_000, MaxNanoseconds: 99_000}}, {Name: v1alpha1.OperationSync, Count: 24_000, Latency: &v1alpha1.Latency{MeanNanoseconds: ns}, CompletionLatency: &v1alpha1.LatencyDistribution{
					MinNanoseconds: ns / 2, P50Nanoseconds: ns, P90Nanoseconds: 2 * ns, P95Nanoseconds: 3 * ns, P99Nanoseconds: 4 * ns, P999Nanoseconds: 5 * ns, P9999Nanoseconds: 6 * ns, MaxNanoseconds: 7 * ns,
				}}},
			}
			sb.Status.Runs = append(sb.Status.Runs, run)
		}
	}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	return sb
}

func TestSyncsInTables(t *testing.T) {
	var short, wide bytes.Buffer
	Table(&short, etcd(), Style{})
	Wide(&wide, etcd(), Style{})
	for name, test := range map[string]struct {
		text string
		// want are the cells of the row of efs' syncs, in their order.
		want []string
	}{
		"table": {short.String(), []string{"etcd", "efs", "sync", "5.00ms", "5.00ms", "10.0ms", "20.0ms", "Slower"}},
		"wide":  {wide.String(), []string{"etcd", "efs", "sync", "4", "5.00ms", "-", "5.00ms", "10.0ms", "15.0ms", "20.0ms", "25.0ms", "30.0ms", "35.0ms", "5.55x", "5.502-5.595", "5.24e-12", "1.05e-11", "Slower"}},
	} {
		t.Run(name, func(t *testing.T) {
			var rows [][]string
			for line := range strings.Lines(test.text) {
				if cells := strings.Fields(line); len(cells) > 2 && cells[2] == "sync" {
					rows = append(rows, cells)
				}
			}
			if len(rows) != 2 {
				t.Fatalf("%d rows of syncs in\n%s", len(rows), test.text)
			}
			if diff := cmp.Diff(test.want, rows[1]); diff != "" {
				t.Errorf("-want +got:\n%s\n%s", diff, test.text)
			}
		})
	}
}

func TestSyncsInExports(t *testing.T) {
	rows := records(t, func(w io.Writer) error { return export.CSV(w, etcd()) })
	found := 0
	for _, r := range rows {
		if r["direction"] != "sync" {
			continue
		}
		found++
		if r["ios"] != "24000" || r["iops"] != "" || r["bytes"] != "" || r["lat_mean_ns"] == "" || r["lat_stddev_ns"] != "" || r["clat_p99_ns"] == "" || r["clat_max_ns"] == "" {
			t.Errorf("row %v", r)
		}
	}
	if found != 8 || len(rows) != 16 {
		t.Errorf("%d rows of syncs of %d", found, len(rows))
	}
	var out bytes.Buffer
	if err := export.JSON(&out, etcd()); err != nil {
		t.Fatal(err)
	}
	var document struct {
		Results []struct {
			Figures v1alpha1.Figures
		}
		Comparisons []struct {
			Verdict string
			Figures v1alpha1.FiguresComparison
		}
	}
	if err := json.Unmarshal(out.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	syncs := 0
	for _, m := range document.Results {
		if (m.Figures.Name == "sync") != (m.Figures.MilliIOPS == 0) {
			t.Errorf("measurement %+v", m)
		}
		if m.Figures.Name == "sync" {
			syncs++
		}
	}
	for _, c := range document.Comparisons {
		if (c.Figures.Name == "sync") != (c.Figures.MilliIOPS == nil) || c.Figures.P99Nanoseconds == nil {
			t.Errorf("comparison %+v", c)
		}
	}
	if syncs != 8 || len(document.Comparisons) != 4 {
		t.Errorf("%d measurements of syncs, %d comparisons", syncs, len(document.Comparisons))
	}
}

func TestSyncsInWords(t *testing.T) {
	sb := etcd()
	if got, want := wording.Outcome(&sb.Status.Runs[0]), " + sync p50 "; !strings.Contains(got, want) || !strings.HasSuffix(got, "; Latency") {
		t.Errorf("outcome %q lacks %q", got, want)
	}
	words := strings.Join(strings.Fields(explained(t, sb, "", Style{})), " ")
	for _, want := range []string{
		"In the median syncs (fsync, fdatasync) took 902us each on average; half of them took at most 902us, 99 of 100 at most 3.61ms.",
		"99 of 100 at most 20.0ms. Slower: 5.55 times the 99th percentile of gp3.",
		"The 99th percentile of syncs is 5.55 times that of gp3, from 5.502 to 5.595 with a confidence of 95 %: Slower (p = 5.24e-12, corrected for the number of comparisons 1.05e-11).",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %s", want, words)
		}
	}
	sb.Status.Runs = sb.Status.Runs[:1]
	words = strings.Join(strings.Fields(explained(t, sb, sb.Status.Runs[0].Name, Style{})), " ")
	if want := "24000 syncs (fsync, fdatasync) took "; !strings.Contains(words, want) {
		t.Errorf("no %q in %s", want, words)
	}
	if page := markdownOf(t, etcd()); strings.Count(page, "| sync |") != 2 {
		t.Errorf("rows of syncs in\n%s", page)
	}
}

// A percentile beyond fio's histogram is nowhere told as if it were known. Means and the slowest are.
func TestBeyondHistogram(t *testing.T) {
	const minute = 60_000_000_000
	sb := etcd()
	for i := range sb.Status.Runs {
		l := sb.Status.Runs[i].Result.Of(v1alpha1.OperationSync).CompletionLatency
		l.P99Nanoseconds, l.P999Nanoseconds, l.P9999Nanoseconds, l.MaxNanoseconds = v1alpha1.BeyondHistogramNanoseconds, v1alpha1.BeyondHistogramNanoseconds, v1alpha1.BeyondHistogramNanoseconds, minute
		sb.Status.Runs[i].Result.Of(v1alpha1.OperationSync).Latency.MeanNanoseconds = v1alpha1.BeyondHistogramNanoseconds
		l.BucketPercent = 7
	}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	if verdict := sb.Status.Comparisons[0].Targets[1].Of(v1alpha1.OperationSync).Verdict(); verdict != v1alpha1.VerdictNotShown {
		t.Errorf("of two targets whose percentiles are not known the verdict is %s", verdict)
	}
	words := strings.Join(strings.Fields(explained(t, sb, "", Style{})), " ")
	if want := "The 99th percentile of syncs has no ratio to that of gp3, as one of them is 0 or beyond fio's histogram: NotShown (p = 1)."; !strings.Contains(words, want) {
		t.Errorf("no %q in %s", want, words)
	}
	wide := printed(func(out *bytes.Buffer) { Wide(out, sb, Style{}) })
	for line := range strings.Lines(wide) {
		if cells := strings.Fields(line); len(cells) > 2 && cells[2] == "sync" && (strings.Count(line, ">17.1s") != 3 || !slices.Contains(cells, "17.1s") || !slices.Contains(cells, "60.0s")) {
			t.Errorf("row %q", line)
		}
	}
	for what, text := range map[string]string{
		"explanation":          explained(t, sb, "", Style{}),
		"explanation of a run": explained(t, sb, "etcd.efs", Style{}),
	} {
		if !strings.Contains(text, "99 of 100 at most a time beyond 17.1s, where fio's histogram ends") {
			t.Errorf("%s:\n%s", what, text)
		}
	}
	if text := explained(t, sb, "etcd.efs", Style{}); !strings.Contains(text, "these percentiles may be off by 4 %") {
		t.Errorf("nothing is said of coarse buckets:\n%s", text)
	}
	for _, r := range records(t, func(w io.Writer) error { return export.CSV(w, sb) }) {
		if want := map[string]string{"sync": "7"}[r["direction"]]; r["clat_bucket_percent"] != want {
			t.Errorf("%s has buckets of %q %%, want %q", r["direction"], r["clat_bucket_percent"], want)
		}
	}
}

// Half of the way to what nobody knows is no median: two of four runs beyond fio's histogram have one beyond it, and no ratio, which is said.
func TestMedianBeyondHistogram(t *testing.T) {
	sb, beyond := etcd(), 0
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		l := run.Result.Of(v1alpha1.OperationSync).CompletionLatency
		if l.P99Nanoseconds, l.P999Nanoseconds = 1e9, 2e9; run.Target == "efs" && beyond < 2 {
			beyond++
			l.P99Nanoseconds, l.P999Nanoseconds = v1alpha1.BeyondHistogramNanoseconds, v1alpha1.BeyondHistogramNanoseconds
		}
	}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	wide := printed(func(out *bytes.Buffer) { Wide(out, sb, Style{}) })
	for line := range strings.Lines(wide) {
		if strings.Contains(line, "efs") && strings.Contains(line, "sync") && (strings.Count(line, ">17.1s") != 2 || strings.Contains(line, "9.")) {
			t.Errorf("row %q", line)
		}
	}
	words := strings.Join(strings.Fields(explained(t, sb, "", Style{})), " ")
	for _, want := range []string{"99 of 100 at most a time beyond 17.1s", "the 99th percentile has no ratio to that of gp3", "The 99th percentile of syncs has no ratio to that of gp3"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %s", want, words)
		}
	}
}
