package ebs

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/time/rate"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
)

// The real driver answers as many requests a second, and at once (v1.64.0, pkg/metrics/metrics.go).
const (
	answersPerSecond = 5
	answersAtOnce    = 10
)

// Metrics serves what the real driver's node plugin serves of what EBS says of volumes, with the names, labels and types of v1.64.0
// (pkg/metrics/nvme.go). No instance holds the volumes here back. One exporter has the volumes of all nodes, where each node has one of its own.
func Metrics(disks *disk.Server) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCollector(disks.Statistics))
	limiter := rate.NewLimiter(answersPerSecond, answersAtOnce)
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !limiter.Allow() {
			http.Error(w, "Rate limit exceeded", http.StatusTooManyRequests)
			return
		}
		metrics.ServeHTTP(w, r)
	})
}

// instance is the label that all metrics have.
var instance = prometheus.Labels{"instance_id": "i-00000000000000000"}

// metric is a metric of a volume.
type metric struct {
	description *prometheus.Desc
	kind        prometheus.ValueType
	of          func(*disk.Statistics) float64
}

func newMetric(name, help string, kind prometheus.ValueType, of func(*disk.Statistics) float64) metric {
	return metric{describe(name, help), kind, of}
}

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("aws_ebs_csi_"+name, help, []string{"volume_id"}, instance)
}

// latencies is a histogram of a volume, with a sum of 0, as the real driver has it.
type latencies struct {
	description *prometheus.Desc
	of          func(*disk.Statistics) *disk.Operations
}

var (
	metrics = []metric{
		newMetric("read_ops_total", "Completed reads.", prometheus.CounterValue, func(s *disk.Statistics) float64 { return float64(s.Read.Count) }),
		newMetric("write_ops_total", "Completed writes.", prometheus.CounterValue, func(s *disk.Statistics) float64 { return float64(s.Write.Count) }),
		newMetric("read_bytes_total", "Bytes read.", prometheus.CounterValue, func(s *disk.Statistics) float64 { return float64(s.Read.Bytes) }),
		newMetric("write_bytes_total", "Bytes written.", prometheus.CounterValue, func(s *disk.Statistics) float64 { return float64(s.Write.Bytes) }),
		newMetric("read_seconds_total", "Seconds that all reads took.", prometheus.CounterValue, func(s *disk.Statistics) float64 { return s.Read.Time.Seconds() }),
		newMetric("write_seconds_total", "Seconds that all writes took.", prometheus.CounterValue, func(s *disk.Statistics) float64 { return s.Write.Time.Seconds() }),
		newMetric("exceeded_iops_seconds_total", "Seconds in which more IOPS were asked for than the volume may do.", prometheus.CounterValue,
			func(s *disk.Statistics) float64 { return s.IOPS.Seconds() }),
		newMetric("exceeded_tp_seconds_total", "Seconds in which more throughput was asked for than the volume may do.", prometheus.CounterValue,
			func(s *disk.Statistics) float64 { return s.Throughput.Seconds() }),
		newMetric("ec2_exceeded_iops_seconds_total", "Seconds in which the volume asked for more IOPS than its instance may do.", prometheus.CounterValue, none),
		newMetric("ec2_exceeded_tp_seconds_total", "Seconds in which the volume asked for more throughput than its instance may do.", prometheus.CounterValue, none),
		newMetric("volume_queue_length", "Operations under way.", prometheus.GaugeValue, func(s *disk.Statistics) float64 { return float64(s.QueueLength) }),
	}
	histograms = []latencies{
		{describe("read_io_latency_seconds", "Reads by how long they took."), func(s *disk.Statistics) *disk.Operations { return &s.Read }},
		{describe("write_io_latency_seconds", "Writes by how long they took."), func(s *disk.Statistics) *disk.Operations { return &s.Write }},
	}
)

func none(*disk.Statistics) float64 { return 0 }

// collector collects what volumes have done, and how often it was asked.
type collector struct {
	statistics func() map[string]disk.Statistics

	duration        prometheus.Histogram
	scrapes, failed prometheus.Counter
}

func newCollector(statistics func() map[string]disk.Statistics) *collector {
	return &collector{
		statistics: statistics,
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "aws_ebs_csi_nvme_collector_duration_seconds", Help: "How long collecting took.", ConstLabels: instance,
		}),
		scrapes: prometheus.NewCounter(prometheus.CounterOpts{Name: "aws_ebs_csi_nvme_collector_scrapes_total", Help: "How often it was asked.", ConstLabels: instance}),
		failed:  prometheus.NewCounter(prometheus.CounterOpts{Name: "aws_ebs_csi_nvme_collector_errors_total", Help: "How often it failed.", ConstLabels: instance}),
	}
}

// Describe is part of prometheus.Collector.
func (c *collector) Describe(all chan<- *prometheus.Desc) {
	for _, m := range metrics {
		all <- m.description
	}
	for _, h := range histograms {
		all <- h.description
	}
	for _, own := range []prometheus.Metric{c.duration, c.scrapes, c.failed} {
		all <- own.Desc()
	}
}

// Collect is part of prometheus.Collector.
func (c *collector) Collect(all chan<- prometheus.Metric) {
	timer := prometheus.NewTimer(c.duration)
	c.scrapes.Inc()
	for id, s := range c.statistics() {
		for _, m := range metrics {
			all <- prometheus.MustNewConstMetric(m.description, m.kind, m.of(&s), id)
		}
		for _, h := range histograms {
			count, buckets := cumulative(h.of(&s))
			all <- prometheus.MustNewConstHistogram(h.description, count, 0, buckets, id)
		}
	}
	timer.ObserveDuration()
	for _, own := range []prometheus.Metric{c.duration, c.scrapes, c.failed} {
		all <- own
	}
}

// cumulative returns how many operations took up to the end of each bucket, in seconds, and how many there are.
func cumulative(o *disk.Operations) (count uint64, buckets map[float64]uint64) {
	buckets = map[float64]uint64{}
	for i, n := range o.Latencies {
		count += n
		buckets[float64(uint64(1)<<i)/1e6] = count
	}
	return count, buckets
}
