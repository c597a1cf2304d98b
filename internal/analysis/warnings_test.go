package analysis

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// sampled is I/O with latencies of so many I/Os.
func sampled(ios int64) *v1alpha1.Figures {
	return &v1alpha1.Figures{Count: ios, Latency: &v1alpha1.Latency{}, CompletionLatency: &v1alpha1.LatencyDistribution{}}
}

// burstOf is I/O with latencies at a rate.
func burstOf(iops, bytes int64) *v1alpha1.Figures {
	io := sampled(100_000)
	io.MilliIOPS, io.BytesPerSecond = 1000*min(iops, math.MaxInt64/1000), iops*bytes
	return io
}

func TestWarnings(t *testing.T) {
	minute := func(read, write *v1alpha1.Figures) v1alpha1.Result {
		return v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(read.As(v1alpha1.OperationRead), write.As(v1alpha1.OperationWrite))}
	}
	good := minute(sampled(100_000), nil)
	for _, test := range []struct {
		name    string
		results []v1alpha1.Result
		known   []Known
		load    []Load
		client  Client
		want    []v1alpha1.Warning
	}{{
		name: "nothing", results: []v1alpha1.Result{good}, load: []Load{{Reads: true, FileBytes: 1 << 30}},
		client: Client{MemoryBytes: 1 << 31, ThrottledPercent: new(int32(0)), Files: 4},
	}, {
		name: "no result", client: Client{ShortIOs: 1},
	}, {
		name: "not steady", results: []v1alpha1.Result{good}, load: []Load{{}}, client: Client{NotSteady: "not steady after 3540 s"},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningNotSteady, Message: "not steady after 3540 s"}},
	}, {
		name: "no probe", results: []v1alpha1.Result{good}, load: []Load{{}}, client: Client{ProbeFailure: "out of memory"},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningProbeFailed, Message: "the probe failed after the result was measured: out of memory"}},
	}, {
		name: "files as large as memory", results: []v1alpha1.Result{good}, load: []Load{{Buffered: true, FileBytes: 1 << 30}}, client: Client{MemoryBytes: 1 << 30},
		want: []v1alpha1.Warning{{
			Reason: v1alpha1.WarningFilesFitInMemory, Message: "I/O is buffered, and test files of 1 GiB fit into the 1 GiB of memory that the page cache can take",
		}},
	}, {
		name: "files larger than memory", results: []v1alpha1.Result{good}, load: []Load{{Buffered: true, FileBytes: 1<<30 + 1}}, client: Client{MemoryBytes: 1 << 30},
	}, {
		name: "files of unknown size", results: []v1alpha1.Result{good}, load: []Load{{Buffered: true}}, client: Client{MemoryBytes: 1 << 30},
	}, {
		name: "unknown memory", results: []v1alpha1.Result{good}, load: []Load{{Buffered: true, FileBytes: 1}},
	}, {
		name: "throttled", results: []v1alpha1.Result{good}, load: []Load{{}}, client: Client{ThrottledPercent: new(int32(1))},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningCPUThrottled, Message: "the container's CPU limit held fio back in 1 % of scheduling periods"}},
	}, {
		name: "enough for what tables show", results: []v1alpha1.Result{minute(sampled(1000), sampled(1000))}, load: []Load{{}},
	}, {
		name: "fewest of reads", results: []v1alpha1.Result{minute(sampled(999), sampled(1000))}, load: []Load{{}},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningFewSamples, Message: "p99 of reads is not reliable: it needs 1000 I/Os, and there were 999"}},
	}, {
		name: "199 I/Os", results: []v1alpha1.Result{minute(sampled(199), nil)}, load: []Load{{}},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningFewSamples, Message: "p95 of reads is not reliable: it needs 200 I/Os, and there were 199"}},
	}, {
		name: "one trim", results: []v1alpha1.Result{{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(sampled(1).As(v1alpha1.OperationTrim))}}, load: []Load{{}},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningFewSamples, Message: "p50 of trims is not reliable: it needs 20 I/Os, and there were 1"}},
	}, {
		name: "no percentiles to be reliable", results: []v1alpha1.Result{minute(&v1alpha1.Figures{Count: 5}, sampled(100_000))}, load: []Load{{}},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningNoLatency, Message: "fio measured no latency of reads"}},
	}, {
		name: "short", results: []v1alpha1.Result{{ElapsedMilliseconds: 9999, Figures: v1alpha1.ListOf(sampled(100_000).As(v1alpha1.OperationRead))}}, load: []Load{{}},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningShortRuntime, Message: "measured for 9999 ms, and in less than 10000 ms the start of a run weighs too much"}},
	}, {
		name: "shorter", results: []v1alpha1.Result{{ElapsedMilliseconds: 250, Figures: v1alpha1.ListOf(sampled(100_000).As(v1alpha1.OperationRead))}}, load: []Load{{}},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningShortRuntime, Message: "measured for 250 ms, and in less than 10000 ms the start of a run weighs too much"}},
	}, {
		name: "10 s", results: []v1alpha1.Result{{ElapsedMilliseconds: 10_000, Figures: v1alpha1.ListOf(sampled(100_000).As(v1alpha1.OperationRead))}},
	}, {
		name: "no latency wanted", results: []v1alpha1.Result{minute(&v1alpha1.Figures{Count: 1}, nil)}, load: []Load{{LatencyOff: true}},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningNoLatency, Message: "the workload tells fio not to measure latency"}},
	}, {
		name: "no percentiles", results: []v1alpha1.Result{minute(nil, &v1alpha1.Figures{Count: 1, Latency: &v1alpha1.Latency{}})}, load: []Load{{}},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningNoLatency, Message: "fio measured no latency of writes"}},
	}, {
		name: "no mean", results: []v1alpha1.Result{minute(nil, &v1alpha1.Figures{Count: 100_000, CompletionLatency: &v1alpha1.LatencyDistribution{}})}, load: []Load{{}},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningNoLatency, Message: "fio measured no latency of writes"}},
	}, {
		name: "short I/Os", results: []v1alpha1.Result{good}, load: []Load{{}}, client: Client{ShortIOs: 3},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningShortIOs, Message: "3 I/Os were completed in part and 0 were never issued"}},
	}, {
		name: "dropped I/Os", results: []v1alpha1.Result{good}, load: []Load{{}}, client: Client{DroppedIOs: 1},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningShortIOs, Message: "0 I/Os were completed in part and 1 were never issued"}},
	}, {
		name: "sparse files", results: []v1alpha1.Result{good}, load: []Load{{Reads: true}}, client: Client{Files: 4, SparseFiles: 1},
		want: []v1alpha1.Warning{{
			Reason: v1alpha1.WarningSparseReads, Message: "1 of 4 files have blocks that were never written: reads of these may not reach the storage",
		}},
	}, {
		name: "reads of a new device", results: []v1alpha1.Result{good}, load: []Load{{Reads: true, NewDevice: true}},
		want: []v1alpha1.Warning{{
			Reason: v1alpha1.WarningSparseReads, Message: "the raw volume is new: reads of blocks that were never written may not reach the storage",
		}},
	}, {
		name: "writes to a new device", results: []v1alpha1.Result{good}, load: []Load{{NewDevice: true}},
	}, {
		name: "few samples in a later section", results: []v1alpha1.Result{
			{ElapsedMilliseconds: 20_000, Figures: v1alpha1.ListOf(sampled(90_000).As(v1alpha1.OperationRead))}, {ElapsedMilliseconds: 20_000, Figures: v1alpha1.ListOf(sampled(50).As(v1alpha1.OperationWrite))}, {ElapsedMilliseconds: 20_000, Figures: v1alpha1.ListOf(sampled(500).As(v1alpha1.OperationRead))},
		},
		want: []v1alpha1.Warning{{Reason: v1alpha1.WarningFewSamples, Message: "p90 of writes is not reliable: it needs 100 I/Os, and there were 50"}},
	}, {
		name: "first access", results: []v1alpha1.Result{good}, load: []Load{{Sourced: true}},
		want: []v1alpha1.Warning{{
			Reason: v1alpha1.WarningFirstAccess, Message: "no run has used this volume since it was made from its dataSource: storage may load each block when it is first used",
		}},
	}, {
		name: "later access", results: []v1alpha1.Result{good}, load: []Load{{Reads: true, Sourced: true, Used: true}},
		want: []v1alpha1.Warning{{
			Reason: v1alpha1.WarningFirstAccess, Message: "earlier runs have used this volume, which was made from a dataSource: blocks that they used are loaded by now",
		}},
	}, {
		name: "a volume that was made empty", results: []v1alpha1.Result{good}, load: []Load{{Reads: true, Used: true}},
	}, {
		name: "burst of the storage before that of the instance",
		results: []v1alpha1.Result{
			{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(burstOf(1987, 64<<10).As(v1alpha1.OperationWrite))}, {ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(burstOf(3000, 4096).As(v1alpha1.OperationWrite))},
		},
		known: []Known{{Storage: gp3, Client: clients(m6iLargeEBS)}, {Storage: gp2Of100GiB}},
		want: []v1alpha1.Warning{{
			Reason: v1alpha1.WarningBurstCredits, Message: "ran at 3000 IOPS, where the volume's baseline is 300 IOPS: it can keep this up only as long as it has burst credits",
		}},
	}, {
		name: "each once, in order, about the first",
		results: []v1alpha1.Result{
			good, {ElapsedMilliseconds: 2000, Figures: v1alpha1.ListOf(sampled(100_000).As(v1alpha1.OperationRead))}, {ElapsedMilliseconds: 1000, Figures: v1alpha1.ListOf(sampled(10).As(v1alpha1.OperationWrite))},
		},
		load:   []Load{{}, {Reads: true, NewDevice: true}, {Buffered: true, FileBytes: 1, LatencyOff: true}},
		client: Client{MemoryBytes: 2, ThrottledPercent: new(int32(7)), ShortIOs: 1},
		want: []v1alpha1.Warning{
			{Reason: v1alpha1.WarningFilesFitInMemory, Message: "I/O is buffered, and test files of 1 B fit into the 2 B of memory that the page cache can take"},
			{Reason: v1alpha1.WarningSparseReads, Message: "the raw volume is new: reads of blocks that were never written may not reach the storage"},
			{Reason: v1alpha1.WarningShortIOs, Message: "1 I/Os were completed in part and 0 were never issued"},
			{Reason: v1alpha1.WarningCPUThrottled, Message: "the container's CPU limit held fio back in 7 % of scheduling periods"},
			{Reason: v1alpha1.WarningShortRuntime, Message: "measured for 2000 ms, and in less than 10000 ms the start of a run weighs too much"},
			{Reason: v1alpha1.WarningFewSamples, Message: "p50 of writes is not reliable: it needs 20 I/Os, and there were 10"},
			{Reason: v1alpha1.WarningNoLatency, Message: "the workload tells fio not to measure latency"},
		},
	}} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Warnings(test.results, test.known, test.load, test.client)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWarningsFit has figures as large as can be.
func TestWarningsFit(t *testing.T) {
	const most = math.MaxInt64
	load := Load{Buffered: true, FileBytes: most, Jobs: most}
	client := Client{
		MemoryBytes: most, ThrottledPercent: new(int32(math.MaxInt32)), ShortIOs: most, DroppedIOs: most, Files: most, SparseFiles: most, ClockSpread: most,
		StealPermille: 999, UsedPermille: 999, UsedInodesPermille: 999, BusiestJobPermille: 999,
	}
	result := v1alpha1.Result{Clients: math.MaxInt32, StartSkewMilliseconds: new(int64(most)), Figures: v1alpha1.ListOf(sampled(1).As(v1alpha1.OperationRead), (&v1alpha1.Figures{}).As(v1alpha1.OperationWrite))}
	overlap := result
	overlap.CommonMilliseconds, overlap.ElapsedMilliseconds = most/2, most
	lookups := v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationMetadata, Count: most, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: int64(fromMemory) - 1}}}}
	warnings := everyWarning([]v1alpha1.Result{result}, nil, []Load{load}, client)
	others := everyWarning([]v1alpha1.Result{overlap}, nil, []Load{{UnsyncedWrites: true}}, client)
	for _, w := range append(others, everyWarning([]v1alpha1.Result{lookups}, nil, []Load{{Lookups: true}}, client)...) {
		if !slices.ContainsFunc(warnings, func(other v1alpha1.Warning) bool { return other.Reason == w.Reason }) {
			warnings = append(warnings, w)
		}
	}
	traps := Load{IgnoredDepth: most, BufferedAsync: true, AlikeData: "buffer_compress_percentage", InlineRate: true, OtherFilesSynced: true, InFlight: 1, RateIOPS: most}
	all := load
	all.IgnoredDepth, all.BufferedAsync, all.AlikeData = most, true, traps.AlikeData
	checkRoom(t, []v1alpha1.Result{result, overlap}, []Load{all, {UnsyncedWrites: true}}, client)
	result.Clients = 0
	checkRoom(t, []v1alpha1.Result{result}, []Load{all}, client)
	result.Clients = math.MaxInt32
	slow := v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(burstOf(1, 4096).As(v1alpha1.OperationWrite))}
	slow.Of(v1alpha1.OperationWrite).CompletionLatency.P999Nanoseconds = most
	warnings = append(warnings, Warnings([]v1alpha1.Result{slow}, nil, []Load{traps}, Client{})...)
	beyond := Known{Storage: &v1alpha1.KnownLimits{Counting: v1alpha1.CountsShared, Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeFileSystem, ReadIOPS: new(int64(most / 2)), WriteIOPS: new(int64(1)),
	}}, Company: &Company{names: make([]string, 255)}}
	warnings = append(warnings, Warnings([]v1alpha1.Result{slow}, nil, nil, Client{ProbeFailure: strings.Repeat("x", 300)})...)
	for _, w := range everyWarning([]v1alpha1.Result{slow}, nil, nil, Client{NotSteady: strings.Repeat("x", 300)}) {
		if w.Reason == v1alpha1.WarningNotSteady {
			warnings = append(warnings, w)
		}
	}
	warnings = append(warnings, Warnings([]v1alpha1.Result{slow}, nil, []Load{{SyncedAtEnd: true}}, Client{})...)
	node := NodeLoad{BusyPermille: 999, OthersPermille: 999, WaitedPermille: 999}
	warnings = append(warnings, Warnings([]v1alpha1.Result{slow}, nil, nil, Client{Node: node})...)
	fell := v1alpha1.Result{OverTime: &v1alpha1.OverTime{Fall: &v1alpha1.RateFall{AtSeconds: math.MaxInt32, BeforeMilliIOPS: most, AfterMilliIOPS: most}}}
	for _, w := range everyWarning([]v1alpha1.Result{fell}, nil, nil, Client{}) {
		if w.Reason == v1alpha1.WarningRateFell {
			warnings = append(warnings, w)
		}
	}
	rose := v1alpha1.Result{SteadyState: &v1alpha1.SteadyState{Attained: true}, OverTime: &v1alpha1.OverTime{Rise: &v1alpha1.RateRise{AtSeconds: math.MaxInt32, BeforeMilliIOPS: most, AfterMilliIOPS: most}}}
	for _, w := range everyWarning([]v1alpha1.Result{rose}, nil, nil, Client{}) {
		if w.Reason == v1alpha1.WarningWarmUp {
			warnings = append(warnings, w)
		}
	}
	faster := Warnings([]v1alpha1.Result{{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(burstOf(most, 0).As(v1alpha1.OperationRead), burstOf(most, 0).As(v1alpha1.OperationWrite))}}, []Known{beyond}, nil, Client{})
	warnings = append(warnings, faster...)
	again := v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, Bytes: most, MilliIOPS: 1000}}}
	for _, w := range everyWarning([]v1alpha1.Result{again}, nil, []Load{{FileBytes: 1}}, Client{}) {
		if w.Reason == v1alpha1.WarningFilesReadAgain {
			warnings = append(warnings, w)
		}
	}
	fileSystem := &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeFileSystem, WriteIOPS: new(int64(most / 1000)), Burst: &v1alpha1.Burst{BaselineIOPS: new(int64(most / 2000)), IOCredits: new(int64(most))},
	}}
	volume := fileSystem.DeepCopy()
	volume.Scope, volume.WriteIOPS, volume.Burst.BaselineIOPS = v1alpha1.ScopeVolume, new(int64(most/128_000)), new(int64(most/256_000))
	volume.Burst.IOCredits = new(int64(most / 4)) // which last for less than a day
	result.Set(v1alpha1.OperationWrite, burstOf(most, 0))
	for _, credits := range []*Credits{
		nil, {Before: 1, RanOut: true, BurstShare: 1, SecondsToEmpty: most, Assumed: true},
		{After: 1, BurstShare: 1, Assumed: true},
	} {
		for _, known := range []Known{{Storage: fileSystem, Credits: credits}, {Storage: volume, Volumes: 128, Credits: credits}} {
			got := everyWarning([]v1alpha1.Result{result}, []Known{known}, nil, Client{ClockSpread: most})
			at := slices.IndexFunc(got, func(w v1alpha1.Warning) bool { return w.Reason == v1alpha1.WarningBurstCredits })
			if at < 0 || len(got[at].Message) > 256 {
				t.Fatalf("warnings %+v", got)
			}
			if credits == nil && known.Volumes == 0 {
				warnings = append(warnings, got[at])
			}
		}
	}
	warnings = append(warnings, Compare(append(repeated("a", [2]int64{1, 1}), repeated("a", [2]int64{most, 1})...), []string{"a"}, "a")[0].Targets[0].Warnings...)
	moved, _ := movedOn(&v1alpha1.TargetStatus{Name: "a", RunsBeforeNodeChange: new(int32(199))}, slices.Repeat([]v1alpha1.Run{{Target: "a", State: v1alpha1.RunSucceeded}}, 200))
	warnings = append(warnings, v1alpha1.Warning{Reason: v1alpha1.WarningDependentRuns, Message: dependence(mostAlike).text(math.MaxInt32 >> 16)})
	hiding := oneRun{repetition: math.MaxInt32, isOfBaseline: true, verdict: v1alpha1.VerdictFaster}
	warnings = append(warnings, *moved, v1alpha1.Warning{Reason: v1alpha1.WarningOneRun, Message: hiding.text(v1alpha1.OperationMetadata)},
		inOrder(v1alpha1.OrderByTarget, v1alpha1.VerdictSame)[0])
	warnings = append(warnings, mixedAccess([]*v1alpha1.Result{{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 1000 * (most / 2000)}}}, {Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, MilliIOPS: 1000 * (most / 1000)}}}})...)
	// Which internal/search tells.
	warnings = append(warnings, v1alpha1.Warning{
		Reason: v1alpha1.WarningNotMonotone, Message: fmt.Sprintf("rateIOPS %d keeps the budget, and %d did not", math.MaxInt32, math.MaxInt32),
	})
	if len(warnings) != len(warningKinds) {
		t.Errorf("%d warnings, want %d: %v", len(warnings), len(warningKinds), warnings)
	}
	for _, w := range warnings {
		if len(w.Message) > 256 || w.Message == "" {
			t.Errorf("%s: message of %d bytes: %s", w.Reason, len(w.Message), w.Message)
		}
	}
}

// checkRoom holds warnings of a run that has more of them than there is room for to what they are: all kinds, with messages of the first ones.
func checkRoom(t *testing.T, results []v1alpha1.Result, loads []Load, client Client) {
	t.Helper()
	every, got := everyWarning(results, nil, loads, client), Warnings(results, nil, loads, client)
	if WarningBytes(every) <= WarningRoom(results) {
		t.Errorf("there is room for %d bytes, and %d warnings take %d", WarningRoom(results), len(every), WarningBytes(every))
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if len(text)-len("[]") > WarningRoom(results) {
		t.Errorf("%d bytes of warnings, of which there is room for %d", len(text), WarningRoom(results))
	}
	var want []v1alpha1.Warning
	told := 0
	for i, w := range every {
		if told == i && got[i].Message != "" {
			told++
		} else {
			w.Message = ""
		}
		want = append(want, w)
	}
	if diff := cmp.Diff(want, got); diff != "" || told < 3 || told == len(got) {
		t.Errorf("%d of %d warnings have their messages (-want +got):\n%s", told, len(got), diff)
	}
}

// The reasons of all kinds together have room in each run.
func TestAllReasonsFit(t *testing.T) {
	var all []v1alpha1.Warning
	for _, kind := range warningKinds {
		all = append(all, v1alpha1.Warning{Reason: kind.reason})
	}
	if bytes := WarningBytes(all); bytes > WarningRoom(nil) {
		t.Errorf("they take %d bytes, and there is room for %d", bytes, WarningRoom(nil))
	}
}

// Figures that cannot last, or are not those of the storage, are told before those that are less exact.
func TestMisleadingWarningsComeFirst(t *testing.T) {
	rank := map[string]int{}
	for i, kind := range warningKinds {
		rank[kind.reason] = i
	}
	for _, reason := range []string{
		v1alpha1.WarningBurstCredits, v1alpha1.WarningFasterThanDocumented, v1alpha1.WarningSparseReads, v1alpha1.WarningUnsyncedWrites,
		v1alpha1.WarningFilesFitInMemory, v1alpha1.WarningCPUSteal, v1alpha1.WarningNearlyFull,
	} {
		if rank[reason] > rank[v1alpha1.WarningFewSamples] || rank[reason] > rank[v1alpha1.WarningShortRuntime] {
			t.Errorf("%s is number %d of all", reason, rank[reason]+1)
		}
	}
}

// Storage that does more than is known of it may have answered from a cache. Where it may do more by its documentation, nothing is strange.
func TestFasterThanDocumented(t *testing.T) {
	known := func(counting v1alpha1.IOCounting, precision v1alpha1.LimitPrecision) Known {
		return Known{Storage: &v1alpha1.KnownLimits{Counting: counting, Precision: precision, Limits: v1alpha1.Limits{IOPS: new(int64(200)), BytesPerSecond: new(int64(90 << 20))}}}
	}
	disk := known(v1alpha1.CountsRandom, v1alpha1.PrecisionRange)
	for _, test := range []struct {
		name        string
		known       Known
		load        Load
		iops, bytes int64
		want        string
	}{
		{"E3's cache", disk, Load{}, 2198, 16 << 10, "2198 of the volume's 200 IOPS (1099 %): a cache of the storage answered, or it can do more than is known"},
		{"a little more", disk, Load{}, 240, 16 << 10, ""},
		{"sequential I/O", disk, Load{Sequential: true}, 3694, 16 << 10, ""},
		{"bytes of sequential I/O", disk, Load{Sequential: true}, 200, 1 << 20, "200 of the volume's 90 MiB/s (222 %): a cache of the storage answered, or it can do more than is known"},
		{"a limit", known("", ""), Load{}, 2198, 4096, "2198 of the volume's 200 IOPS (1099 %): a cache of the storage answered, or it can do more than is known"},
		{"the page cache", disk, Load{Buffered: true}, 2198, 16 << 10, ""},
		{"what it does at least", known(v1alpha1.CountsRandom, v1alpha1.PrecisionAtLeast), Load{}, 2198, 4096, ""},
		{"merged", known(v1alpha1.CountsMerged, ""), Load{Sequential: true}, 2198, 32 << 10, ""},
		{"too small to be merged", known(v1alpha1.CountsMerged, ""), Load{Sequential: true}, 2198, 16 << 10, "2198 of the volume's 200 IOPS (1099 %): a cache of the storage answered, or it can do more than is known"},
		{"not known", Known{}, Load{}, 2198, 4096, ""},
	} {
		result := v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(burstOf(test.iops, test.bytes).As(v1alpha1.OperationRead))}
		got := ""
		for _, w := range Warnings([]v1alpha1.Result{result}, []Known{test.known}, []Load{test.load}, Client{}) {
			if w.Reason == v1alpha1.WarningFasterThanDocumented {
				got = w.Message
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestSummarize(t *testing.T) {
	warning := func(reason, message string) v1alpha1.Warning {
		return v1alpha1.Warning{Reason: reason, Message: message}
	}
	runs := []v1alpha1.Run{
		{Name: "w.a.1", Warnings: []v1alpha1.Warning{warning(v1alpha1.WarningSparseReads, "first"), warning(v1alpha1.WarningCPUThrottled, "7 %")}},
		{Name: "w.a.2"},
		{Name: "w.b.1", Warnings: []v1alpha1.Warning{warning(v1alpha1.WarningSparseReads, "second"), warning("NotOfThisVersion", "x"), warning(v1alpha1.WarningShortRuntime, "")}},
		{Name: "w.b.2", Warnings: []v1alpha1.Warning{warning(v1alpha1.WarningFewSamples, "")}},
		{Name: "w.b.3", Warnings: []v1alpha1.Warning{warning(v1alpha1.WarningFewSamples, "p99 of reads")}},
		{Name: "w.b.4", Warnings: []v1alpha1.Warning{warning(v1alpha1.WarningFewSamples, "p50 of reads")}},
		{Name: "w.b.5", Warnings: []v1alpha1.Warning{warning(v1alpha1.WarningFewSamples, "p95 of reads")}},
	}
	comparisons := []v1alpha1.Comparison{{Workload: "w", Targets: []v1alpha1.TargetComparison{
		{Name: "a"}, {Name: "b", Warnings: []v1alpha1.Warning{warning(v1alpha1.WarningSpread, "67 %")}},
	}}, {Workload: "v", Targets: []v1alpha1.TargetComparison{{Name: "a", Warnings: []v1alpha1.Warning{warning(v1alpha1.WarningSpread, "11 %")}}}}}
	want := []v1alpha1.WarningSummary{
		{Reason: v1alpha1.WarningSparseReads, Results: 2, Message: "w.a.1: first", Remedy: remedyOf(v1alpha1.WarningSparseReads)},
		{Reason: v1alpha1.WarningCPUThrottled, Results: 1, Message: "w.a.1: 7 %", Remedy: "raise or remove spec.pod.resources.limits.cpu"},
		{Reason: v1alpha1.WarningSpread, Results: 2, Message: "w on b: 67 %", Remedy: remedyOf(v1alpha1.WarningSpread)},
		{Reason: v1alpha1.WarningShortRuntime, Results: 1, Message: "w.b.1", Remedy: remedyOf(v1alpha1.WarningShortRuntime)},
		{Reason: v1alpha1.WarningFewSamples, Results: 4, Message: "w.b.4: p50 of reads", Remedy: remedyOf(v1alpha1.WarningFewSamples)},
	}
	if diff := cmp.Diff(want, Summarize(nil, runs, comparisons)); diff != "" {
		t.Errorf("summaries (-want +got):\n%s", diff)
	}
	if got := Summarize(nil, runs[1:2], comparisons[:0]); got != nil {
		t.Errorf("summaries of no warning: %v", got)
	}
}

// What helps is told of each kind of workload: a time for those that can go on for one, and files for those that end with their files.
func TestRemediesForOperationsOnFiles(t *testing.T) {
	for _, reason := range []string{v1alpha1.WarningShortOverlap, v1alpha1.WarningFewSamples} {
		for _, want := range []string{"runtimeSeconds", "nrfiles"} {
			if remedy := remedyOf(reason); !strings.Contains(remedy, want) {
				t.Errorf("the remedy of %s does not have %s: %s", reason, want, remedy)
			}
			if strings.Contains(remedyOf(reason), "timeBased: true") {
				t.Errorf("the remedy of %s sets what runtimeSeconds implies", reason)
			}
		}
	}
}

func remedyOf(reason string) string {
	for _, kind := range warningKinds {
		if kind.reason == reason {
			return kind.remedy
		}
	}
	return ""
}

// TestWarningKinds compares with the reasons that the API declares.
func TestWarningKinds(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../api/v1alpha1/analysis_types.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Warning") {
			reason, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Error(err)
			}
			want = append(want, reason)
		}
		return true
	})
	var got []string
	remedies := map[string]bool{}
	for _, kind := range warningKinds {
		got = append(got, kind.reason)
		if kind.remedy == "" || len(kind.remedy) > 512 || remedies[kind.remedy] {
			t.Errorf("remedy of %s is %q", kind.reason, kind.remedy)
		}
		remedies[kind.remedy] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons (-API +table):\n%s", diff)
	}
}

func TestDescribe(t *testing.T) {
	for want, c := range map[string]v1alpha1.Comparison{
		"randwrite":                  {Workload: "randwrite"},
		"file/first":                 {Workload: "file", Section: "first"},
		"randwrite bs=16k numjobs=2": {Workload: "randwrite", Parameters: map[string]string{"numjobs": "2", "bs": "16k"}},
	} {
		if got := describe(&c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Small files that are read again and again may be in a cache of storage of which nothing is known.
func TestFilesReadAgain(t *testing.T) {
	unlimited := &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{IOPS: new(int64(200)), BytesPerSecond: new(int64(90 << 20))}}
	const warned = "64 MiB of files, read 12 times: a cache may have answered"
	for _, test := range []struct {
		name      string
		known     Known
		load      Load
		direction string
		want      string
	}{
		{"small files", Known{}, Load{FileBytes: 64 << 20}, v1alpha1.OperationRead, warned},
		{"written again", Known{}, Load{FileBytes: 64 << 20}, v1alpha1.OperationWrite, ""},
		{"read a few times", Known{}, Load{FileBytes: 256 << 20}, v1alpha1.OperationRead, ""},
		{"large files", Known{}, Load{FileBytes: 5 << 30}, v1alpha1.OperationRead, ""},
		{"files of unknown size", Known{}, Load{}, v1alpha1.OperationRead, ""},
		{"known limits", Known{Storage: unlimited}, Load{FileBytes: 64 << 20}, v1alpha1.OperationRead, ""},
		{"an object store", Known{Unlimited: true}, Load{FileBytes: 64 << 20}, v1alpha1.OperationRead, ""},
		{"through the page cache", Known{}, Load{FileBytes: 64 << 20, Buffered: true}, v1alpha1.OperationRead, ""},
	} {
		io := v1alpha1.Figures{Count: 3072, Bytes: 12 * 64 << 20, MilliIOPS: 1000, BytesPerSecond: 256 << 10}
		r := v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(io.As(test.direction))}
		got := ""
		for _, w := range Warnings([]v1alpha1.Result{r}, []Known{test.known}, []Load{test.load}, Client{}) {
			if w.Reason == v1alpha1.WarningFilesReadAgain {
				got = w.Message
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
