package expectation

import (
	"fmt"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/legible"
)

// flattering are the warnings of runs whose figures can be better than the storage is.
var flattering = []string{
	v1alpha1.WarningFilesFitInMemory, v1alpha1.WarningUnsyncedWrites, v1alpha1.WarningShortRuntime, v1alpha1.WarningShortIOs,
	v1alpha1.WarningSparseReads, v1alpha1.WarningBurstCredits, v1alpha1.WarningMetadataFromMemory, v1alpha1.WarningFasterThanDocumented,
	v1alpha1.WarningAlikeData, v1alpha1.WarningOmittedWaits, v1alpha1.WarningOtherFilesSynced,
}

// warnedOf returns which of these warnings a run has, or one that repeats it.
func warnedOf(first *v1alpha1.Run, runs []v1alpha1.Run) []string {
	repeated := series{target: first.Target, workload: first.Workload, parameters: first.Parameters}
	var reasons []string
	for _, reason := range flattering {
		if slices.ContainsFunc(runs, func(run v1alpha1.Run) bool {
			return repeated.isRepeatedBy(&run) && slices.ContainsFunc(run.Warnings, func(w v1alpha1.Warning) bool { return w.Reason == reason })
		}) {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}

// doubt says why a median that is as expected does not tell that the storage is, "" if nothing speaks against it. Runs that failed may have
// done so because the storage is bad: the median of the others is one of survivors.
func doubt(m Metric, s, base *series) string {
	for _, each := range []struct {
		of    *series
		whose string
	}{{s, ""}, {base, " of the baseline"}} {
		if each.of == nil {
			continue
		}
		values := valuesOf(m, each.of.results)
		if m.isPercentile() && isMedianBeyond(values) {
			return fmt.Sprintf("the median%s rests on a run that is beyond fio's histogram, which ends at 17.1 s", each.whose)
		}
		if measured := len(values); measured < each.of.runs {
			return fmt.Sprintf("only %d of %s%s measured it", measured, legible.Plural(each.of.runs, "run"), each.whose)
		}
		if fewest, needed := m.fewest(each.of.results), analysis.SamplesNeeded(m.figureWords()); fewest > 0 && fewest < needed {
			return fmt.Sprintf("%s needs %d %s, and a run%s had %d", m.figureWords(), needed, m.samplesWord(), each.whose, fewest)
		}
	}
	return ""
}

// isMedianBeyond says whether the median of percentiles rests on one that is longer than fio can tell: nobody knows what it is.
func isMedianBeyond(values []int64) bool {
	if len(values) == 0 {
		return false
	}
	sorted := slices.Sorted(slices.Values(values))
	return v1alpha1.IsBeyondHistogram(sorted[len(sorted)/2])
}

// fewest returns how many I/Os or syncs there were in the run that had the fewest, of those that say it; 0 if none does.
func (m Metric) fewest(results []*v1alpha1.Result) int64 {
	fewest := int64(0)
	for _, r := range results {
		if count := m.samples(r); count > 0 && (fewest == 0 || count < fewest) {
			fewest = count
		}
	}
	return fewest
}

// samples returns of how many I/Os or syncs a result has the metric.
func (m Metric) samples(r *v1alpha1.Result) int64 {
	switch m.Part {
	case partTotal:
		return 0
	case partSync:
		if r.Sync == nil {
			return 0
		}
		return r.Sync.Count
	case partMetadata:
		if r.Metadata == nil {
			return 0
		}
		return r.Metadata.Count
	}
	if io := r.Direction(m.Part); io != nil {
		return io.IOs
	}
	return 0
}

func (m Metric) samplesWord() string {
	switch m.Part {
	case partSync:
		return "syncs"
	case partMetadata:
		return "operations"
	default:
		return "I/Os"
	}
}
