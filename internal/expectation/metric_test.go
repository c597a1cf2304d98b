package expectation

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The API takes all metrics, and no other.
func TestMetricsAreThoseOfTheAPI(t *testing.T) {
	text, err := os.ReadFile("../../config/crd/bases/storagebench.dev_storagebenchmarks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	schema := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["expectations"].Items.Schema.Properties["metric"]
	var taken, known []string
	for _, value := range schema.Enum {
		taken = append(taken, strings.Trim(string(value.Raw), `"`))
	}
	for _, m := range Metrics() {
		known = append(known, m.String())
	}
	if diff := cmp.Diff(known, taken); diff != "" {
		t.Errorf("the API's enum (-want +got):\n%s", diff)
	}
}

func TestMetricOf(t *testing.T) {
	distribution := func(from int64) *v1alpha1.LatencyDistribution {
		return &v1alpha1.LatencyDistribution{
			MinNanoseconds: from, P50Nanoseconds: from + 1, P90Nanoseconds: from + 2, P95Nanoseconds: from + 3,
			P99Nanoseconds: from + 4, P999Nanoseconds: from + 5, P9999Nanoseconds: from + 6, MaxNanoseconds: from + 7,
		}
	}
	r := &v1alpha1.Result{
		Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 10_000, BytesPerSecond: 20, Latency: &v1alpha1.Latency{MeanNanoseconds: 30}, CompletionLatency: distribution(100)}, {Name: v1alpha1.OperationWrite, MilliIOPS: 1_000, BytesPerSecond: 2}},
	}
	for name, want := range map[string]int64{
		"read.iops": 10_000, "read.bandwidth": 20, "read.mean": 30, "read.p50": 101, "read.p90": 102, "read.p95": 103, "read.p99": 104,
		"read.p999": 105, "read.p9999": 106, "read.max": 107, "write.iops": 1_000, "total.iops": 11_000, "total.bandwidth": 22,
		"write.p99": -1, "write.mean": -1, "trim.iops": -1, "trim.p99": -1, "sync.p99": -1,
	} {
		m, known := FindMetric(name)
		if !known {
			t.Fatalf("there is no metric %s", name)
		}
		got, measured := m.Of(r)
		if !measured {
			got = -1
		}
		if got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	if _, measured := (Metric{Part: v1alpha1.OperationTotal, Figure: "iops"}).Of(&v1alpha1.Result{}); measured {
		t.Error("a result without I/O has a total")
	}
}

// A result without syncs, or without their percentiles, lacks the metrics of these.
func TestSyncMetricOf(t *testing.T) {
	whole := &v1alpha1.Figures{Latency: &v1alpha1.Latency{MeanNanoseconds: 30}, CompletionLatency: &v1alpha1.LatencyDistribution{
		P50Nanoseconds: 101, P90Nanoseconds: 102, P95Nanoseconds: 103, P99Nanoseconds: 104, P999Nanoseconds: 105, P9999Nanoseconds: 106, MaxNanoseconds: 107,
	}}
	for name, test := range map[string]struct {
		sync *v1alpha1.Figures
		want map[string]int64
	}{
		"with percentiles": {whole, map[string]int64{
			"sync.mean": 30, "sync.p50": 101, "sync.p90": 102, "sync.p95": 103, "sync.p99": 104, "sync.p999": 105, "sync.p9999": 106, "sync.max": 107,
		}},
		"without percentiles": {&v1alpha1.Figures{Latency: &v1alpha1.Latency{MeanNanoseconds: 30}}, map[string]int64{"sync.mean": 30}},
		"without syncs":       {nil, map[string]int64{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]int64{}
			for _, m := range Metrics() {
				if value, measured := m.Of(&v1alpha1.Result{Figures: v1alpha1.ListOf(test.sync.As(v1alpha1.OperationSync))}); measured && m.Part == v1alpha1.OperationSync {
					got[m.String()] = value
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Operations on files have a rate and latencies, and a total is not of them.
func TestMetadataMetricOf(t *testing.T) {
	d := &v1alpha1.LatencyDistribution{P50Nanoseconds: 101, P90Nanoseconds: 102, P95Nanoseconds: 103, P99Nanoseconds: 104, P999Nanoseconds: 105, P9999Nanoseconds: 106, MaxNanoseconds: 107}
	for name, test := range map[string]struct {
		metadata *v1alpha1.Figures
		want     map[string]int64
	}{
		"with percentiles": {&v1alpha1.Figures{Count: 9, MilliIOPS: 20_000, Latency: &v1alpha1.Latency{MeanNanoseconds: 30}, CompletionLatency: d}, map[string]int64{
			"metadata.iops": 20_000, "metadata.mean": 30, "metadata.p50": 101, "metadata.p90": 102, "metadata.p95": 103, "metadata.p99": 104,
			"metadata.p999": 105, "metadata.p9999": 106, "metadata.max": 107,
		}},
		"without percentiles": {&v1alpha1.Figures{MilliIOPS: 20_000, Latency: &v1alpha1.Latency{MeanNanoseconds: 30}}, map[string]int64{"metadata.iops": 20_000, "metadata.mean": 30}},
		"none":                {nil, map[string]int64{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]int64{}
			for _, m := range Metrics() {
				if value, measured := m.Of(&v1alpha1.Result{Figures: v1alpha1.ListOf(test.metadata.As(v1alpha1.OperationMetadata))}); measured {
					got[m.String()] = value
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestText(t *testing.T) {
	for name, test := range map[string]struct {
		value int64
		text  string
	}{
		"sync.p99": {14_000_000, "14 ms"}, "write.mean": {1_500, "1.5 us"}, "read.max": {2_000_000_000, "2 s"}, "read.p50": {7, "7 ns"},
		"write.iops": {2_700_000, "2700"}, "read.iops": {4_500, "4.5"}, "read.bandwidth": {131_072_000, "125 MiB/s"}, "total.bandwidth": {10, "10 B/s"},
	} {
		m, _ := FindMetric(name)
		if got := m.Text(test.value); got != test.text {
			t.Errorf("%s of %d is %q, want %q", name, test.value, got, test.text)
		}
	}
	m, _ := FindMetric("sync.p999")
	if got := m.Words("fdatasync"); got != "fdatasync p99.9" {
		t.Errorf("sync.p999 is %q", got)
	}
}
