package result

import (
	"cmp"
	"maps"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/plan"
)

// newProbeResult returns what the probe of a run measured, which is of one client. It is nil where none was planned: who reports one has forged it.
func newProbeResult(p *digest.Probe, planned *plan.Run) *v1alpha1.ProbeResult {
	if p == nil || planned == nil || planned.Probe == nil {
		return nil
	}
	result := &v1alpha1.ProbeResult{CPUPercent: int32(p.CPUPercent), Figures: p.Figures.Figures}
	for _, load := range planned.Probe.Loads() {
		result.InFlight += load.InFlight
	}
	return result
}

// probeFailure says why the probe that was planned has no result, as the runner says itself. It is "" where it has one, or the runner says nothing.
func probeFailure(part *Part, report *digest.Report, planned *plan.Run) string {
	if planned == nil || planned.Probe == nil || !report.LacksProbe {
		return ""
	}
	return cmp.Or(part.Ended, "the run's log says why, in lines that begin with "+strings.TrimSpace(digest.ProbePrefix))
}

// usual returns the median rate of all repetitions of the run, as analysis.Judge takes it.
func (f *Facts) usual() int64 {
	var all []*v1alpha1.Result
	for i := range f.Runs {
		run := &f.Runs[i]
		if run.Result != nil && run.Target == f.Planned.Target.Name && run.Workload == f.Planned.Workload.Name && maps.Equal(run.Parameters, f.Planned.Parameters) {
			all = append(all, run.Result)
		}
	}
	return analysis.Usual(all)
}
