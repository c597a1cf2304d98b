package fio

import "k8s.io/apimachinery/pkg/util/validation/field"

// ValidateOnOthersSpace refuses what passes Validate and would take all space of a volume that was there before, or of
// a file system that grows without end: others need the space, and somebody pays for it. Percentages of the space need
// no rule here: Validate lets them pass on raw devices only, and those that existed before are only read.
func ValidateOnOthersSpace(workload *field.Path, f *JobFile) field.ErrorList {
	g := newGuard(workload, f)
	for _, j := range f.jobs() {
		if j.on("fill_device") {
			g.refuseIn(j, "fill_device", "fio would write until the storage is full, and the storage is not a new volume: "+
				"remove it and set size, or measure a new volume (storageClassName or ebs)")
		}
	}
	return g.errs[:min(len(g.errs), maxErrors)]
}
