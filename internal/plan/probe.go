package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// AdmitsProbe says whether a spec would be valid, too, if a workload that has no probe had one.
func AdmitsProbe(spec *v1alpha1.StorageBenchmarkSpec, workload string) bool {
	i := slices.IndexFunc(spec.Workloads, func(w v1alpha1.Workload) bool { return w.Name == workload })
	if i < 0 || spec.Workloads[i].Fio == nil || spec.Workloads[i].Probes() {
		return false
	}
	with := *spec
	with.Workloads = slices.Clone(spec.Workloads)
	with.Workloads[i].Probe = v1alpha1.ProbeLastRepetition
	_, problems := Runs(&with, nil)
	return len(problems) == 0
}

// addProbes gives the cases of a workload their probes if it wants some, and says why there can be none.
func addProbes(w *workload, cases []testCase, places []place) field.ErrorList {
	path := w.path.Child("probe")
	if !w.Probes() {
		return nil
	}
	if slices.ContainsFunc(places, func(p place) bool { return p.objects }) {
		return field.ErrorList{field.Forbidden(path, "object stores are not probed: measure more jobs by matrix, such as {numjobs: [1, 2, 4]}, or remove probe")}
	}
	for i := range cases {
		if cases[i].clients > 1 {
			return field.ErrorList{field.Forbidden(path, "a probe works with one client, because several cannot begin it together: remove probe, or clients")}
		}
		probe, err := cases[i].job.Probe()
		if err != nil {
			return field.ErrorList{field.Forbidden(path, err.Error())}
		}
		cases[i].probe = probe
	}
	return nil
}
