package result

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/plan"
)

// filled says of each result whether the blocks of a raw device that it read had all been written: by earlier runs on the same volumes, or by sections
// that ended before it began.
func (f *Facts) filled(results []v1alpha1.Result) []bool {
	all := make([]bool, len(results))
	if f.Mode != corev1.PersistentVolumeBlock {
		return all
	}
	before := f.filledBefore()
	uses, begins := f.Planned.Job.DeviceUses(), f.Planned.Job.Begins()
	for i := range results {
		end := before
		for j := range results {
			if begins[j].Stage < begins[i].Stage {
				end = filledAfter(end, uses[j], &results[j], f.Planned.Clients)
			}
		}
		all[i] = uses[i].ReadsTo <= end
	}
	return all
}

// filledBefore is up to where earlier runs have written the devices of all clients of this one.
func (f *Facts) filledBefore() int64 {
	end := int64(0)
	for i := range f.Runs {
		run := &f.Runs[i]
		if run.Name == f.Planned.Name {
			break
		}
		planned, known := plan.Of(f.Plan, run)
		if !known || run.Target != f.Planned.Target.Name {
			continue
		}
		results := run.Results()
		uses := planned.Job.DeviceUses()
		for j := range min(len(results), len(uses)) {
			if planned.Clients < f.Planned.Clients {
				uses[j].FillsTo = 0 // the others have devices of their own
			}
			end = filledAfter(end, uses[j], results[j], planned.Clients)
		}
	}
	return end
}

// filledAfter is up to where a device is written after a result, if it was up to an end before. Who discards blocks may have discarded any.
func filledAfter(end int64, use fio.DeviceUse, r *v1alpha1.Result, clients int32) int64 {
	switch {
	case r.Of(v1alpha1.OperationTrim) != nil:
		return 0
	case r.Of(v1alpha1.OperationWrite) == nil, use.FillBytes > 0 && r.Of(v1alpha1.OperationWrite).Bytes/int64(max(clients, 1)) < use.FillBytes:
		return end
	}
	return max(end, use.FillsTo)
}
