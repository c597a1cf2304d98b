package report

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/history"
)

// kept is a case of a point of a history.
type kept struct {
	point *history.Point
	*history.Measured
}

// keptIn returns all cases of all points. The operator keeps no point without any. If there is one, it is a row that says how its benchmark ended.
func keptIn(h *history.History) []kept {
	var all []kept
	for i := range h.Points {
		p := &h.Points[i]
		for j := range p.Cases {
			all = append(all, kept{p, &p.Cases[j]})
		}
		if len(p.Cases) == 0 {
			all = append(all, kept{p, &history.Measured{}})
		}
	}
	return all
}

// HistoryCSV prints what a schedule has kept, oldest first, as CSV does: a row for each case of each benchmark. A benchmark that measured nothing has left
// no point, and no row. Columns are the same for all histories; new ones come last.
func HistoryCSV(w io.Writer, h *history.History) error {
	fields := []field[kept]{
		{"time", func(k *kept) string { return k.point.Time.UTC().Format(time.RFC3339) }},
		{"benchmark", func(k *kept) string { return k.point.Benchmark }},
		{"reason", func(k *kept) string { return k.point.Reason }},
		{"workload", func(k *kept) string { return k.Workload }},
		{"parameters", func(k *kept) string { return k.Parameters }},
		{"section", func(k *kept) string { return k.Section }},
		{"target", func(k *kept) string { return k.Target }},
	}
	for _, m := range history.Metrics() {
		fields = append(fields, field[kept]{metricColumn(m), func(k *kept) string {
			if value, ok := k.Of(m); ok {
				return strconv.FormatFloat(number(m, value), 'f', -1, 64)
			}
			return ""
		}})
	}
	fields = append(fields,
		field[kept]{"baseline", func(k *kept) string { return k.point.Environment.BaselineFor(k.Target) }},
		environmentField("operator", func(e *history.Environment) string { return e.Operator }),
		environmentField("fio", func(e *history.Environment) string { return e.Fio }),
		field[kept]{"driver_image", func(k *kept) string { return driverOf(&k.point.Environment, k.Target) }},
		environmentField("kubelet", func(e *history.Environment) string { return e.Kubelet }),
		environmentField("kernel", func(e *history.Environment) string { return e.Kernel }),
		environmentField("os_image", func(e *history.Environment) string { return e.OSImage }),
		environmentField("instance_type", func(e *history.Environment) string { return e.InstanceType }),
		environmentField("zone", func(e *history.Environment) string { return e.Zone }),
		environmentField("node", func(e *history.Environment) string { return e.Node }),
		classField("storage_class", func(c *history.StorageClass) string { return c.Name }),
		classField("storage_class_parameters", func(c *history.StorageClass) string { return strings.Join(c.Parameters, "; ") }),
	)
	return writeCSV(w, fields, keptIn(h))
}

func environmentField(name string, of func(*history.Environment) string) field[kept] {
	return field[kept]{name, func(k *kept) string { return of(&k.point.Environment) }}
}

func classField(name string, of func(*history.StorageClass) string) field[kept] {
	return field[kept]{name, func(k *kept) string {
		if class := k.point.Environment.ClassOf(k.Target); class != nil {
			return of(class)
		}
		return ""
	}}
}

// number is a value of a metric for programs, in I/Os per second or nanoseconds.
func number(m history.Metric, value int64) float64 {
	known, _ := expectation.FindMetric(m.String())
	return known.Number(value)
}

// metricColumn is the name of a metric's column, with its unit: read_iops, sync_p99_ns.
func metricColumn(m history.Metric) string {
	name := strings.ReplaceAll(m.String(), ".", "_")
	if m.IsLatency() {
		name += "_ns"
	}
	return name
}

// driverOf returns the image of the driver that made a target's volumes.
func driverOf(e *history.Environment, target string) string {
	for _, d := range e.Drivers {
		if slices.Contains(d.Targets, target) {
			return d.Image
		}
	}
	return ""
}

// HistoryDocument is a history for programs. What exists keeps its name and meaning; fields may be added.
type HistoryDocument struct {
	Points []HistoryPoint `json:"points"`
}

// HistoryPoint is what a benchmark left.
type HistoryPoint struct {
	Time        time.Time          `json:"time"`
	Benchmark   string             `json:"benchmark"`
	UID         string             `json:"uid,omitempty"`
	Succeeded   bool               `json:"succeeded"`
	Reason      string             `json:"reason,omitempty"`
	Environment HistoryEnvironment `json:"environment"`
	Results     []HistoryResult    `json:"results"`
}

// HistoryEnvironment is what it was measured in.
type HistoryEnvironment struct {
	Baseline     string          `json:"baseline,omitempty"`
	Operator     string          `json:"operator,omitempty"`
	Fio          string          `json:"fio,omitempty"`
	Drivers      []HistoryDriver `json:"drivers"`
	Kubelet      string          `json:"kubelet,omitempty"`
	Kernel       string          `json:"kernel,omitempty"`
	OSImage      string          `json:"osImage,omitempty"`
	InstanceType string          `json:"instanceType,omitempty"`
	Zone         string          `json:"zone,omitempty"`
	Node         string          `json:"node,omitempty"`
	// StorageClasses are those that targets name.
	StorageClasses []HistoryStorageClass `json:"storageClasses,omitempty"`
}

// HistoryStorageClass is a StorageClass. Parameters are name=value, its provisioner among them.
type HistoryStorageClass struct {
	Name       string   `json:"name"`
	Parameters []string `json:"parameters"`
	Targets    []string `json:"targets"`
}

// HistoryDriver is a CSI driver.
type HistoryDriver struct {
	Name    string   `json:"name"`
	Image   string   `json:"image,omitempty"`
	Targets []string `json:"targets"`
}

// HistoryResult is what was measured of a case. Metrics are those of expectations, in I/Os per second or nanoseconds.
type HistoryResult struct {
	Workload   string `json:"workload"`
	Parameters string `json:"parameters,omitempty"`
	Section    string `json:"section,omitempty"`
	Target     string `json:"target"`
	// Baseline tells which storage the target had: of the same environment and storage can be compared.
	Baseline string             `json:"baseline,omitempty"`
	Metrics  map[string]float64 `json:"metrics"`
}

// HistoryJSON prints a HistoryDocument.
func HistoryJSON(w io.Writer, h *history.History) error {
	document := HistoryDocument{Points: make([]HistoryPoint, len(h.Points))}
	for i := range h.Points {
		document.Points[i] = pointDocument(&h.Points[i])
	}
	return writeJSON(w, document)
}

func pointDocument(p *history.Point) HistoryPoint {
	e := &p.Environment
	out := HistoryPoint{
		Time: p.Time.UTC(), Benchmark: p.Benchmark, UID: p.UID, Succeeded: p.Succeeded, Reason: p.Reason,
		Environment: HistoryEnvironment{
			Baseline: e.Baseline, Operator: e.Operator, Fio: e.Fio, Drivers: make([]HistoryDriver, len(e.Drivers)), Kubelet: e.Kubelet, Kernel: e.Kernel,
			OSImage: e.OSImage, InstanceType: e.InstanceType, Zone: e.Zone, Node: e.Node,
		},
		Results: make([]HistoryResult, len(p.Cases)),
	}
	for i, d := range e.Drivers {
		out.Environment.Drivers[i] = HistoryDriver{Name: d.Name, Image: d.Image, Targets: orEmpty(d.Targets)}
	}
	for _, c := range e.Classes {
		out.Environment.StorageClasses = append(out.Environment.StorageClasses, HistoryStorageClass{Name: c.Name, Parameters: orEmpty(c.Parameters), Targets: orEmpty(c.Targets)})
	}
	for i := range p.Cases {
		m := &p.Cases[i]
		metrics := make(map[string]float64, len(m.Figures))
		for _, f := range m.Figures {
			metrics[f.Metric.String()] = number(f.Metric, f.Value)
		}
		out.Results[i] = HistoryResult{Workload: m.Workload, Parameters: m.Parameters, Section: m.Section, Target: m.Target, Baseline: e.Of(m.Target), Metrics: metrics}
	}
	return out
}

// HistoryTable prints a row for each case of each benchmark, oldest first, with those metrics that some case has.
func HistoryTable(w io.Writer, h *history.History) {
	all := keptIn(h)
	columns := []column{
		{"TIME (UTC)", text.AlignLeft}, {"BENCHMARK", text.AlignLeft}, {"STATUS", text.AlignLeft}, {"WORKLOAD", text.AlignLeft}, {"TARGET", text.AlignLeft},
	}
	metrics := metricsIn(all)
	for _, m := range metrics {
		known, _ := expectation.FindMetric(m.String())
		columns = append(columns, column{strings.ToUpper(known.Words("sync")), text.AlignRight})
	}
	t := newTable(w, columns)
	for i := range all {
		k := &all[i]
		row := []any{k.point.Time.UTC().Format(time.DateTime), Harmless(k.point.Benchmark), Harmless(k.point.Reason), Harmless(k.WorkloadText()), Harmless(k.Target)}
		for _, m := range metrics {
			row = append(row, metricText(k.Measured, m))
		}
		t.AppendRow(row)
	}
	t.Render()
}

// metricsIn returns the metrics that some case has.
func metricsIn(all []kept) []history.Metric {
	return slices.DeleteFunc(history.Metrics(), func(m history.Metric) bool {
		return !slices.ContainsFunc(all, func(k kept) bool {
			_, ok := k.Of(m)
			return ok
		})
	})
}

// metricText is a figure for people, "" if there is none.
func metricText(m *history.Measured, metric history.Metric) string {
	value, ok := m.Of(metric)
	switch {
	case !ok:
		return ""
	case metric.IsLatency():
		return percentile(value)
	default:
		return whole(v1alpha1.WholeIOPS(value))
	}
}
