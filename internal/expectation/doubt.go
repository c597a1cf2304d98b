package expectation

import (
	"fmt"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/humanize"
)

// flattering are the warnings of runs whose figures can be better than the storage is. Those of eitherWay follow.
var flattering = []string{
	v1alpha1.WarningFilesFitInMemory, v1alpha1.WarningUnsyncedWrites, v1alpha1.WarningShortRuntime, v1alpha1.WarningShortIOs,
	v1alpha1.WarningSparseReads, v1alpha1.WarningBurstCredits, v1alpha1.WarningMetadataFromMemory, v1alpha1.WarningFasterThanDocumented,
	v1alpha1.WarningAlikeData, v1alpha1.WarningOmittedWaits, v1alpha1.WarningOtherFilesSynced, v1alpha1.WarningLatencyOfMemory,
	v1alpha1.WarningRateFell,
}

// eitherWay are the warnings of runs whose figures can be better or worse than the storage is: of clients that did not
// measure together, and of rates that still changed.
var eitherWay = []string{v1alpha1.WarningStartSkew, v1alpha1.WarningShortOverlap, v1alpha1.WarningNotSteady}

// warnedOf returns which of these warnings a run has, or one that repeats it.
func warnedOf(first *v1alpha1.Run, status *v1alpha1.StorageBenchmarkStatus) []string {
	repeated := series{target: first.Target, workload: first.Workload, parameters: first.Case()}
	var reasons []string
	for _, reason := range slices.Concat(flattering, eitherWay) {
		if slices.ContainsFunc(status.Runs, func(run v1alpha1.Run) bool {
			return repeated.isRepeatedBy(&run) && run.Stands() && slices.ContainsFunc(run.Warnings, func(w v1alpha1.Warning) bool { return w.Reason == reason })
		}) {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}

// concernedBy returns the warnings that apply to the metric. LatencyOfMemory applies to latencies of writes alone. It also applies where jobs wait for syncs:
// the page cache takes such writes, and runs have no warning of it, because the syncs have the time.
func (m Metric) concernedBy(warned []string, results []*v1alpha1.Result) []string {
	const memory = v1alpha1.WarningLatencyOfMemory
	if m.Part != v1alpha1.OperationWrite || m.Unit != Latency {
		return slices.DeleteFunc(slices.Clone(warned), func(reason string) bool { return reason == memory })
	}
	if analysis.WaitForSyncs(results) && !slices.Contains(warned, memory) {
		return append(slices.Clone(warned), memory)
	}
	return warned
}

// withBaseline adds to warnings those of the baseline that spoil a ratio to it.
func withBaseline(warned []string, base *series) []string {
	all := slices.Clone(warned)
	for _, reason := range base.warned {
		if slices.Contains(eitherWay, reason) && !slices.Contains(all, reason) {
			all = append(all, reason)
		}
	}
	return all
}

// heldBack says that something else than the storage made the figures, where they would tell something of it without; "" otherwise. For want of CPU
// they are worse than the storage is: what is met all the same is met, but a miss is none, and there is no ratio. The rate that the workload itself
// asks for does this to IOPS and bandwidth: a miss is none, and of the baseline, which could do more, a ratio that is met is none.
func heldBack(m Metric, s, base *series, missed bool) string {
	if words := s.forWantOfCPU(""); words != "" && (missed || base != nil) {
		return words
	}
	if base != nil {
		if words := base.forWantOfCPU(" of the baseline"); words != "" {
			return words
		}
	}
	if m.Unit == Latency {
		return ""
	}
	of, whose := s, ""
	if !missed {
		of, whose = base, " of the baseline"
	}
	if of == nil {
		return ""
	}
	if runs, most := of.heldBackBy(v1alpha1.BoundWorkloadRate); most {
		return fmt.Sprintf("the workload asks for no more (%s) in %d of %s%s: raise its rate or lower its thinktime, or expect a latency",
			v1alpha1.BoundWorkloadRate, runs, humanize.Plural(len(of.results), "run"), whose)
	}
	return ""
}

// wantsOfCPU are the reasons for which results are worse than the storage is, with words for them and for what helps.
var wantsOfCPU = []struct{ reason, words, remedy string }{
	{v1alpha1.BoundClientCPU, "fio had no more CPU", "give fio more CPU"},
	{v1alpha1.BoundNodeCPU, "others used the node's CPUs", "measure on a node without other work, or request CPU for fio"},
}

// forWantOfCPU says of results that CPU was missing in half of them or more, "" if it was not.
func (s *series) forWantOfCPU(whose string) string {
	for _, want := range wantsOfCPU {
		if runs, most := s.heldBackBy(want.reason); most {
			return fmt.Sprintf("%s (%s) in %d of %s%s, so that storage may do better: %s",
				want.words, want.reason, runs, humanize.Plural(len(s.results), "run"), whose, want.remedy)
		}
	}
	return ""
}

// heldBackBy returns how many results something held back, and whether a median rests on them: half of all or more.
func (s *series) heldBackBy(reason string) (runs int, most bool) {
	for _, bound := range s.bounds {
		if bound != nil && bound.Reason == reason {
			runs++
		}
	}
	return runs, runs > 0 && 2*runs >= len(s.results)
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
		if m.isPercentile() && v1alpha1.IsMedianBeyondHistogram(values) {
			return restsBeyond(each.whose)
		}
		if measured := len(values); measured < each.of.runs {
			return fmt.Sprintf("only %d of %s%s measured it", measured, humanize.Plural(each.of.runs, "run"), each.whose)
		}
		if fewest, needed := m.fewest(each.of.results), analysis.SamplesNeeded(m.figureWords()); fewest > 0 && fewest < needed {
			return fmt.Sprintf("%s needs %d %s, and a run%s had %d", m.figureWords(), needed, m.samplesWord(), each.whose, fewest)
		}
	}
	return ""
}

// restsBeyond says of a median that nobody knows how long it is: it can be more than its figure, and a ratio to it can be less.
func restsBeyond(whose string) string {
	return fmt.Sprintf("the median%s rests on a run beyond the end of fio's histogram (17.1 s)", whose)
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
	if f := r.Of(m.Part); f != nil {
		return f.Count
	}
	return 0
}

func (m Metric) samplesWord() string {
	switch m.Part {
	case v1alpha1.OperationSync:
		return "syncs"
	case v1alpha1.OperationMetadata:
		return "operations"
	default:
		return "I/Os"
	}
}
