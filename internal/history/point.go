// Package history keeps what benchmarks of a schedule measured, over weeks: compact, bounded and versioned, so that it fits into
// ConfigMaps and outlives the benchmarks. It is pure: the same points give the same bytes.
package history

import (
	"slices"
	"time"
)

// Point is what one finished benchmark leaves.
type Point struct {
	// Sequence numbers the points of a history from 1. Add sets it.
	Sequence int64
	// Chunk is the number of the chunk that keeps the point, 0 until Encode chose one. A point stays in its chunk.
	Chunk int64
	// Time is when the benchmark ended, in whole seconds.
	Time time.Time
	// Benchmark is the name of the benchmark, and UID that of Kubernetes: no benchmark leaves two points.
	Benchmark, UID string
	// Succeeded says whether the benchmark did. Reason is that of its condition Succeeded, such as RunFailed.
	Succeeded bool
	Reason    string
	// Environment is what it was measured in.
	Environment Environment
	// Cases are what was measured, in the order of the benchmark's comparisons.
	Cases []Measured
}

// Case is what has figures of its own: a workload with one choice of its matrix, or a section of it, on a target. It can be the key of a map.
type Case struct {
	Workload string `cbor:"1,keyasint,omitempty"`
	// Parameters are the choice of the matrix as people read it, such as "bs=16k iodepth=4"; "" without a matrix.
	Parameters string `cbor:"2,keyasint,omitempty"`
	// Section is the section of a job file, "" if that gives one result. Of sections that share a name, the second one is NAME#2.
	Section string `cbor:"3,keyasint,omitempty"`
	Target  string `cbor:"4,keyasint,omitempty"`
}

// WorkloadText names the workload, its section and its parameters, such as "wal/log bs=16k".
func (c *Case) WorkloadText() string {
	text := c.Workload
	if c.Section != "" {
		text += "/" + c.Section
	}
	if c.Parameters != "" {
		text += " " + c.Parameters
	}
	return text
}

// Measured is what a benchmark measured of a case: medians of its repetitions, in the order of the metrics.
type Measured struct {
	Case
	Figures []Figure
}

// Figure is the value of a metric, from 0 to the most that it can be: operations per second in thousandths, or nanoseconds.
type Figure struct {
	Metric Metric
	Value  int64
}

// Of returns the value of a metric, false if it was not measured.
func (m *Measured) Of(metric Metric) (int64, bool) {
	for _, f := range m.Figures {
		if f.Metric == metric {
			return f.Value, true
		}
	}
	return 0, false
}

// Environment is what may change beside the storage. Where there are several nodes, their values are joined by ", ".
type Environment struct {
	// Operator and Fio are versions, such as 0.9.0 and fio-3.33.
	Operator string `cbor:"1,keyasint,omitempty"`
	Fio      string `cbor:"2,keyasint,omitempty"`
	// Drivers are the CSI drivers of the targets, sorted by name.
	Drivers []Driver `cbor:"3,keyasint,omitempty"`
	// Kubelet, Kernel and OSImage are what the node says of itself in status.nodeInfo.
	Kubelet string `cbor:"4,keyasint,omitempty"`
	Kernel  string `cbor:"5,keyasint,omitempty"`
	OSImage string `cbor:"6,keyasint,omitempty"`
	// InstanceType, Zone and Node are those of the volumes' nodes.
	InstanceType string `cbor:"7,keyasint,omitempty"`
	Zone         string `cbor:"8,keyasint,omitempty"`
	Node         string `cbor:"9,keyasint,omitempty"`
	// Baseline tells what can be compared: points with another one are of another baseline. BaselineOf makes it.
	Baseline string `cbor:"10,keyasint,omitempty"`
	// Targets are what tells, beside that, which results of a target can be compared, sorted by the targets' names.
	Targets []TargetBaseline `cbor:"11,keyasint,omitempty"`
	// Classes are the StorageClasses that targets name, sorted by name.
	Classes []StorageClass `cbor:"12,keyasint,omitempty"`
}

// TargetBaseline tells which storage a target had.
type TargetBaseline struct {
	Target string `cbor:"1,keyasint,omitempty"`
	// Baseline is a hash of the target's spec.
	Baseline string `cbor:"2,keyasint,omitempty"`
}

// Of returns what tells baselines of a target apart, where the rest of the environment is the same; "" where that is not known.
func (e *Environment) Of(target string) string {
	for i := range e.Targets {
		if e.Targets[i].Target == target {
			return e.Targets[i].Baseline
		}
	}
	return ""
}

// ClassOf returns the StorageClass of a target, nil where it names none, or that is not known.
func (e *Environment) ClassOf(target string) *StorageClass {
	for i := range e.Classes {
		if slices.Contains(e.Classes[i].Targets, target) {
			return &e.Classes[i]
		}
	}
	return nil
}

// BaselineFor returns what tells all baselines of a target apart.
func (e *Environment) BaselineFor(target string) string {
	if of := e.Of(target); of != "" {
		return e.Baseline + "-" + of
	}
	return e.Baseline
}

// Driver is a CSI driver.
type Driver struct {
	// Name is that of the CSIDriver, such as ebs.csi.aws.com.
	Name string `cbor:"1,keyasint,omitempty"`
	// Image is its name and version as an image has them, such as aws-ebs-csi-driver:1.64.0, "" where the version is not known.
	Image string `cbor:"2,keyasint,omitempty"`
	// Targets are the names of the targets whose volumes it made, sorted. FromBenchmark sets them.
	Targets []string `cbor:"3,keyasint,omitempty"`
}
