package html

import (
	"bytes"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
)

// lookups is a benchmark that looks files up on two targets.
func lookups() *v1alpha1.StorageBenchmark {
	sb := &v1alpha1.StorageBenchmark{Spec: v1alpha1.StorageBenchmarkSpec{
		Targets:   []v1alpha1.Target{{Name: "gp3"}, {Name: "efs"}},
		Workloads: []v1alpha1.Workload{{Name: "files", Fio: &v1alpha1.FioParameters{RW: "read", IOEngine: new("filestat"), NrFiles: new(int32(100)), Size: new("400k")}}},
	}}
	for target, perSecond := range map[string]int64{"gp3": 200_000, "efs": 1500} {
		ns := 1_000_000_000 / perSecond
		sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{
			Name: "files." + target, Target: target, Workload: "files", State: v1alpha1.RunSucceeded,
			Result: &v1alpha1.Result{ElapsedMilliseconds: 1000, Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationMetadata, Count: perSecond, MilliIOPS: 1000 * perSecond, Latency: &v1alpha1.Latency{MeanNanoseconds: ns}, CompletionLatency: &v1alpha1.LatencyDistribution{
				MinNanoseconds: ns / 2, P50Nanoseconds: ns, P90Nanoseconds: 2 * ns, P95Nanoseconds: 3 * ns, P99Nanoseconds: 4 * ns, P999Nanoseconds: 5 * ns, P9999Nanoseconds: 6 * ns, MaxNanoseconds: 7 * ns,
			}}}},
		})
	}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	return sb
}

// A page has of operations on files their rate and latencies, and says nothing of bytes.
func TestMetadata(t *testing.T) {
	r := newResults(lookups())
	cards := r.cards()
	if len(cards) != 2 || cards[0].Figure != "200000" || cards[0].Peak != "operations on files" || cards[1].Peak != "up to 1500 IOPS" || cards[1].Figure != "0.00750x" {
		t.Errorf("cards %+v", cards)
	}
	bars := r.bars("files", operations)
	if bars == nil || len(bars.Chart.Metrics[metricIOPS].Points) != 2 || len(bars.Chart.Metrics[metricP99].Points) != 2 || len(bars.Chart.Metrics[metricBandwidth].Points) != 0 {
		t.Fatalf("bars %+v", bars)
	}
	if other := r.bars("files", directions[0]); other != nil {
		t.Errorf("reads: %+v", other)
	}
	curves := r.latencies(r.of("files")[0], operations)
	if curves == nil || len(curves.Chart.Metrics[metricLatency].Points) == 0 || !strings.Contains(curves.Chart.Metrics[metricLatency].Points[0].Text, "of operations within") {
		t.Errorf("curves %+v", curves)
	}
	table := r.comparisonTable("files")
	if len(table.Rows) != 2 || len(r.runsTable().Rows) != 2 {
		t.Errorf("table %+v", table)
	}
	var page bytes.Buffer
	if err := Write(&page, lookups(), nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Metadata IOPS", "Operations on files and directories"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page.String(), "Sequential reads") || strings.Contains(page.String(), "0 B/s") {
		t.Error("the page speaks of reads, or of no bytes a second")
	}
}
