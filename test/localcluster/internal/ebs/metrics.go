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

// Metrics serves what the real driver's node plugin serves of what EBS says of volumes, with the names, labels and
// types of v1.64.0 (pkg/metrics/nvme.go). No instance holds the volumes here back. One exporter has the volumes of all
// nodes, where each node has one of its own.
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
	name, help string
	kind       prometheus.ValueType
	of         func(*disk.Statistics) float64
}

func (m *metric) description() *prometheus.Desc { return describe(m.name, m.help) }

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("aws_ebs_csi_"+name, help, []string{"volume_id"}, instance)
}

// latencies is a histogram of a volume, with a sum of 0, as the real driver has it.
type latencies struct {
	name, help string
	of         func(*disk.Statistics) *disk.Operations
}

func (l *latencies) description() *prometheus.Desc { return describe(l.name, l.help) }

const total, now = prometheus.CounterValue, prometheus.GaugeValue

var metrics = []metric{
	{"read_ops_total", "Reads.", total, func(s *disk.Statistics) float64 { return float64(s.Read.Count) }},
	{"write_ops_total", "Writes.", total, func(s *disk.Statistics) float64 { return float64(s.Write.Count) }},
	{"read_bytes_total", "Bytes read.", total, func(s *disk.Statistics) float64 { return float64(s.Read.Bytes) }},
	{"write_bytes_total", "Bytes written.", total, func(s *disk.Statistics) float64 { return float64(s.Write.Bytes) }},
	{"read_seconds_total", "Time of reads.", total, func(s *disk.Statistics) float64 { return s.Read.Time.Seconds() }},
	{"write_seconds_total", "Time of writes.", total, func(s *disk.Statistics) float64 { return s.Write.Time.Seconds() }},
	{
		"exceeded_iops_seconds_total", "Time with more IOPS asked for than the volume may do.", total,
		func(s *disk.Statistics) float64 { return s.IOPS.Seconds() },
	},
	{
		"exceeded_tp_seconds_total", "Time with more throughput asked for than the volume may do.", total,
		func(s *disk.Statistics) float64 { return s.Throughput.Seconds() },
	},
	{"ec2_exceeded_iops_seconds_total", "Time with more IOPS asked for than its instance may do.", total, none},
	{"ec2_exceeded_tp_seconds_total", "Time with more throughput asked for than its instance may do.", total, none},
	{"volume_queue_length", "Operations under way.", now, func(s *disk.Statistics) float64 { return float64(s.QueueLength) }},
}

var histograms = []latencies{
	{"read_io_latency_seconds", "Latencies of reads.", func(s *disk.Statistics) *disk.Operations { return &s.Read }},
	{"write_io_latency_seconds", "Latencies of writes.", func(s *disk.Statistics) *disk.Operations { return &s.Write }},
}

func none(*disk.Statistics) float64 { return 0 }

// collector collects what volumes have done, and how often it was asked.
type collector struct {
	statistics func() map[string]disk.Statistics

	duration        prometheus.Histogram
	scrapes, failed prometheus.Counter
}

func newCollector(statistics func() map[string]disk.Statistics) *collector {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: instance})
	}
	return &collector{
		statistics: statistics,
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "aws_ebs_csi_nvme_collector_duration_seconds", Help: "Time of a scrape.", ConstLabels: instance,
		}),
		scrapes: counter("aws_ebs_csi_nvme_collector_scrapes_total", "Scrapes."),
		failed:  counter("aws_ebs_csi_nvme_collector_errors_total", "Scrapes that failed."),
	}
}

// Describe is part of prometheus.Collector.
func (c *collector) Describe(all chan<- *prometheus.Desc) {
	for _, m := range metrics {
		all <- m.description()
	}
	for _, h := range histograms {
		all <- h.description()
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
			all <- prometheus.MustNewConstMetric(m.description(), m.kind, m.of(&s), id)
		}
		for _, h := range histograms {
			count, buckets := cumulative(h.of(&s))
			all <- prometheus.MustNewConstHistogram(h.description(), count, 0, buckets, id)
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
