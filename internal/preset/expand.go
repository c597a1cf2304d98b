package preset

import (
	"fmt"
	"maps"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Expand returns a workload that says itself what its preset does: the same workload if it has none. The error says what to do about a
// preset that is unknown.
func Expand(w *v1alpha1.Workload) (*v1alpha1.Workload, error) {
	if w.Preset == nil {
		return w, nil
	}
	p, known := Find(*w.Preset)
	if !known {
		return nil, fmt.Errorf("there is no such preset: use one of %s, or fio", Names())
	}
	expanded := &v1alpha1.Workload{Name: w.Name, Fio: p.Fio.DeepCopy(), Clients: w.Clients, Search: w.Search}
	expanded.Matrix = maps.Clone(p.Matrix)
	scale(expanded.Fio, w.Scale)
	return expanded, nil
}

// Of returns the preset of a workload, if it has one that is known.
func Of(w *v1alpha1.Workload) (*Preset, bool) {
	if w.Preset == nil {
		return nil, false
	}
	return Find(*w.Preset)
}

// scale changes how much is done, and not what.
func scale(p *v1alpha1.FioParameters, s *v1alpha1.PresetScale) {
	if s == nil {
		return
	}
	if s.Size != nil {
		p.Size = s.Size
	}
	if s.RuntimeSeconds != nil {
		p.RuntimeSeconds = s.RuntimeSeconds
	}
}

// Pin returns a spec in which presets without a version have the one that is recorded, such as etcd.v1: what was begun with a version
// goes on with it, also under an operator that knows a newer one. It is the same spec where nothing is recorded.
func Pin(spec *v1alpha1.StorageBenchmarkSpec, recorded []v1alpha1.PresetVersion) *v1alpha1.StorageBenchmarkSpec {
	if len(recorded) == 0 {
		return spec
	}
	pinned := spec.DeepCopy()
	for i := range pinned.Workloads {
		w := &pinned.Workloads[i]
		for _, id := range recorded {
			if p, known := Find(string(id)); known && w.Preset != nil && p.Name == *w.Preset {
				w.Preset = new(string(id))
			}
		}
	}
	return pinned
}

// Used returns the versions that a spec uses, each once, in the order in which they occur.
func Used(spec *v1alpha1.StorageBenchmarkSpec) []v1alpha1.PresetVersion {
	var used []v1alpha1.PresetVersion
	for i := range spec.Workloads {
		p, known := Of(&spec.Workloads[i])
		if known && !slices.Contains(used, v1alpha1.PresetVersion(p.ID())) {
			used = append(used, v1alpha1.PresetVersion(p.ID()))
		}
	}
	return used
}
