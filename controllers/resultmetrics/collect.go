package resultmetrics

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName("storagebench", "", name), help, labels, nil)
}

var (
	ofObject     = []string{"namespace", "schedule", "benchmark"}
	ofFigure     = slices.Concat(ofObject, []string{"target", "case", "operation"})
	ofPercentile = slices.Concat(ofFigure, []string{"percentile"})

	descOperations = desc("result_operations_per_second",
		"I/Os, or operations on files, per second of the last result: the median over its repetitions.", ofFigure...)
	descBandwidth = desc("result_bytes_per_second",
		"Bytes per second of the last result: the median over its repetitions.", ofFigure...)
	descLatency = desc("result_latency_seconds",
		"A percentile of the latency of the last result: the median over its repetitions.", ofPercentile...)
	descTime = desc("last_result_timestamp_seconds",
		"When the benchmark ended that has the last result.", ofObject...)
	descExpected = desc("expectation_met",
		"Whether the last result is as expected: 1, or 0 if not. "+
			"Absent where nothing is expected, or it cannot be told.", ofObject...)

	ofSchedule = []string{"namespace", "schedule"}

	descRegressed = desc("regressed",
		"Whether results of the schedule have become worse for good: 1, or 0 if not. "+
			"Absent while that cannot be told of any target.", ofSchedule...)
	descInvalid = desc("schedule_invalid",
		"Whether nothing is made of the schedule because its spec is refused: 1, or 0 if not. "+
			"Absent while it is suspended.", ofSchedule...)
	descPeriod = desc("schedule_period_seconds",
		"The longest time between two starts of the schedule. "+
			"Absent while it is suspended, or cannot be read.", ofSchedule...)
	descNext = desc("schedule_next_start_timestamp_seconds",
		"When the next start of the schedule is due. Absent while none will be made.", ofSchedule...)
	descWaiting = desc("schedule_waiting_since_timestamp_seconds",
		"Since when a result is waited for: the last one came then, or the schedule was created. "+
			"Later by as long as it was suspended since.", ofSchedule...)

	descLeftOut = desc("results_left_out",
		"Schedules and benchmarks with results that are not among the metrics, because there are too many.")
)

// Describe implements prometheus.Collector.
func (s *Store) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		descOperations, descBandwidth, descLatency, descTime, descExpected,
		descRegressed, descInvalid, descPeriod, descNext, descWaiting, descLeftOut,
	} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (s *Store) Collect(metrics chan<- prometheus.Metric) {
	s.mu.Lock()
	served, leftOut := maps.Clone(s.objects), len(s.leftOut) // entries never change
	s.mu.Unlock()
	metrics <- gauge(descLeftOut, float64(leftOut))
	for o, e := range served {
		if e.state != nil {
			e.collectState(metrics, o)
		}
		if e.result != nil {
			e.result.collect(metrics, o)
		}
	}
}

// collectState serves what the status of a schedule says.
func (e *entry) collectState(metrics chan<- prometheus.Metric, o object) {
	labels := []string{o.Namespace, o.Name}
	verdict(metrics, descRegressed, e.state.regressed, labels)
	verdict(metrics, descInvalid, e.state.invalid, labels)
	timestamp(metrics, descWaiting, e.state.waitingSince, labels)
	timestamp(metrics, descNext, e.state.nextStart, labels)
	if e.state.period > 0 {
		metrics <- gauge(descPeriod, e.state.period.Seconds(), labels...)
	}
}

// collect serves a result.
func (r *Result) collect(metrics chan<- prometheus.Metric, o object) {
	labels := o.labels()
	timestamp(metrics, descTime, r.Time, labels)
	verdict(metrics, descExpected, r.Expectations, labels)
	for i := range r.series {
		f := &r.series[i]
		all := slices.Concat(labels, []string{f.target, f.name, f.operation})
		switch f.family {
		case operations:
			metrics <- gauge(descOperations, f.value, all...)
		case bandwidth:
			metrics <- gauge(descBandwidth, f.value, all...)
		case latency:
			metrics <- gauge(descLatency, f.value, append(all, f.percentile)...)
		}
	}
}

// labels returns the values of the labels that each object has. A label that is empty is none.
func (o object) labels() []string {
	if o.kind == schedules {
		return []string{o.Namespace, o.Name, ""}
	}
	return []string{o.Namespace, "", o.Name}
}

func gauge(d *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

// timestamp serves a time, if there is one.
func timestamp(metrics chan<- prometheus.Metric, d *prometheus.Desc, t time.Time, labels []string) {
	if !t.IsZero() {
		metrics <- gauge(d, float64(t.UnixMilli())/float64(time.Second.Milliseconds()), labels...)
	}
}

// verdict serves a condition that is True or False.
func verdict(metrics chan<- prometheus.Metric, d *prometheus.Desc, status metav1.ConditionStatus, labels []string) {
	switch status {
	case metav1.ConditionTrue:
		metrics <- gauge(d, 1, labels...)
	case metav1.ConditionFalse:
		metrics <- gauge(d, 0, labels...)
	case metav1.ConditionUnknown:
	}
}
