package expectation

import (
	"maps"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/preset"
)

// measures says whether results of a series were to have the metric of a rule: by what fio does, or where the spec does not say that, by
// what they have. A rule that names no workload is about those that have the metric, and so not about one that is told to take no latencies.
func (j *judge) measures(r *Rule, s *series) bool {
	m := r.Metric
	lacks := func(result *v1alpha1.Result) bool { return !m.hasPart(result) }
	if r.Workload == "" && len(s.results) > 0 && !slices.ContainsFunc(s.results, lacks) {
		return false
	}
	if s.parts == nil {
		s.parts = j.partsOf(s)
	}
	if len(s.parts) > 0 {
		return m.IsMeasured(s.parts)
	}
	return len(s.results) == 0 || slices.ContainsFunc(s.results, m.hasPart)
}

// partsOf returns which parts of metrics the results of a series have by what fio does, none if the spec does not say that. Where no run
// has a result they are those of all its sections.
func (j *judge) partsOf(s *series) map[string]bool {
	unknown := map[string]bool{}
	i := slices.IndexFunc(j.spec.Workloads, func(w v1alpha1.Workload) bool { return w.Name == s.workload })
	if i < 0 {
		return unknown
	}
	job := jobOf(&j.spec.Workloads[i], s.parameters)
	if job == nil {
		return unknown
	}
	if s.section == "" {
		return job.Measures()
	}
	section := slices.Index(job.Groups(), s.section)
	if section < 0 {
		return unknown
	}
	return job.MeasuresOf()[section]
}

// jobOf returns what fio does for a workload with one choice of its matrix, nil if the workload does not say it.
func jobOf(w *v1alpha1.Workload, parameters map[string]string) *fio.JobFile {
	w, err := preset.Expand(w)
	if err != nil {
		return nil
	}
	var job *fio.JobFile
	switch {
	case w.Fio != nil:
		job = fio.FromParameters(w.Name, w.Fio)
	case w.JobFile != nil:
		if job, err = fio.Parse(*w.JobFile); err != nil {
			return nil
		}
	default:
		return nil
	}
	var settings []fio.Setting
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if name != v1alpha1.ParameterClients {
			settings = append(settings, fio.Setting{Name: name, Value: parameters[name]})
		}
	}
	return job.With(settings)
}

// hasPart reports whether a result has anything of what the metric is a figure of.
func (m Metric) hasPart(r *v1alpha1.Result) bool { return m.in(r) != nil }
