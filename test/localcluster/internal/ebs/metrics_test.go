package ebs

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
)

// Names, types and labels are those of the real driver (v1.64.0, pkg/metrics/nvme.go), and there is no other metric.
func TestMetricsOfTheRealDriver(t *testing.T) {
	volume := disk.Statistics{QueueLength: 3}
	volume.Write = disk.Operations{Count: 4, Bytes: 16384, Time: time.Second, Latencies: [disk.LatencyBuckets]uint64{1, 0, 3}}
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCollector(func() map[string]disk.Statistics { return map[string]disk.Statistics{"vol-1": volume} }))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	const counter, gauge, histogram = dto.MetricType_COUNTER, dto.MetricType_GAUGE, dto.MetricType_HISTOGRAM
	const volumes, node = "instance_id volume_id", "instance_id"
	type kind struct {
		of     dto.MetricType
		labels string
	}
	want := map[string]kind{
		"aws_ebs_csi_read_ops_total": {counter, volumes}, "aws_ebs_csi_write_ops_total": {counter, volumes},
		"aws_ebs_csi_read_bytes_total": {counter, volumes}, "aws_ebs_csi_write_bytes_total": {counter, volumes},
		"aws_ebs_csi_read_seconds_total": {counter, volumes}, "aws_ebs_csi_write_seconds_total": {counter, volumes},
		"aws_ebs_csi_exceeded_iops_seconds_total": {counter, volumes}, "aws_ebs_csi_exceeded_tp_seconds_total": {counter, volumes},
		"aws_ebs_csi_ec2_exceeded_iops_seconds_total": {counter, volumes}, "aws_ebs_csi_ec2_exceeded_tp_seconds_total": {counter, volumes},
		"aws_ebs_csi_volume_queue_length":     {gauge, volumes},
		"aws_ebs_csi_read_io_latency_seconds": {histogram, volumes}, "aws_ebs_csi_write_io_latency_seconds": {histogram, volumes},
		"aws_ebs_csi_nvme_collector_scrapes_total": {counter, node}, "aws_ebs_csi_nvme_collector_errors_total": {counter, node},
		"aws_ebs_csi_nvme_collector_duration_seconds": {histogram, node},
	}
	got := map[string]kind{}
	for _, family := range families {
		labels := ""
		for _, label := range family.GetMetric()[0].GetLabel() {
			labels += " " + label.GetName()
		}
		got[family.GetName()] = kind{family.GetType(), labels[1:]}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(kind{})); diff != "" {
		t.Errorf("-the real driver +here:\n%s", diff)
	}
	at := slices.IndexFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == "aws_ebs_csi_write_io_latency_seconds" })
	h := families[at].GetMetric()[0].GetHistogram()
	first, third := h.GetBucket()[0], h.GetBucket()[2]
	if h.GetSampleCount() != 4 || first.GetUpperBound() != 0.000001 || first.GetCumulativeCount() != 1 || third.GetUpperBound() != 0.000004 || third.GetCumulativeCount() != 4 {
		t.Errorf("the histogram is %v", h)
	}
}
