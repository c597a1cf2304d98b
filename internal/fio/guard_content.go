package fio

import "k8s.io/apimachinery/pkg/util/validation/field"

// ValidateOnContent refuses what passes Validate, and would tell of the data on a volume that has somebody's: results and logs are read by more people
// than that data. fio prints bytes that it finds only where it verifies.
func ValidateOnContent(workload *field.Path, f *JobFile) field.ErrorList {
	g := newGuard(workload, f)
	for _, j := range f.jobs() {
		if j.text("verify", "0") != "0" {
			g.refuseIn(j, "verify", "fio prints bytes that are not as it expects, and the volume has somebody's data: remove it, or measure a volume that is new and empty")
		}
	}
	return g.errs[:min(len(g.errs), maxErrors)]
}
