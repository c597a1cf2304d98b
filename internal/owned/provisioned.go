package owned

import (
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// Provisioned returns the volumes that claims of a benchmark are known to have had.
func Provisioned(sb *v1alpha1.StorageBenchmark) (known []v1alpha1.VolumeStatus) {
	for i := range sb.Spec.Targets {
		if target := &sb.Spec.Targets[i]; storage.IsProvisioned(target) {
			known = append(known, sb.Status.Target(target.Name).Volumes...)
		}
	}
	return known
}

// AreMissing says whether there may be volumes of claims that were made, which are not in the status.
func AreMissing(sb *v1alpha1.StorageBenchmark) bool {
	return sb.Status.StartTime != nil && slices.ContainsFunc(sb.Spec.Targets, func(t v1alpha1.Target) bool {
		status := sb.Status.Target(t.Name)
		return storage.IsProvisioned(&t) && len(status.Volumes) < int(storage.Claims(sb, &t))
	})
}
