package expectation

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/direction"
)

// Measured says of the name of each workload which parts of metrics its results have, by any choice of its matrix: read, write, trim,
// sync and metadata.
type Measured map[string]map[string]bool

// Validate refuses what cannot be judged: what an API server refuses too, which a plan may be made without, and metrics that no result
// will have.
func Validate(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec, measured Measured) field.ErrorList {
	var problems field.ErrorList
	for i := range spec.Expectations {
		e, path := &spec.Expectations[i], path.Index(i)
		if r, err := ruleOf(e); err != nil {
			problems = append(problems, field.Invalid(path, field.OmitValueType{}, err.Error()))
		} else {
			problems = append(problems, r.validate(path, spec, measured)...)
		}
	}
	return problems
}

func (r *Rule) validate(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec, measured Measured) field.ErrorList {
	var targets, workloads []string
	for i := range spec.Targets {
		targets = append(targets, spec.Targets[i].Name)
	}
	for i := range spec.Workloads {
		workloads = append(workloads, spec.Workloads[i].Name)
	}
	switch {
	case r.Target != "" && !slices.Contains(targets, r.Target):
		return field.ErrorList{field.NotSupported(path.Child("target"), r.Target, targets)}
	case r.Workload != "" && !slices.Contains(workloads, r.Workload):
		return field.ErrorList{field.NotSupported(path.Child("workload"), r.Workload, workloads)}
	case r.Ratio > 0 && len(targets) < 2:
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, "a ratio to the baseline needs a second target: add it, or set max or min")}
	case r.Ratio > 0 && r.Target == baseline(spec):
		return field.ErrorList{field.Invalid(path.Child("target"), r.Target, "the baseline has no ratio to itself: name another target, or set max or min")}
	}
	if r.Workload != "" {
		workloads = []string{r.Workload}
	}
	if slices.ContainsFunc(workloads, func(name string) bool { return r.Metric.IsMeasured(measured[name]) }) {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("metric"), r.Metric.String(), r.unmeasured())}
}

// IsMeasured says whether results with some parts have the metric.
func (m Metric) IsMeasured(parts map[string]bool) bool {
	if m.Part == v1alpha1.OperationTotal {
		return slices.ContainsFunc(direction.All(), func(name string) bool { return parts[name] })
	}
	return parts[m.Part]
}

// unmeasured says why no result has the metric, and what to do.
func (r *Rule) unmeasured() string {
	does := cmp.Or(map[string]string{
		v1alpha1.OperationSync: "calls fsync or fdatasync after its writes", v1alpha1.OperationMetadata: "creates, looks up or deletes files (ioengine filecreate and the like)",
		v1alpha1.OperationTotal: "moves data",
	}[r.Metric.Part], r.Metric.Part+"s") // else a direction: reads
	if r.Workload == "" {
		return "no workload " + does + ": choose another metric"
	}
	return "no job of workload " + r.Workload + " " + does + ": choose another metric or workload"
}
