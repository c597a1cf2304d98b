package plugin

import (
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/preset"
)

// plannedTimes returns how long the runs of a benchmark are expected to take, by their names, without those of which that is not known.
func plannedTimes(benchmark *v1alpha1.StorageBenchmark) map[string]time.Duration {
	runs, _ := plan.Runs(preset.Pin(&benchmark.Spec, benchmark.Status.Presets), nil)
	times := map[string]time.Duration{}
	for name, estimate := range plan.Estimates(runs, benchmark.Status.Targets) {
		if !estimate.MeasuringUnknown {
			times[name] = estimate.Total()
		}
	}
	return times
}
