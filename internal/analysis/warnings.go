package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// How many bytes of JSON the status has room for in each run, of the largest benchmark, for warnings: more for one with several sections, and for
// one with several clients (TestLargestStatus of the API).
const (
	maxWarningBytes        = 896
	maxSectionWarningBytes = 150
	maxClientWarningBytes  = 370
)

// WarningRoom returns how many bytes of JSON the warnings of a run with these results may take.
func WarningRoom(results []v1alpha1.Result) int {
	room := maxWarningBytes
	if len(results) > 1 {
		room += maxSectionWarningBytes
	}
	if len(results) > 0 && results[0].Clients > 1 {
		room += maxClientWarningBytes
	}
	return room
}

// WarningBytes returns how many bytes of JSON warnings take, each with a comma.
func WarningBytes(warnings []v1alpha1.Warning) int {
	total := 0
	for _, w := range warnings {
		total += len(`{"reason":""},`) + len(w.Reason)
		if w.Message != "" {
			total += len(`,"message":""`) + len(w.Message)
		}
	}
	return total
}

// fit takes messages away, beginning with that of the last warning, until all warnings fit into the room. No reason is left out.
func fit(warnings []v1alpha1.Warning, room int) []v1alpha1.Warning {
	for i := len(warnings) - 1; i >= 0 && WarningBytes(warnings) > room; i-- {
		warnings[i].Message = ""
	}
	return warnings
}

// minElapsedMilliseconds is the time below which the start of a run weighs too much.
const minElapsedMilliseconds = 10_000

// minOperationsMilliseconds is the time of operations on files below which that fio counts whole milliseconds is more than 1 % of their rate, the least
// difference that a verdict is on.
const minOperationsMilliseconds = 100

// seen is what there is to see of a result.
type seen struct {
	result *v1alpha1.Result
	known  Known
	load   Load
	client Client
}

// Warnings says what may mislead whoever reads the results of a run: one, or one for each of its sections,
// each with what is known of limits and with its load; nothing is known of a result without one. A reason comes once,
// about the first result that has it, in the order of the API, the most misleading ones first. Where the status has no room for all messages, the
// last ones come without theirs.
func Warnings(results []v1alpha1.Result, known []Known, load []Load, client Client) []v1alpha1.Warning {
	return fit(everyWarning(results, known, load, client), WarningRoom(results))
}

// everyWarning is Warnings where there is room for all messages.
func everyWarning(results []v1alpha1.Result, known []Known, load []Load, client Client) []v1alpha1.Warning {
	known = append(slices.Clip(known), make([]Known, max(len(results)-len(known), 0))...)
	load = append(slices.Clip(load), make([]Load, max(len(results)-len(load), 0))...)
	var all []seen
	for i := range results {
		all = append(all, seen{&results[i], known[i], load[i], client})
	}
	var warnings []v1alpha1.Warning
	for _, kind := range warningKinds {
		if message := worstMessage(kind.reason, kind.see, all); message != "" {
			warnings = append(warnings, v1alpha1.Warning{Reason: kind.reason, Message: message})
		}
	}
	return warnings
}

// worstMessage returns the first of the messages, by the order of what sees them first, unless a later one is worse.
func worstMessage(reason string, see []func(seen) string, all []seen) string {
	worst := ""
	for _, look := range see {
		for _, s := range all {
			if message := look(s); worst == "" || message != "" && isWorse(reason, message, worst) {
				worst = message
			}
		}
	}
	return worst
}

// isWorse says whether a message of a kind of warning has to be told instead of another one. Who is told to leave out a percentile and all higher ones
// believes the lower ones, also where another result has too few samples for these.
func isWorse(reason, message, than string) bool {
	return reason == v1alpha1.WarningFewSamples && samplesFor(message) < samplesFor(than)
}

// samplesFor is how many samples the percentile needs that a message of FewSamples begins with.
func samplesFor(message string) int64 {
	percentile, _, _ := strings.Cut(message, " ")
	return SamplesNeeded(percentile)
}

// warningKinds are the kinds of warnings in the order of the API.
var warningKinds = []struct {
	reason string
	// see return what is to be warned of, "" if nothing is; the first prevails over the second. There is none for
	// what a single run cannot show.
	see []func(seen) string
	// remedy says what to set.
	remedy string
}{{
	reason: v1alpha1.WarningNodeChanged,
	remedy: "create the benchmark anew, so that one node measures all; set placement.nodeSelector to nodes of one type that are not reclaimed, such as on-demand instances",
}, {
	reason: v1alpha1.WarningProbeFailed, see: []func(seen) string{probeFailed},
	remedy: "if it ran out of memory, raise spec.pod.resources.limits.memory: a probe can take twice as much as its workload; else look for what fio says in the run's log " +
		"(status.runs[].logConfigMap), or remove probe",
}, {
	reason: v1alpha1.WarningUnsyncedWrites, see: []func(seen) string{unsyncedWrites},
	remedy: "set direct: true, or have writes reach the storage while fio measures: fdatasync: 1 or sync: dsync for each write, endFsync: true for all at the end",
}, {
	reason: v1alpha1.WarningFilesFitInMemory, see: []func(seen) string{filesFitInMemory},
	remedy: "set direct: true, or a size that is larger than the memory of the node",
}, {
	reason: v1alpha1.WarningLatencyOfMemory, see: []func(seen) string{memoryLatency},
	remedy: "set fdatasync: 1 and look at the latencies of syncs, or direct: true or sync: dsync, where each write waits for the storage; else use IOPS and bandwidth only",
}, {
	reason: v1alpha1.WarningOtherFilesSynced, see: []func(seen) string{otherFilesSynced},
	remedy: "remove nrfiles, and raise numjobs for more files at a time; or set option openfiles to 1, so that each file is written to its end before the next one",
}, {
	reason: v1alpha1.WarningMetadataFromMemory, see: []func(seen) string{metadataFromMemory},
	remedy: "the figure is what an application on the same node sees if it does not sync; on network file systems other clients have to ask the storage",
}, {
	reason: v1alpha1.WarningSparseReads, see: []func(seen) string{sparseReads},
	remedy: "put a workload with rw: write and timeBased: false before it: that writes all blocks of the same files or device (and overwrites what is on a device)",
}, {
	reason: v1alpha1.WarningFirstAccess, see: []func(seen) string{firstAccess},
	remedy: "to measure first access, set repetitions: 1, and give each sample a target of its own with the same dataSource; to leave it out, have a workload before the others read the whole volume, " +
		"or have EBS load it by itself: fast snapshot restore, or volumeInitializationRate of the StorageClass",
}, {
	reason: v1alpha1.WarningFasterThanDocumented, see: []func(seen) string{fasterThanDocumented},
	remedy: "raise size (and capacity) beyond what a cache of the storage can hold, and raise runtimeSeconds; " +
		"if the storage has been changed, set spec.targets[].limits to what it can do",
}, {
	reason: v1alpha1.WarningFilesReadAgain, see: []func(seen) string{filesReadAgain},
	remedy: "raise size (and capacity) beyond what a cache of the storage can hold, and compare; or set spec.targets[].limits to what the storage can do: more than that is warned of",
}, {
	reason: v1alpha1.WarningBurstCredits, see: []func(seen) string{storageBursts, clientBursts},
	remedy: "to see the baseline, raise runtimeSeconds above the time in the message, or choose what needs no credits: " +
		"gp3 instead of gp2, Elastic or Provisioned throughput of EFS, a larger instance",
}, {
	reason: v1alpha1.WarningNotSteady, see: []func(seen) string{notSteady},
	remedy: "raise until.maxSeconds (of fio's own steadystate the runtime; with rampTimeSeconds: auto use until, or give a number of seconds), or steadyState.windowSeconds where the storage has bursts or pauses of some seconds (the HTML report shows the rate over time); " +
		"if it is never steady, raise steadyState.rangePercent and say so where you use the figure",
}, {
	reason: v1alpha1.WarningRateFell, see: []func(seen) string{rateFell},
	remedy: "take the lower figure for what lasts: raise runtimeSeconds, or have a run before this one that uses up credits and caches; " +
		"look at when it fell (status.runs[].result.overTime), and what else used the storage then",
}, {
	reason: v1alpha1.WarningWarmUp, see: []func(seen) string{warmedUp},
	remedy: "leave out the beginning: set rampTimeSeconds: auto (with runtimeSeconds), or that many seconds more than it has (ramp_time in a job file); a slow rise looks even for 10 s, so auto can end within it; until (steadyState) measures a window that is itself steady",
}, {
	reason: v1alpha1.WarningAlikeData, see: []func(seen) string{alikeData},
	remedy: "remove zero_buffers, buffer_pattern, dedupe_percentage, buffer_compress_percentage and scramble_buffers, unless your data is like that",
}, {
	reason: v1alpha1.WarningShortIOs, see: []func(seen) string{shortIOs},
	remedy: "set size to a multiple of bs, and look for errors of the storage in the run's log (status.runs[].logConfigMap)",
}, {
	reason: v1alpha1.WarningOmittedWaits, see: []func(seen) string{omittedWaits},
	remedy: "set io_submit_mode: offload with an fio newer than 3.33, so that I/Os begin when they are due, or raise numjobs or iodepth, or lower the rate",
}, {
	reason: v1alpha1.WarningOrderByTarget,
	remedy: "set order: Interleaved (the default): it goes from target to target within each repetition, so that changes over time meet all targets alike",
}, {
	reason: v1alpha1.WarningCPUThrottled, see: []func(seen) string{cpuThrottled},
	remedy: "raise or remove spec.pod.resources.limits.cpu",
}, {
	reason: v1alpha1.WarningCPUSteal, see: []func(seen) string{cpuSteal},
	remedy: "use an instance type that is not burstable (none of T), or credit mode unlimited for one that is; on others measure again later, or on a larger or dedicated instance",
}, {
	reason: v1alpha1.WarningNodeBusy, see: []func(seen) string{nodeBusy},
	remedy: "measure on a node without other work (spec.placement), or give fio its share of the CPUs (spec.pod.resources.requests.cpu); kubectl top pods -A shows who uses them",
}, {
	reason: v1alpha1.WarningNearlyFull, see: []func(seen) string{nearlyFull},
	remedy: "raise capacity, or lower size or nrfiles; on a claim that was there before, delete what is not needed or measure on another one",
}, {
	reason: v1alpha1.WarningIODepthIgnored, see: []func(seen) string{depthIgnored},
	remedy: "set ioengine: libaio with direct: true, or raise numjobs and remove iodepth",
}, {
	reason: v1alpha1.WarningBufferedAsync, see: []func(seen) string{bufferedAsync},
	remedy: "set direct: true with libaio, or take ioengine: psync and raise numjobs",
}, {
	reason: v1alpha1.WarningUnevenJobs, see: []func(seen) string{unevenJobs},
	remedy: "give each job a file of its own (remove filename), so that none waits for locks of the others; if that is what you want to measure, lower numjobs until all get on",
}, {
	reason: v1alpha1.WarningStartSkew, see: []func(seen) string{startSkew, clockSpread},
	remedy: "use nodes of one type with CPU to spare, and keep their clocks by NTP (chrony, Amazon Time Sync Service)",
}, {
	reason: v1alpha1.WarningShortOverlap, see: []func(seen) string{shortOverlap},
	remedy: "set runtimeSeconds, without timeBased: false, so that all clients measure for the same time; operations on files end with the last file, " +
		"so raise nrfiles for these, and the start weighs less; look for the slowest client (status.runs[].clientsConfigMap)",
}, {
	reason: v1alpha1.WarningSpread,
	remedy: "raise repetitions or runtimeSeconds, and look for other load on the node and on the storage, or for burst credits that run out",
}, {
	reason: v1alpha1.WarningDependentRuns,
	remedy: "run several benchmarks, each with new volumes, and compare these: more repetitions on the same volumes help little; look for a neighbour that stays, or for credits that run out",
}, {
	reason: v1alpha1.WarningOneRun,
	remedy: "look at that run (kubectl storagebench explain-result NAME RUN), and for other load at that time; set repetitions: 8 or more, so that one run hides nothing",
}, {
	reason: v1alpha1.WarningNotMonotone,
	remedy: "look for other load on the node and on the storage, or for burst credits that run out; raise runtimeSeconds, so that a moment weighs less",
}, {
	reason: v1alpha1.WarningShortRuntime, see: []func(seen) string{shortRuntime},
	remedy: "raise runtimeSeconds, or raise size where timeBased is false, so that each run takes at least 10 s; of operations on files raise nrfiles",
}, {
	reason: v1alpha1.WarningFewSamples, see: []func(seen) string{fewSamples},
	remedy: "raise runtimeSeconds or size, of operations on files nrfiles, or ignore this percentile and all higher ones",
}, {
	reason: v1alpha1.WarningNoLatency, see: []func(seen) string{noLatency},
	remedy: "remove gtod_reduce and the options that begin with disable_ from the workload",
}}

// maxProbeFailure is the most bytes of what is said of a probe that failed, of which the status has no result.
const maxProbeFailure = 220

func probeFailed(s seen) string {
	if s.client.ProbeFailure == "" {
		return ""
	}
	return humanize.Cut("the probe failed after the result was measured: "+s.client.ProbeFailure, maxProbeFailure, "...")
}

func notSteady(s seen) string { return humanize.Cut(s.client.NotSteady, maxProbeFailure, "...") }

func cpuThrottled(s seen) string {
	if s.client.ThrottledPercent == nil || *s.client.ThrottledPercent < 1 {
		return ""
	}
	return throttled(s.result, *s.client.ThrottledPercent)
}

// samplesNeeded are the I/Os of which ten are above the percentile, 10/(1-p), from the lowest percentile on. With one above it, 1/(1-p), a P99 is more
// than 10 % off in most runs.
var samplesNeeded = []struct {
	percentile string
	ios        int64
}{{"p50", 20}, {"p90", 100}, {"p95", 200}, {"p99", 1000}, {"p99.9", 10_000}, {"p99.99", 100_000}}

// SamplesNeeded returns how many I/Os there have to be for one to be above a percentile such as p99.9, 0 for what is no percentile.
func SamplesNeeded(percentile string) int64 {
	for _, needed := range samplesNeeded {
		if needed.percentile == percentile {
			return needed.ios
		}
	}
	return 0
}

// warnedOf is the highest percentile that is warned of: tables and reports show none that is higher, but for wide ones.
const warnedOf = "p99"

// fewSamples is about the direction with the fewest I/Os of those with percentiles, or about syncs if there were fewer of them.
func fewSamples(s seen) string {
	fewest, name, what := int64(0), "", "I/Os"
	for direction, io := range s.result.Directions() {
		if io.CompletionLatency != nil && (name == "" || io.Count < fewest) {
			fewest, name = io.Count, direction+"s"
		}
	}
	if sync := s.result.Of(v1alpha1.OperationSync); sync != nil && sync.CompletionLatency != nil && (name == "" || sync.Count < fewest) {
		fewest, name, what = sync.Count, "syncs", "syncs"
	}
	if m := s.result.Of(v1alpha1.OperationMetadata); m != nil && m.CompletionLatency != nil && (name == "" || m.Count < fewest) {
		fewest, name, what = m.Count, "metadata", "operations"
	}
	for _, needed := range samplesNeeded {
		if name != "" && fewest < needed.ios {
			return fmt.Sprintf("%s of %s is not reliable: it needs %d %s, and there were %d", needed.percentile, name, needed.ios, what, fewest)
		}
		if needed.percentile == warnedOf {
			break
		}
	}
	return ""
}

// shortRuntime asks less of operations on files: these end when there is one of each file, and fewSamples says whether they are enough.
func shortRuntime(s seen) string {
	switch elapsed := s.result.ElapsedMilliseconds; {
	case s.result.Of(v1alpha1.OperationMetadata) != nil && elapsed < minOperationsMilliseconds:
		return fmt.Sprintf("all operations took %d ms, and fio counts whole milliseconds: the rate may be wrong by %s %%", elapsed, humanize.Significant(100/float64(max(elapsed, 1))))
	case s.result.Of(v1alpha1.OperationMetadata) == nil && elapsed < minElapsedMilliseconds:
		return fmt.Sprintf("measured for %d ms, and in less than %d ms the start of a run weighs too much", elapsed, minElapsedMilliseconds)
	}
	return ""
}

func noLatency(s seen) string {
	if s.load.LatencyOff {
		return "the workload tells fio not to measure latency"
	}
	for direction, io := range s.result.Directions() {
		if io.Latency == nil || io.CompletionLatency == nil {
			return fmt.Sprintf("fio measured no latency of %ss", direction)
		}
	}
	return ""
}

func shortIOs(s seen) string {
	if s.client.ShortIOs <= 0 && s.client.DroppedIOs <= 0 {
		return ""
	}
	return fmt.Sprintf("%d I/Os were completed in part and %d were never issued", s.client.ShortIOs, s.client.DroppedIOs)
}

func sparseReads(s seen) string {
	if s.client.SparseFiles > 0 {
		return fmt.Sprintf("%d of %d files have blocks that were never written: reads of these may not reach the storage", s.client.SparseFiles, s.client.Files)
	}
	if s.load.Reads && s.load.NewDevice {
		return "the raw volume is new: reads of blocks that were never written may not reach the storage"
	}
	return ""
}
