package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/preset"
)

// expandPresets returns a spec whose workloads say themselves what their presets do: the same spec if none has one.
func expandPresets(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec) (*v1alpha1.StorageBenchmarkSpec, field.ErrorList) {
	if !slices.ContainsFunc(spec.Workloads, func(w v1alpha1.Workload) bool { return w.Preset != nil }) {
		return spec, nil
	}
	var problems field.ErrorList
	expanded := *spec
	expanded.Workloads = make([]v1alpha1.Workload, len(spec.Workloads))
	for i := range spec.Workloads {
		w, err := preset.Expand(&spec.Workloads[i])
		if err != nil {
			problems = append(problems, field.Invalid(path.Child("workloads").Index(i).Child("preset"), *spec.Workloads[i].Preset, err.Error()))
			continue
		}
		expanded.Workloads[i] = *w
	}
	return &expanded, problems
}

// measuresOf says what the results of each workload have.
func measuresOf(measured []Run) expectation.Measured {
	all := expectation.Measured{}
	for _, m := range measured {
		parts := all[m.Workload.Name]
		if parts == nil {
			parts = map[string]bool{}
			all[m.Workload.Name] = parts
		}
		for part := range m.Job.Measures() {
			parts[part] = true
		}
	}
	return all
}
