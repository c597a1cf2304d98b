package runner

import (
	"math"
	"slices"

	dto "github.com/prometheus/client_model/go"

	"github.com/storagebench/storagebench/internal/digest"
)

// volumeSeen is what EBS has counted of a volume since it was attached.
type volumeSeen struct {
	exceeded digest.Exceeded
	// operations are nil where the exporter does not have them.
	operations *operationsSeen
}

// operationsSeen are the reads and the writes of a volume.
type operationsSeen struct{ read, write operationSeen }

// operationSeen is one kind of operations.
type operationSeen struct {
	count, bytes, seconds float64
	// latencies count the operations by how long they took.
	latencies *dto.Histogram
}

// operationMetrics are the names of the metrics of one kind of operations. A histogram has lines of several names.
type operationMetrics struct{ count, bytes, seconds, latency string }

// Metrics of the node's part of aws-ebs-csi-driver (v1.64.0, pkg/metrics/nvme.go), which are counted since the volume
// was attached.
var (
	readMetrics = operationMetrics{
		count: "aws_ebs_csi_read_ops_total", bytes: "aws_ebs_csi_read_bytes_total",
		seconds: "aws_ebs_csi_read_seconds_total", latency: "aws_ebs_csi_read_io_latency_seconds",
	}
	writeMetrics = operationMetrics{
		count: "aws_ebs_csi_write_ops_total", bytes: "aws_ebs_csi_write_bytes_total",
		seconds: "aws_ebs_csi_write_seconds_total", latency: "aws_ebs_csi_write_io_latency_seconds",
	}
	// metricNames are all that is read.
	metricNames = slices.Concat(
		[]string{metricVolumeIOPS, metricVolumeThroughput, metricInstanceIOPS, metricInstanceThroughput},
		readMetrics.names(), writeMetrics.names(),
	)
)

func (m operationMetrics) names() []string {
	return []string{m.count, m.bytes, m.seconds, m.latency, m.latency + "_bucket", m.latency + "_sum", m.latency + "_count"}
}

// operationsOf returns the operations of a volume, nil if any figure is missing.
func operationsOf(families map[string]*dto.MetricFamily, volume string) *operationsSeen {
	read, readKnown := readMetrics.of(families, volume)
	write, writeKnown := writeMetrics.of(families, volume)
	if !readKnown || !writeKnown {
		return nil
	}
	return &operationsSeen{read, write}
}

func (m operationMetrics) of(families map[string]*dto.MetricFamily, volume string) (seen operationSeen, known bool) {
	figures := map[string]*float64{m.count: &seen.count, m.bytes: &seen.bytes, m.seconds: &seen.seconds}
	for name, figure := range figures {
		value, found := counterOf(families[name], volume)
		if !found || !(value >= 0 && value <= maxCounted) { // nor is NaN
			return seen, false
		}
		*figure = value
	}
	seen.latencies = metricOfVolume(families[m.latency], volume).GetHistogram()
	return seen, true
}

// maxCounted bounds what a volume can have counted, which is less than what integers hold.
const maxCounted = 1 << 60

// since returns the operations between two moments, nil if they are not known.
func (o *operationsSeen) since(before *operationsSeen) *digest.Volume {
	if o == nil || before == nil {
		return nil
	}
	between := &digest.Volume{Read: o.read.since(before.read), Write: o.write.since(before.write)}
	for _, figure := range between.Sums() {
		if *figure < 0 {
			return nil
		}
	}
	return between
}

func (o operationSeen) since(before operationSeen) digest.VolumeOperations {
	return digest.VolumeOperations{
		Count: round(o.count - before.count), Bytes: round(o.bytes - before.bytes),
		Microseconds: round(1e6 * (o.seconds - before.seconds)),
		P50:          percentileSince(before.latencies, o.latencies, 0.50),
		P99:          percentileSince(before.latencies, o.latencies, 0.99),
	}
}

// maxLatency is longer than an operation can take, in seconds: the last bucket of a volume may have no end.
const maxLatency = 1e6

// percentileSince returns the end of the bucket that has a percentile of what was counted between two moments, in
// microseconds; 0 if it is not known.
func percentileSince(before, after *dto.Histogram, share float64) int64 {
	then, now := before.GetBucket(), after.GetBucket()
	if len(now) == 0 || len(then) != len(now) {
		return 0
	}
	total := difference(then, now, len(now)-1)
	for i, bucket := range now {
		if then[i].GetUpperBound() != bucket.GetUpperBound() {
			return 0 // other buckets
		}
		if count := difference(then, now, i); total > 0 && count >= math.Ceil(share*total) {
			if bucket.GetUpperBound() > maxLatency {
				return 0
			}
			return round(1e6 * bucket.GetUpperBound())
		}
	}
	return 0
}

// difference returns how many of what was counted between two moments are in a bucket and all below it.
func difference(then, now []*dto.Bucket, at int) float64 {
	return float64(now[at].GetCumulativeCount()) - float64(then[at].GetCumulativeCount())
}

// metricOfVolume returns the metric of a volume, nil if there is none.
func metricOfVolume(family *dto.MetricFamily, volume string) *dto.Metric {
	for _, metric := range family.GetMetric() {
		for _, label := range metric.GetLabel() {
			if label.GetName() == "volume_id" && label.GetValue() == volume {
				return metric
			}
		}
	}
	return nil
}
