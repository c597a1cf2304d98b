package export

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// exportedMetric is a metric of OpenMetrics, and how it is made of what a run did over its time.
type exportedMetric struct {
	name, help string
	kind       dto.MetricType
	of         func(*recorded) []*dto.Metric
}

// exportedMetrics are all of them. Names are those of base units, as Prometheus has it.
var exportedMetrics = []exportedMetric{
	{"storagebench_io_operations_per_second", "I/Os per second, the mean of the interval before.", dto.MetricType_GAUGE, gauges(func(r *recorded, i int) float64 { return r.IOPS.Mean[i] })},
	{"storagebench_io_operations_per_second_min", "I/Os per second in the slowest part of the interval before.", dto.MetricType_GAUGE, gauges(func(r *recorded, i int) float64 { return r.IOPS.Lowest(i) })},
	{"storagebench_io_operations_per_second_max", "I/Os per second in the fastest part of the interval before.", dto.MetricType_GAUGE, gauges(func(r *recorded, i int) float64 { return r.IOPS.Highest(i) })},
	{"storagebench_io_bytes_per_second", "Bytes per second, the mean of the interval before.", dto.MetricType_GAUGE, gauges(func(r *recorded, i int) float64 { return r.BytesPerSecond.Mean[i] })},
	{"storagebench_io_latency_seconds", "Completion latency of I/Os: quantiles are those of the interval before, sum and count those since the run began.", dto.MetricType_SUMMARY, summaries},
}

// OpenMetrics prints what runs did over their time as OpenMetrics text, with a timestamp for each point. It reads each series once for each metric,
// because all that is of a metric has to stand together.
func OpenMetrics(w io.Writer, sb *v1alpha1.StorageBenchmark, read ReadSeries) error {
	for _, metric := range exportedMetrics {
		if err := metric.write(w, sb, read); err != nil {
			return err
		}
	}
	_, err := expfmt.FinalizeOpenMetrics(w)
	return err
}

// write prints a metric of all runs. What it is, is printed once.
func (e *exportedMetric) write(w io.Writer, sb *v1alpha1.StorageBenchmark, read ReadSeries) error {
	head := true
	for r, err := range eachRecorded(sb, read) {
		if err != nil {
			return err
		}
		var text bytes.Buffer
		family := &dto.MetricFamily{Name: &e.name, Help: &e.help, Type: &e.kind, Metric: e.of(r)}
		labels := labelsOf(sb, r)
		for _, m := range family.Metric {
			m.Label = labels
		}
		if _, err := expfmt.MetricFamilyToOpenMetrics(&text, family); err != nil {
			return fmt.Errorf("%s of run %s: %w", e.name, r.run.Name, err)
		}
		if !head {
			dropComments(&text)
		}
		head = false
		if _, err := text.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

// dropComments drops the lines at the begin that say what a metric is.
func dropComments(text *bytes.Buffer) {
	for bytes.HasPrefix(text.Bytes(), []byte("#")) {
		_, _ = text.ReadBytes('\n') // a buffer without a line end is empty then
	}
}

// labelsOf tells a series apart from others.
func labelsOf(sb *v1alpha1.StorageBenchmark, r *recorded) []*dto.LabelPair {
	labels := map[string]string{
		"namespace": sb.Namespace, "benchmark": sb.Name, "run": r.run.Name, "workload": r.run.Workload, "section": r.section, "target": r.run.Target,
		"repetition": whole(int64(r.run.Repetition)), "direction": r.direction,
	}
	for _, name := range slices.Sorted(maps.Keys(r.run.Parameters)) {
		labels["param_"+strings.Map(labelRune, name)] = r.run.Parameters[name]
	}
	var all []*dto.LabelPair
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if labels[name] != "" {
			all = append(all, &dto.LabelPair{Name: new(name), Value: new(wording.Harmless(labels[name]))})
		}
	}
	return all
}

// labelRune returns a character that the name of a label may have.
func labelRune(r rune) rune {
	if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '_'
}

// gauges returns a value for each point.
func gauges(of func(r *recorded, point int) float64) func(*recorded) []*dto.Metric {
	return func(r *recorded) []*dto.Metric {
		all := make([]*dto.Metric, r.in.Points())
		for i := range all {
			all[i] = &dto.Metric{Gauge: &dto.Gauge{Value: new(of(r, i))}, TimestampMs: new(r.ends(i))}
		}
		return all
	}
}

// ends returns when a point ends, in milliseconds since 1970: what it says is known then.
func (r *recorded) ends(point int) int64 {
	return r.of.StartMilliseconds + r.in.OffsetMilliseconds + int64(point+1)*r.of.IntervalMilliseconds
}

// summaries returns a summary for each point of latencies.
func summaries(r *recorded) []*dto.Metric {
	if r.Latency == nil {
		return nil
	}
	var all []*dto.Metric
	count, sum, points := 0.0, 0.0, r.in.Points()
	for i, mean := range r.Latency.Mean {
		last := min((i+1)*r.of.LatencyPoints, points) - 1
		for point := i * r.of.LatencyPoints; point <= last; point++ {
			ios := r.IOPS.Mean[point] * float64(r.of.IntervalMilliseconds) / 1000
			count += ios
			sum += ios * float64(mean) / 1e9
		}
		all = append(all, &dto.Metric{TimestampMs: new(r.ends(last)), Summary: &dto.Summary{
			SampleCount: new(uint64(math.Round(count))), SampleSum: new(sum), Quantile: []*dto.Quantile{
				quantile(0.5, r.Latency.P50[i]), quantile(0.99, r.Latency.P99[i]), quantile(1, r.Latency.Max[i]),
			},
		}})
	}
	return all
}

// quantile returns a quantile in seconds, which is no number where no I/O ended.
func quantile(of float64, ns int64) *dto.Quantile {
	value := float64(ns) / 1e9
	if ns == 0 {
		value = math.NaN()
	}
	return &dto.Quantile{Quantile: &of, Value: &value}
}
