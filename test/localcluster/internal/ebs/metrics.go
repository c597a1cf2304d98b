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

// Metrics serves what the real driver's node plugin serves of what EBS says of volumes: for how long limits were exceeded, with the names and labels of
// v1.64.0 (docs/metrics.md). No instance holds the volumes here back. One exporter has the volumes of all nodes, where each node has one of its own.
func Metrics(disks *disk.Server) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(exceeded{disks})
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

// exceeded collects for how long volumes have used up their budgets.
type exceeded struct{ disks *disk.Server }

func counter(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("aws_ebs_csi_"+name, help, []string{"volume_id"}, prometheus.Labels{"instance_id": "i-00000000000000000"})
}

var (
	exceededIOPS          = counter("exceeded_iops_seconds_total", "Seconds in which more IOPS were asked for than the volume may do.")
	exceededThroughput    = counter("exceeded_tp_seconds_total", "Seconds in which more throughput was asked for than the volume may do.")
	ec2ExceededIOPS       = counter("ec2_exceeded_iops_seconds_total", "Seconds in which the volume asked for more IOPS than its instance may do.")
	ec2ExceededThroughput = counter("ec2_exceeded_tp_seconds_total", "Seconds in which the volume asked for more throughput than its instance may do.")
)

// Describe is part of prometheus.Collector.
func (exceeded) Describe(all chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{exceededIOPS, exceededThroughput, ec2ExceededIOPS, ec2ExceededThroughput} {
		all <- one
	}
}

// Collect is part of prometheus.Collector.
func (e exceeded) Collect(all chan<- prometheus.Metric) {
	for id, since := range e.disks.Exceeded() {
		for counted, seconds := range map[*prometheus.Desc]float64{
			exceededIOPS: since.IOPS.Seconds(), exceededThroughput: since.Throughput.Seconds(), ec2ExceededIOPS: 0, ec2ExceededThroughput: 0,
		} {
			all <- prometheus.MustNewConstMetric(counted, prometheus.CounterValue, seconds, id)
		}
	}
}
