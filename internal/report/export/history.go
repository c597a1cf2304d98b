package export

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/report/cases"
)

// HistoryCSV prints what a schedule has kept, oldest first, as CSV does: a row for each case of each benchmark. A benchmark that measured nothing has left
// no point, and no row. Columns are the same for all histories; new ones come last.
func HistoryCSV(w io.Writer, h *history.History) error {
	fields := []field[cases.Kept]{
		{"time", func(k *cases.Kept) string { return k.Point.Time.UTC().Format(time.RFC3339) }},
		{"benchmark", func(k *cases.Kept) string { return k.Point.Benchmark }},
		{"reason", func(k *cases.Kept) string { return k.Point.Reason }},
		{"workload", func(k *cases.Kept) string { return k.Workload }},
		{"parameters", func(k *cases.Kept) string { return k.Parameters }},
		{"section", func(k *cases.Kept) string { return k.Section }},
		{"target", func(k *cases.Kept) string { return k.Target }},
	}
	for _, m := range history.Metrics() {
		fields = append(fields, field[cases.Kept]{metricColumn(m), func(k *cases.Kept) string {
			if value, ok := k.Of(m); ok {
				return strconv.FormatFloat(number(m, value), 'f', -1, 64)
			}
			return ""
		}})
	}
	fields = append(fields,
		field[cases.Kept]{"baseline", func(k *cases.Kept) string { return k.Point.Environment.BaselineFor(k.Target) }},
		environmentField("operator", func(e *history.Environment) string { return e.Operator }),
		environmentField("fio", func(e *history.Environment) string { return e.Fio }),
		field[cases.Kept]{"driver_image", func(k *cases.Kept) string { return driverOf(&k.Point.Environment, k.Target) }},
		environmentField("kubelet", func(e *history.Environment) string { return e.Kubelet }),
		environmentField("kernel", func(e *history.Environment) string { return e.Kernel }),
		environmentField("os_image", func(e *history.Environment) string { return e.OSImage }),
		environmentField("instance_type", func(e *history.Environment) string { return e.InstanceType }),
		environmentField("zone", func(e *history.Environment) string { return e.Zone }),
		environmentField("node", func(e *history.Environment) string { return e.Node }),
		classField("storage_class", func(c *history.StorageClass) string { return c.Name }),
		classField("storage_class_parameters", func(c *history.StorageClass) string { return strings.Join(c.Parameters, "; ") }),
	)
	return writeCSV(w, fields, cases.KeptIn(h))
}

func environmentField(name string, of func(*history.Environment) string) field[cases.Kept] {
	return field[cases.Kept]{name, func(k *cases.Kept) string { return of(&k.Point.Environment) }}
}

func classField(name string, of func(*history.StorageClass) string) field[cases.Kept] {
	return field[cases.Kept]{name, func(k *cases.Kept) string {
		if class := k.Point.Environment.ClassOf(k.Target); class != nil {
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
