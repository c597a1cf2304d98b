package analysis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// synced are syncs with a mean, and percentiles that are multiples of it.
func synced(mean int64) *v1alpha1.Figures {
	return &v1alpha1.Figures{Count: 10_000, Latency: &v1alpha1.Latency{MeanNanoseconds: mean}, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: 2 * mean, P90Nanoseconds: 3 * mean, P99Nanoseconds: 4 * mean}}
}

func TestCompareSyncs(t *testing.T) {
	runs := func(target string, syncs ...*v1alpha1.Figures) []v1alpha1.Run {
		var all []v1alpha1.Run
		for _, s := range syncs {
			all = append(all, run(target, v1alpha1.Result{Figures: v1alpha1.ListOf(timed(400, 20).As(v1alpha1.OperationWrite), s.As(v1alpha1.OperationSync))}))
		}
		return all
	}
	several := func(means ...int64) []*v1alpha1.Figures {
		var all []*v1alpha1.Figures
		for _, mean := range means {
			all = append(all, synced(mean))
		}
		return all
	}
	bare := &v1alpha1.Figures{Count: 3, Latency: &v1alpha1.Latency{MeanNanoseconds: 50}}
	for name, test := range map[string]struct {
		own, base []*v1alpha1.Figures
		// want has the medians of mean, P50, P90 and P99, the ratio of P99 or else of the mean, and the verdict.
		want []any
	}{
		"slower":              {several(200, 210, 220, 230), several(100, 101, 102, 103), []any{int64(215), int64(430), int64(645), int64(860), "2.12", v1alpha1.VerdictSlower}},
		"faster":              {several(100, 101, 102, 103), several(200, 210, 220, 230), []any{int64(102), int64(203), int64(305), int64(406), "0.47", v1alpha1.VerdictFaster}},
		"too few runs":        {several(200), several(100), []any{int64(200), int64(400), int64(600), int64(800), "2.00", v1alpha1.VerdictTooFewRuns}},
		"without a baseline":  {several(200), nil, []any{int64(200), int64(400), int64(600), int64(800), "", v1alpha1.Verdict("")}},
		"without percentiles": {[]*v1alpha1.Figures{bare}, several(100), []any{int64(50), nil, nil, nil, "0.50", v1alpha1.VerdictTooFewRuns}},
		"one run has none":    {[]*v1alpha1.Figures{bare, nil}, several(100), nil},
		"none":                {[]*v1alpha1.Figures{nil}, several(100), nil},
	} {
		t.Run(name, func(t *testing.T) {
			all := append(runs("own", test.own...), runs("base", test.base...)...)
			var got []any
			if s := Compare(all, []string{"own", "base"}, "base")[0].Targets[0].Of(v1alpha1.OperationSync); s != nil {
				got = append(got, s.MeanNanoseconds.Median)
				for _, p := range []*v1alpha1.Statistic{s.P50Nanoseconds, s.P90Nanoseconds, s.P99Nanoseconds} {
					if p == nil {
						got = append(got, nil)
						continue
					}
					got = append(got, p.Median)
				}
				got = append(got, s.Judged().Ratio, s.Verdict())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Time in fsync is time in flight: what etcd's job did on a loop device, 412 writes of 21 us and as many syncs of 2.38 ms a second, is
// one I/O or sync all the time.
func TestLatencyCountsSyncs(t *testing.T) {
	etcd := v1alpha1.Result{
		ElapsedMilliseconds: 10_000, Figures: v1alpha1.ListOf(blocks(412, 2300, 21_000).As(v1alpha1.OperationWrite), (&v1alpha1.Figures{Count: 4120, Latency: &v1alpha1.Latency{MeanNanoseconds: 2_380_000}}).As(v1alpha1.OperationSync)),
	}
	etcd.Of(v1alpha1.OperationWrite).Count, etcd.Of(v1alpha1.OperationWrite).Bytes = 4120, 4120*2300
	one := Load{InFlight: 1, Jobs: 1}
	bound := Bound(&etcd, Known{Storage: gp3}, one, Client{})
	if bound.Reason != v1alpha1.BoundLatency || *bound.LimitInFlight != 1 || *bound.UsedPercent != 99 || !strings.Contains(bound.Message, "of 1 I/Os and syncs were in flight all the time, each for 1.2") {
		t.Errorf("with syncs: %+v", bound)
	}
	// Of two clients that took unlike times the rate is that of the writes.
	together := etcd
	together.ElapsedMilliseconds = 20_000
	if bound := Bound(&together, Known{Storage: gp3}, one, Client{}); bound.Reason != v1alpha1.BoundLatency {
		t.Errorf("of two clients: %+v", bound)
	}
	etcd.Set(v1alpha1.OperationSync, nil)
	if bound := Bound(&etcd, Known{Storage: gp3}, one, Client{}); bound.Reason != v1alpha1.BoundUnknown {
		t.Errorf("without syncs: %+v", bound)
	}
}

func TestWarningsOfSyncs(t *testing.T) {
	const mib = 1 << 20
	unsynced := Load{Buffered: true, UnsyncedWrites: true, FileBytes: mib}
	mixed := Load{Buffered: true, UnsyncedWrites: true, Reads: true, FileBytes: mib}
	for name, test := range map[string]struct {
		load   Load
		client Client
		sync   *v1alpha1.Figures
		want   string
	}{
		"synced":                       {load: Load{FileBytes: mib}, client: Client{MemoryBytes: mib}},
		"reads":                        {load: Load{Buffered: true, FileBytes: mib}, client: Client{MemoryBytes: mib}, want: "FilesFitInMemory"},
		"never synced":                 {load: unsynced, client: Client{MemoryBytes: mib}, want: "UnsyncedWrites"},
		"never synced, larger files":   {load: unsynced, client: Client{MemoryBytes: mib - 1}, want: "LatencyOfMemory"},
		"never synced, of no size":     {load: Load{Buffered: true, UnsyncedWrites: true}, client: Client{MemoryBytes: 1}, want: "UnsyncedWrites"},
		"never synced, memory unknown": {load: unsynced, want: "UnsyncedWrites"},
		"never synced, and read":       {load: mixed, client: Client{MemoryBytes: mib}, want: "UnsyncedWrites I/O is buffered, the test files fit into memory, and writes are never synced"},
		"read from larger files":       {load: mixed, client: Client{MemoryBytes: mib - 1}, want: "LatencyOfMemory"},
		"read, memory unknown":         {load: mixed, want: "UnsyncedWrites writes are buffered and never synced"},
		"few syncs":                    {sync: &v1alpha1.Figures{Count: 999, CompletionLatency: &v1alpha1.LatencyDistribution{}}, want: "FewSamples p99 of syncs is not reliable: it needs 1000 syncs, and there were 999"},
		"few, without percentiles":     {sync: &v1alpha1.Figures{Count: 99}},
		"enough syncs":                 {sync: &v1alpha1.Figures{Count: 100_000, CompletionLatency: &v1alpha1.LatencyDistribution{}}},
	} {
		t.Run(name, func(t *testing.T) {
			write := timed(400, 20)
			write.Count = 100_000
			results := []v1alpha1.Result{{ElapsedMilliseconds: minElapsedMilliseconds, Figures: v1alpha1.ListOf(write.As(v1alpha1.OperationWrite), test.sync.As(v1alpha1.OperationSync))}}
			var got []string
			for _, w := range Warnings(results, nil, []Load{test.load}, test.client) {
				got = append(got, w.Reason+" "+w.Message)
			}
			all := strings.Join(got, "; ")
			if !strings.HasPrefix(all, test.want) || (test.want == "") != (all == "") || len(got) > 1 {
				t.Errorf("warnings %q, want %q", all, test.want)
			}
		})
	}
}

// The median of percentiles is beyond fio's histogram where it rests on one that is, and has no ratio. Of latencies that decide, the 99th percentile
// decides all the same.
func TestMedianBeyondHistogram(t *testing.T) {
	const second, over = int64(1e9), v1alpha1.BeyondHistogramNanoseconds
	at := func(target string, p99s ...int64) []v1alpha1.Run {
		var all []v1alpha1.Run
		for _, p99 := range p99s {
			write := timed(400, 20)
			write.CompletionLatency = &v1alpha1.LatencyDistribution{P99Nanoseconds: p99}
			all = append(all, run(target, v1alpha1.Result{Figures: v1alpha1.ListOf(write.As(v1alpha1.OperationWrite))}))
		}
		return held(all, v1alpha1.BoundWorkloadRate)
	}
	fast := []int64{second, second, second, second}
	for name, test := range map[string]struct {
		own, base []int64
		median    int64
		ratio     string
		verdict   v1alpha1.Verdict
	}{
		"the upper one of the middle": {[]int64{second, 1_200_000_000, over, over}, fast, over, "", v1alpha1.VerdictNotShown},
		"neither of the middle":       {[]int64{second, second, second, over}, fast, second, "1.00", v1alpha1.VerdictNotShown},
		"the one in the middle":       {[]int64{over, second, over}, fast, over, "", v1alpha1.VerdictTooFewRuns},
		"all":                         {[]int64{over, over, over, over}, fast, over, "", v1alpha1.VerdictSlower},
		"the baseline's":              {fast, []int64{over, over, over, over}, second, "", v1alpha1.VerdictFaster},
		"one run":                     {[]int64{over}, fast, over, "", v1alpha1.VerdictTooFewRuns},
	} {
		t.Run(name, func(t *testing.T) {
			io := Compare(append(at("own", test.own...), at("base", test.base...)...), []string{"own", "base"}, "base")[0].Targets[0].Of(v1alpha1.OperationWrite)
			if io.P99Nanoseconds.Median != test.median || io.P99Nanoseconds.Ratio != test.ratio || io.Verdict() != test.verdict || io.JudgedBy != v1alpha1.JudgedByP99 {
				t.Errorf("median %d, ratio %q, %s by %s", io.P99Nanoseconds.Median, io.P99Nanoseconds.Ratio, io.Verdict(), io.JudgedBy)
			}
		})
	}
}
