//go:build e2e

package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/internal/histogram"
)

// etcd has each client do what etcd's own answer does: writes of 2,300 bytes, each followed by fdatasync.
func etcd(sb *v1alpha1.StorageBenchmark) {
	sb.Spec.Workloads = []v1alpha1.Workload{{Name: "etcd", Fio: &v1alpha1.FioParameters{
		RW: "write", BS: new("2300"), Size: new("22M"), Fdatasync: new(int32(1)), TimeBased: new(true), RuntimeSeconds: new(int32(3)),
	}}}
}

// The status has of syncs what fio says of them.
func TestSyncsOfOneClient(t *testing.T) {
	sideBySide(t, load(figures))
	sb := benchmark(t, "syncs", etcd)
	create(t, sb)
	run := completes(t, sb).Status.Runs[0]
	output, err := fiooutput.Parse([]byte(keptLog(t, &run)))
	if err != nil {
		t.Fatal(err)
	}
	want, got := output.Groups[0].Sync, run.Result.Of(v1alpha1.OperationSync)
	if want == nil || got == nil || got.CompletionLatency == nil {
		t.Fatalf("syncs %+v, fio says %+v", got, want)
	}
	if got.Count != want.Count || got.Mean() != int64(math.Round(want.MeanNanoseconds)) ||
		got.CompletionLatency.MinNanoseconds != want.MinNanoseconds || got.CompletionLatency.MaxNanoseconds != want.MaxNanoseconds {
		t.Errorf("syncs %+v, fio says %+v", got, want)
	}
	checkPercentiles(t, got.CompletionLatency, want.Histogram)
	for _, w := range run.Warnings {
		if w.Reason == v1alpha1.WarningFilesFitInMemory || w.Reason == v1alpha1.WarningUnsyncedWrites {
			t.Errorf("warning %+v", w)
		}
	}
}

// What two clients had of syncs is merged of the histograms of both.
func TestSyncsOfTwoClients(t *testing.T) {
	ownNode(t, twoNodes, load(figures))
	sb := benchmark(t, "syncs-of-two", exclusive, clients(2), etcd)
	run := measured(t, sb).Status.Runs[0]
	kept := &corev1.ConfigMap{}
	if err := k8s.Get(t.Context(), client.ObjectKey{Namespace: namespaceOf(t), Name: run.ClientsConfigMap}, kept); err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(kept.BinaryData["clients.json.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	var records []struct {
		Sections []struct {
			Result v1alpha1.Result
			Bins   map[string]map[uint64]uint64
		}
	}
	if err := json.NewDecoder(r).Decode(&records); err != nil {
		t.Fatal(err)
	}
	all, count := &histogram.Histogram{}, int64(0)
	for _, record := range records {
		own, err := histogram.FromBins(record.Sections[0].Bins[v1alpha1.OperationSync])
		if err != nil {
			t.Fatal(err)
		}
		all.Merge(own)
		count += record.Sections[0].Result.Of(v1alpha1.OperationSync).Count
	}
	got := run.Result.Of(v1alpha1.OperationSync)
	if len(records) != 2 || got == nil || got.Count != count || all.Count() != uint64(count) {
		t.Fatalf("syncs of %d clients %+v, together %d", len(records), got, count)
	}
	checkPercentiles(t, got.CompletionLatency, all)
}

// checkPercentiles holds a distribution to fio's histogram.
func checkPercentiles(t *testing.T, got *v1alpha1.LatencyDistribution, want *histogram.Histogram) {
	t.Helper()
	for p, ns := range map[float64]int64{
		50: got.P50Nanoseconds, 90: got.P90Nanoseconds, 95: got.P95Nanoseconds, 99: got.P99Nanoseconds, 99.9: got.P999Nanoseconds, 99.99: got.P9999Nanoseconds,
	} {
		if value := want.Percentile(p); ns != int64(value) {
			t.Errorf("percentile %v is %d, fio says %d", p, ns, value)
		}
	}
}
