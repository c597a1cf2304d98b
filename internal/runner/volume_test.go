package runner

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"

	"github.com/storagebench/storagebench/internal/digest"
)

// What EBS counted of operations between two looks is of the volume that was asked about.
func TestVolumeOperations(t *testing.T) {
	var log bytes.Buffer
	volumes := []ebsVolume{{id: "vol-other", read: [3]uint64{1, 2, 3}}, {id: "vol-mine", read: [3]uint64{100, 200, 300}, write: [3]uint64{7, 7, 7}}}
	e := &exporter{url: exporterOfVolumes(t, &volumes), volume: "vol-mine", log: &log}
	seen := filesSeen{exporter: e, volume: e.ask(t.Context())}
	volumes[0].read = [3]uint64{1000, 2000, 3000}
	volumes[1].read = [3]uint64{100 + 490, 200 + 985, 300 + 1000} // of 1,000: 490, 495 and 15
	_, got := seen.volumeSince(t.Context())
	want := &digest.Volume{Read: digest.VolumeOperations{Count: 1000, Bytes: 4_096_000, Microseconds: 1_500_000, P50: 2000, P99: 4000}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s\n%s", diff, &log)
	}
	volumes[1].write[0], volumes[1].write[1], volumes[1].write[2] = 5, 5, 5 // attached anew
	if _, got := seen.volumeSince(t.Context()); got != nil {
		t.Errorf("operations have run backwards: %+v", got)
	}
	if log.Len() > 0 {
		t.Errorf("the log has %s", &log)
	}
}

// An exporter that has no operations, as before they were added, still says what was exceeded.
func TestExporterWithoutOperations(t *testing.T) {
	text := ""
	for _, name := range exceededNames {
		text += "# TYPE " + name + " counter\n" + name + "{volume_id=\"v\"} 1\n"
	}
	for name, lines := range map[string]string{
		"without":            "",
		"with some":          "# TYPE aws_ebs_csi_read_ops_total counter\naws_ebs_csi_read_ops_total{volume_id=\"v\"} 1\n",
		"with what is none":  strings.ReplaceAll("# TYPE aws_ebs_csi_read_ops_total counter\naws_ebs_csi_read_ops_total{volume_id=\"v\"} 1\n", "} 1", "} NaN"),
		"of another type":    "# TYPE aws_ebs_csi_read_ops_total gauge\naws_ebs_csi_read_ops_total{volume_id=\"v\"} 1\n",
		"of another volume":  "# TYPE aws_ebs_csi_read_ops_total counter\naws_ebs_csi_read_ops_total{volume_id=\"w\"} 1\n",
		"a histogram of one": "# TYPE aws_ebs_csi_read_io_latency_seconds histogram\naws_ebs_csi_read_io_latency_seconds_bucket{volume_id=\"v\",le=\"+Inf\"} 1\n",
	} {
		families, err := metricsOf(strings.NewReader(text+lines), "v", metricNames...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, found := counterOf(families[metricVolumeIOPS], "v"); !found || operationsOf(families, "v") != nil {
			t.Errorf("%s operations: exceeded is found: %t, operations are %+v", name, found, operationsOf(families, "v"))
		}
	}
}

// All lines of a volume with the most buckets that EBS has are kept.
func TestLargestVolume(t *testing.T) {
	var text strings.Builder
	for _, m := range []operationMetrics{readMetrics, writeMetrics} {
		for _, name := range []string{m.count, m.bytes, m.seconds} {
			fmt.Fprintf(&text, "# TYPE %s counter\n%s{instance_id=\"i-0123456789abcdef0\",volume_id=\"vol-0123456789abcdef0\"} 1.8446744073709552e+19\n", name, name)
		}
		fmt.Fprintf(&text, "# TYPE %s histogram\n", m.latency)
		for bin := range 64 {
			fmt.Fprintf(&text, "%s_bucket{instance_id=\"i-0123456789abcdef0\",volume_id=\"vol-0123456789abcdef0\",le=\"1.8446744073%03d\"} 1.8446744073709552e+19\n", m.latency, bin)
		}
		fmt.Fprintf(&text, "%s_bucket{instance_id=\"i-0123456789abcdef0\",volume_id=\"vol-0123456789abcdef0\",le=\"+Inf\"} 18446744073709551615\n", m.latency)
	}
	families, err := metricsOf(strings.NewReader(text.String()), "vol-0123456789abcdef0", metricNames...)
	if err != nil || len(metricOfVolume(families[writeMetrics.latency], "vol-0123456789abcdef0").GetHistogram().GetBucket()) != 65 {
		t.Errorf("of %d bytes: %v, %v", text.Len(), err, families)
	}
}

// A percentile is the end of its bucket, and unknown where buckets differ or have no end.
func TestPercentileSince(t *testing.T) {
	histogram := func(ends []float64, cumulative ...uint64) *dto.Histogram {
		h := &dto.Histogram{}
		for i, end := range ends {
			h.Bucket = append(h.Bucket, &dto.Bucket{UpperBound: &end, CumulativeCount: &cumulative[i]})
		}
		return h
	}
	ends := []float64{0.000001, 0.000512, 18446744073709}
	for _, test := range []struct {
		name          string
		before, after *dto.Histogram
		share         float64
		want          int64
	}{
		{"the first", histogram(ends, 5, 5, 5), histogram(ends, 105, 105, 105), 0.5, 1},
		{"the second", histogram(ends, 5, 5, 5), histogram(ends, 5, 105, 105), 0.99, 512},
		{"just the first", histogram(ends, 0, 0, 0), histogram(ends, 50, 100, 100), 0.5, 1},
		{"just the second", histogram(ends, 0, 0, 0), histogram(ends, 49, 100, 100), 0.5, 512},
		{"beyond all", histogram(ends, 0, 0, 0), histogram(ends, 0, 50, 100), 0.99, 0},
		{"nothing", histogram(ends, 5, 5, 5), histogram(ends, 5, 5, 5), 0.5, 0},
		{"other buckets", histogram([]float64{1, 2, 3}, 0, 0, 0), histogram(ends, 0, 0, 9), 0.5, 0},
		{"more buckets", histogram(ends[:2], 0, 0), histogram(ends, 0, 0, 9), 0.5, 0},
		{"none before", nil, histogram(ends, 0, 0, 9), 0.5, 0},
		{"none", nil, nil, 0.5, 0},
	} {
		if got := percentileSince(test.before, test.after, test.share); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}
