package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/preset"
)

// validateKind refuses a workload that does not say what it does, says it twice, or says what its preset says.
func validateKind(path *field.Path, w *v1alpha1.Workload) field.ErrorList {
	kinds := 0
	for _, set := range []bool{w.Preset != nil, w.Fio != nil, w.JobFile != nil} {
		if set {
			kinds++
		}
	}
	var problems field.ErrorList
	if kinds != 1 {
		problems = append(problems, field.Invalid(path, w.Name, "set exactly one of preset (a workload that has a name), fio (parameters) and jobFile (a whole fio job file)"))
	}
	if w.Scale != nil && w.Preset == nil {
		problems = append(problems, field.Forbidden(path.Child("scale"), "it is for presets: set size and runtimeSeconds in fio, or in jobFile"))
	}
	if w.Search != nil && w.Preset != nil && w.Search.Vary != v1alpha1.VaryClients {
		problems = append(problems, field.Invalid(path.Child("search", "vary"), w.Search.Vary,
			"a preset sets what is measured, so that its results are comparable: vary clients; or set fio to vary what it does"))
	}
	if w.Preset != nil && len(w.Matrix) > 0 {
		problems = append(problems, field.Forbidden(path.Child("matrix"),
			"a preset sets what is measured, so that its results are comparable: remove matrix, or set fio to vary options; clients can vary"))
	}
	return problems
}

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
