package analysis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// operated are operations on files at a rate, with a mean and percentiles that are multiples of it.
func operated(perSecond, mean int64) *v1alpha1.Result {
	return &v1alpha1.Result{ElapsedMilliseconds: 1000, Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationMetadata, Count: perSecond, MilliIOPS: 1000 * perSecond, Latency: &v1alpha1.Latency{MeanNanoseconds: mean}, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: 2 * mean, P90Nanoseconds: 3 * mean, P99Nanoseconds: 4 * mean}}}}
}

func TestCompareMetadata(t *testing.T) {
	several := func(rates ...int64) []*v1alpha1.Result {
		var all []*v1alpha1.Result
		for _, rate := range rates {
			all = append(all, operated(rate, 100))
		}
		return all
	}
	bare := operated(50, 100)
	bare.Of(v1alpha1.OperationMetadata).CompletionLatency = nil
	slow := func(count, milliseconds int64) *v1alpha1.Result {
		r := operated(0, 100)
		m := r.Of(v1alpha1.OperationMetadata)
		m.Count, m.MilliIOPS, r.ElapsedMilliseconds = count, count*1_000_000/milliseconds, milliseconds
		return r
	}
	for name, test := range map[string]struct {
		own, base []*v1alpha1.Result
		// want has the medians of the rate, mean, P50, P90 and P99, the ratio of the rate, and the verdict.
		want []any
	}{
		"faster":              {several(200, 210, 220, 230), several(100, 101, 102, 103), []any{int64(215), int64(100), int64(200), int64(300), int64(400), "2.12", v1alpha1.VerdictFaster}},
		"slower":              {several(100, 101, 102, 103), several(200, 210, 220, 230), []any{int64(102), int64(100), int64(200), int64(300), int64(400), "0.47", v1alpha1.VerdictSlower}},
		"too few runs":        {several(200), several(100), []any{int64(200), int64(100), int64(200), int64(300), int64(400), "2.00", v1alpha1.VerdictTooFewRuns}},
		"without a baseline":  {several(200), nil, []any{int64(200), int64(100), int64(200), int64(300), int64(400), "", v1alpha1.Verdict("")}},
		"without percentiles": {[]*v1alpha1.Result{bare}, several(100), []any{int64(50), int64(100), nil, nil, nil, "0.50", v1alpha1.VerdictTooFewRuns}},
		"what rounding hides": {[]*v1alpha1.Result{slow(26, 20_000)}, []*v1alpha1.Result{slow(20, 20_000)}, []any{int64(1), int64(100), int64(200), int64(300), int64(400), "1.30", v1alpha1.VerdictTooFewRuns}},
		"one run has none":    {append(several(200), &v1alpha1.Result{}), several(100), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var all []v1alpha1.Run
			for target, results := range map[string][]*v1alpha1.Result{"own": test.own, "base": test.base} {
				for _, r := range results {
					all = append(all, run(target, *r))
				}
			}
			var got []any
			target := Compare(all, []string{"own", "base"}, "base")[0].Targets[0]
			if m := target.Of(v1alpha1.OperationMetadata); m != nil {
				got = append(got, m.IOPS().Median, m.MeanNanoseconds.Median)
				for _, p := range []*v1alpha1.Statistic{m.P50Nanoseconds, m.P90Nanoseconds, m.P99Nanoseconds} {
					if p == nil {
						got = append(got, nil)
						continue
					}
					got = append(got, p.Median)
				}
				got = append(got, m.MilliIOPS.Ratio, m.Verdict())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if target.Of(v1alpha1.OperationTotal) != nil || target.Of(v1alpha1.OperationRead) != nil || target.Of(v1alpha1.OperationWrite) != nil || target.Of(v1alpha1.OperationSync) != nil {
				t.Errorf("there is more: %+v", target)
			}
		})
	}
}

func TestSpreadOfMetadata(t *testing.T) {
	runs := []v1alpha1.Run{run("a", *operated(100, 5)), run("a", *operated(150, 5))}
	warnings := Compare(runs, []string{"a"}, "a")[0].Targets[0].Warnings
	if len(warnings) != 1 || warnings[0].Reason != v1alpha1.WarningSpread || !strings.Contains(warnings[0].Message, "from 100 to 150") {
		t.Errorf("%+v", warnings)
	}
}

// Operations on files are held against the operations of a file system that counts them, and against what the kernel counted; else only the client's CPU
// says what held them back, and no rate of I/Os and no law of queues does.
func TestBoundOfMetadata(t *testing.T) {
	busy := operated(100_000, 9_000)
	busy.CPU = &v1alpha1.CPUResult{UserPercent: 30, SystemPercent: 65}
	for name, test := range map[string]struct {
		result *v1alpha1.Result
		want   string
	}{
		"waits":     {operated(3000, 300_000), v1alpha1.BoundUnknown},
		"takes CPU": {busy, v1alpha1.BoundClientCPU},
	} {
		got := Bound(test.result, Known{Storage: gp3}, Load{Jobs: 1, InFlight: 1, RateIOPS: 3000}, Client{})
		if got.Reason != test.want || strings.Contains(got.Message, "no I/O") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestLimitsOfMetadata(t *testing.T) {
	shared := *efs
	shared.Counting = v1alpha1.CountsShared
	beside := CompanyOf([]Section{{Result: operated(3000, 300_000)}, {Name: "reads", Result: &v1alpha1.Result{ElapsedMilliseconds: 1000, Figures: v1alpha1.ListOf(blocks(20_000, 4096, 0).As(v1alpha1.OperationRead))}}}, 0)
	const several = ", if each is one operation of the storage: NFS makes several of some, so it is unknown whether this held the result back"
	for _, test := range []struct {
		name   string
		result *v1alpha1.Result
		known  Known
		load   Load
		want   string
	}{
		{"look-ups at the limit", operated(33_000, 300_000), Known{Storage: &shared}, Load{Lookups: true}, "FileSystemIOPS 33000 of the file system's 35000 look-ups a second (94 %)"},
		{"changes at the limit", operated(6900, 300_000), Known{Storage: &shared}, Load{}, "FileSystemIOPS 6900 of the file system's 7000 changes a second (99 %)"},
		{"changes beside reads of another section", operated(3000, 300_000), Known{Storage: &shared, Company: beside}, Load{},
			"FileSystemIOPS 35000 of the file system's 35000 IOPS, where a write counts as 5 reads together with section reads (100 %)"},
		{"fewer", operated(700, 300_000), Known{Storage: &shared}, Load{}, "Unknown 700 of the file system's 7000 changes a second (10 %)" + several},
		{"more than there can be", operated(400_000, 300_000), Known{Storage: &shared}, Load{Lookups: true},
			"Unknown 400000 of the file system's 35000 look-ups a second (1143 %) are more than it can do: memory answered, or the limit is higher than is known"},
		{"from memory, as their time says", operated(33_000, 1000), Known{Storage: &shared}, Load{Lookups: true}, "Unknown limits of storage count I/Os and bytes, and not operations on files"},
		{"on a volume", operated(3000, 300_000), Known{Storage: gp3}, Load{}, "Unknown limits of storage count I/Os and bytes, and not operations on files"},
		{"on a volume whose journal is at its limit", operated(900, 300_000), Known{Storage: gp3, Counted: &Counted{Writes: 2950, WriteBytes: 2950 * 4096}}, Load{},
			"VolumeIOPS 2950 of the volume's 3000 IOPS, by the kernel's count (98 %)"},
		{"on a volume that has room", operated(900, 300_000), Known{Storage: gp3, Counted: &Counted{Writes: 1000, WriteBytes: 1000 * 4096}}, Load{},
			"Unknown limits of storage count I/Os and bytes, and not operations on files"},
	} {
		got := Bound(test.result, test.known, test.load, Client{})
		if text := got.Reason + " " + got.Message; text != test.want {
			t.Errorf("%s: %q,\nwant %q", test.name, text, test.want)
		}
	}
}

func TestWarningsOfMetadata(t *testing.T) {
	lookups := Load{Lookups: true, FileBytes: 1}
	for name, test := range map[string]struct {
		count, mean int64
		load        Load
		want        string
		// milliseconds is in how many all files were through.
		milliseconds int64
	}{
		"lookups of memory":      {200_000, 700, lookups, "MetadataFromMemory half of the lookups took at most 1.4us: the node's memory answered them, and not the storage", 100},
		"lookups of the storage": {200_000, 300_000, lookups, "", 100},
		"lookups, just not":      {200_000, 5_000, lookups, "", 100},
		"creations as fast":      {200_000, 700, Load{FileBytes: 1}, "MetadataFromMemory half of the operations took at most 1.4us: they changed the node's memory, and the file system writes that to the storage later", 100},
		"few milliseconds":       {200_000, 300_000, lookups, "ShortRuntime all operations took 50 ms, and fio counts whole milliseconds: the rate may be wrong by 2 %", 50},
		"few":                    {99, 300_000, lookups, "FewSamples p90 of metadata is not reliable: it needs 100 operations, and there were 99", 100},
	} {
		t.Run(name, func(t *testing.T) {
			r := *operated(test.count, test.mean)
			r.ElapsedMilliseconds = test.milliseconds
			var got []string
			for _, w := range Warnings([]v1alpha1.Result{r}, []Known{{Storage: gp3}}, []Load{test.load}, Client{MemoryBytes: 1 << 30}) {
				got = append(got, w.Reason+" "+w.Message)
			}
			if all := strings.Join(got, "; "); all != test.want {
				t.Errorf("warnings %q, want %q", all, test.want)
			}
		})
	}
}
