package analysis

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// run is a run that succeeded with a result.
func run(target string, result v1alpha1.Result) v1alpha1.Run {
	return v1alpha1.Run{Target: target, Workload: "w", State: v1alpha1.RunSucceeded, Result: &result}
}

// timed is I/O of 1,000 bytes each with a mean latency, and percentiles that are multiples of it.
func timed(iops, mean int64) *v1alpha1.Figures {
	iops = min(iops, math.MaxInt64/1000)
	return &v1alpha1.Figures{MilliIOPS: 1000 * iops, BytesPerSecond: 1000 * iops, Latency: &v1alpha1.Latency{MeanNanoseconds: mean}, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: 2 * mean, P90Nanoseconds: 3 * mean, P99Nanoseconds: 4 * mean}}
}

// repeated are runs that write, one for each pair of IOPS and mean latency.
func repeated(target string, figures ...[2]int64) []v1alpha1.Run {
	var runs []v1alpha1.Run
	for _, f := range figures {
		runs = append(runs, run(target, v1alpha1.Result{Figures: v1alpha1.ListOf(timed(f[0], f[1]).As(v1alpha1.OperationWrite))}))
	}
	return runs
}

// TestE2 has the published rows: I/Os of reads and writes added up, and p50 and p90 of each. The ratios were
// computed from them with Python's decimal.
func TestE2(t *testing.T) {
	type figures struct{ iops, read50, read90, write50, write90 int64 }
	rows := []struct {
		numjobs, section string
		gp2, gp3         figures
		ratios           []string
	}{
		{"2", "16K", figures{2706, 418, 494, 1032, 1208}, figures{2878, 470, 740, 860, 1096}, []string{"1.06", "1.12", "1.50", "0.83", "0.91"}},
		{"2", "256K", figures{1024, 932, 2896, 2416, 3184}, figures{1024, 748, 3824, 1800, 4640}, []string{"1.00", "0.80", "1.32", "0.75", "1.46"}},
		{"16", "16K", figures{3068, 5024, 5344, 5600, 5984}, figures{3068, 5088, 5472, 5536, 5920}, []string{"1.00", "1.01", "1.02", "0.99", "0.99"}},
		{"16", "256K", figures{545, 30336, 31360, 31872, 33024}, figures{546, 30592, 31360, 31616, 32384}, []string{"1.00", "1.01", "1.00", "0.99", "0.98"}},
	}
	io := func(iops, p50, p90 int64) *v1alpha1.Figures {
		return &v1alpha1.Figures{MilliIOPS: 1000 * iops, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: 1000 * p50, P90Nanoseconds: 1000 * p90}}
	}
	result := func(f figures) v1alpha1.Result {
		return v1alpha1.Result{Figures: v1alpha1.ListOf(io(f.iops/2, f.read50, f.read90).As(v1alpha1.OperationRead), io(f.iops-f.iops/2, f.write50, f.write90).As(v1alpha1.OperationWrite))}
	}
	// As the author ran it: a job file with a section for each block size, swept over numjobs.
	var runs []v1alpha1.Run
	for i := 0; i < len(rows); i += 2 {
		for _, target := range []string{"gp2", "gp3"} {
			r := v1alpha1.Run{Target: target, Workload: "rw", Parameters: map[string]string{"numjobs": rows[i].numjobs}, State: v1alpha1.RunSucceeded}
			for _, row := range rows[i : i+2] {
				f := row.gp2
				if target == "gp3" {
					f = row.gp3
				}
				r.Sections = append(r.Sections, v1alpha1.SectionResult{Name: row.section, Result: result(f)})
			}
			runs = append(runs, r)
		}
	}
	got := Compare(runs, []string{"gp2", "gp3"}, "gp2")
	if len(got) != len(rows) {
		t.Fatalf("%d comparisons, want %d", len(got), len(rows))
	}
	for i, row := range rows {
		c := got[i]
		if c.Workload != "rw" || c.Parameters["numjobs"] != row.numjobs || c.Section != row.section || len(c.Targets) != 2 {
			t.Errorf("comparison %d is %+v", i, c)
			continue
		}
		for j, want := range []figures{row.gp2, row.gp3} {
			target := c.Targets[j]
			got := figures{
				target.Of(v1alpha1.OperationTotal).IOPS().Median, target.Of(v1alpha1.OperationRead).P50Nanoseconds.Median / 1000, target.Of(v1alpha1.OperationRead).P90Nanoseconds.Median / 1000,
				target.Of(v1alpha1.OperationWrite).P50Nanoseconds.Median / 1000, target.Of(v1alpha1.OperationWrite).P90Nanoseconds.Median / 1000,
			}
			if got != want {
				t.Errorf("%s %s %s: %+v, want %+v", row.numjobs, row.section, target.Name, got, want)
			}
		}
		gp2, gp3 := c.Targets[0], c.Targets[1]
		ratios := []string{gp3.Of(v1alpha1.OperationTotal).MilliIOPS.Ratio, gp3.Of(v1alpha1.OperationRead).P50Nanoseconds.Ratio, gp3.Of(v1alpha1.OperationRead).P90Nanoseconds.Ratio, gp3.Of(v1alpha1.OperationWrite).P50Nanoseconds.Ratio, gp3.Of(v1alpha1.OperationWrite).P90Nanoseconds.Ratio}
		if diff := cmp.Diff(row.ratios, ratios); diff != "" {
			t.Errorf("%s %s: ratios (-want +got):\n%s", row.numjobs, row.section, diff)
		}
		if gp2.Of(v1alpha1.OperationTotal).MilliIOPS.Ratio != "" || gp2.Of(v1alpha1.OperationTotal).Verdict() != "" || gp2.Of(v1alpha1.OperationRead).P50Nanoseconds.Ratio != "" || gp2.Of(v1alpha1.OperationRead).Verdict() != "" {
			t.Errorf("%s %s: the baseline has ratios or verdicts: %+v", row.numjobs, row.section, gp2)
		}
		if gp3.Of(v1alpha1.OperationTotal).Verdict() != v1alpha1.VerdictTooFewRuns || gp3.Of(v1alpha1.OperationRead).Verdict() != v1alpha1.VerdictTooFewRuns {
			t.Errorf("%s %s: verdicts %q and %q of one run each", row.numjobs, row.section, gp3.Of(v1alpha1.OperationTotal).Verdict(), gp3.Of(v1alpha1.OperationRead).Verdict())
		}
	}
}

// TestCompareRepetitions has E1's two targets at 16k, four times each.
func TestCompareRepetitions(t *testing.T) {
	runs := append(repeated("gp3", [2]int64{3048, 5_247_200}, [2]int64{3051, 5_240_000}, [2]int64{3047, 5_250_000}, [2]int64{3050, 5_245_000}),
		repeated("efs", [2]int64{1560, 10_251_870}, [2]int64{1571, 10_180_000}, [2]int64{1549, 10_330_000}, [2]int64{1566, 10_210_000})...)
	statistic := func(median, least, most int64) v1alpha1.Statistic {
		return v1alpha1.Statistic{Median: median, Min: new(least), Max: new(most)}
	}
	latency := func(times, median, least, most int64) *v1alpha1.Statistic {
		return new(statistic(times*median, times*least, times*most))
	}
	// By numerical integration of Student's t, in Python.
	slower := func(s v1alpha1.Statistic, low, high, p, adjusted string) v1alpha1.Statistic {
		s.RatioLow, s.RatioHigh, s.PValue, s.AdjustedPValue, s.Verdict = low, high, p, adjusted, v1alpha1.VerdictSlower
		return s
	}
	percentile := func(times int64) *v1alpha1.Statistic {
		return new(slower(*latency(times, 10_230_935, 10_180_000, 10_330_000), "1.932", "1.973", "3.07e-09", "5.11e-09"))
	}
	want := []v1alpha1.Comparison{{Workload: "w", Targets: []v1alpha1.TargetComparison{{
		Name: "gp3", Runs: 4, Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationWrite, MilliIOPS: builder.Milli(statistic(3049, 3047, 3051)), BytesPerSecond: new(statistic(3_049_000, 3_047_000, 3_051_000)), MeanNanoseconds: latency(1, 5_246_100, 5_240_000, 5_250_000), P50Nanoseconds: latency(2, 5_246_100, 5_240_000, 5_250_000), P90Nanoseconds: latency(3, 5_246_100, 5_240_000, 5_250_000), P99Nanoseconds: latency(4, 5_246_100, 5_240_000, 5_250_000)}},
	}, {
		Name: "efs", Runs: 4, Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationWrite, MilliIOPS: builder.Compared(builder.Milli(slower(statistic(1563, 1549, 1571), "0.507", "0.517", "1.49e-07", "1.49e-07")), "0.51", v1alpha1.VerdictSlower), BytesPerSecond: builder.Compared(new(slower(statistic(1_563_000, 1_549_000, 1_571_000), "0.507", "0.517", "1.49e-07", "1.75e-07")), "0.51", v1alpha1.VerdictSlower), MeanNanoseconds: builder.Compared(new(slower(*latency(1, 10_230_935, 10_180_000, 10_330_000), "1.933", "1.972", "1.75e-07", "1.75e-07")), "1.95", v1alpha1.VerdictSlower), P50Nanoseconds: builder.Compared(percentile(2), "1.95", v1alpha1.VerdictSlower), P90Nanoseconds: builder.Compared(percentile(3), "1.95", v1alpha1.VerdictSlower), P99Nanoseconds: builder.Compared(percentile(4), "1.95", v1alpha1.VerdictSlower)}},
	}}}}
	if diff := cmp.Diff(want, Compare(runs, []string{"gp3", "efs"}, "gp3")); diff != "" {
		t.Errorf("comparison (-want +got):\n%s", diff)
	}
}

func TestVerdicts(t *testing.T) {
	slow := [][2]int64{{100, 900}, {101, 901}, {102, 902}, {103, 903}}
	fast := [][2]int64{{200, 500}, {201, 501}, {202, 502}, {203, 503}}
	for _, test := range []struct {
		name      string
		base, own [][2]int64
		iops      v1alpha1.Verdict // of the statistic
		direction v1alpha1.Verdict
		latency   v1alpha1.Verdict
	}{
		{"faster", slow, fast, v1alpha1.VerdictFaster, v1alpha1.VerdictFaster, v1alpha1.VerdictFaster},
		{"slower", fast, slow, v1alpha1.VerdictSlower, v1alpha1.VerdictSlower, v1alpha1.VerdictSlower},
		{"same", fast, fast, v1alpha1.VerdictSame, v1alpha1.VerdictSame, v1alpha1.VerdictSame},
		{"few of the baseline", slow[:3], fast, v1alpha1.VerdictTooFewRuns, v1alpha1.VerdictTooFewRuns, ""},
		{"few of the target", slow, fast[:3], v1alpha1.VerdictTooFewRuns, v1alpha1.VerdictTooFewRuns, ""},
		{"none of the baseline", nil, fast, "", "", ""},
		{
			"more IOPS at more latency", slow, [][2]int64{{200, 950}, {201, 951}, {202, 952}, {203, 953}},
			v1alpha1.VerdictFaster, v1alpha1.VerdictFaster, v1alpha1.VerdictSlower,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Compare(append(repeated("own", test.own...), repeated("base", test.base...)...), []string{"own", "base"}, "base")[0].Targets[0]
			w := got.Of(v1alpha1.OperationWrite)
			if w.MilliIOPS.Verdict != test.iops || w.Verdict() != test.direction || w.P99Nanoseconds.Verdict != test.latency {
				t.Errorf("IOPS %q, direction %q, latency %q; want %q, %q, %q",
					w.MilliIOPS.Verdict, w.Verdict(), w.P99Nanoseconds.Verdict, test.iops, test.direction, test.latency)
			}
			if (w.MilliIOPS.PValue == "") != (test.latency == "") || (w.MeanNanoseconds.PValue == "") != (test.latency == "") {
				t.Errorf("p-values %q and %q", w.MilliIOPS.PValue, w.MeanNanoseconds.PValue)
			}
			if (w.MilliIOPS.Ratio == "") != (test.base == nil) || (w.P50Nanoseconds.Ratio == "") != (test.base == nil) {
				t.Errorf("ratios %q and %q", w.MilliIOPS.Ratio, w.P50Nanoseconds.Ratio)
			}
		})
	}
}

// summaryOf says which comparisons there are, each with its targets and their numbers of runs.
func summaryOf(comparisons []v1alpha1.Comparison) []string {
	var lines []string
	for _, c := range comparisons {
		line := c.Workload
		for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
			line += " " + name + "=" + c.Parameters[name]
		}
		line += "/" + c.Section + ":"
		for _, target := range c.Targets {
			line += fmt.Sprintf(" %s %d", target.Name, target.Runs)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestGroups(t *testing.T) {
	result := &v1alpha1.Result{Figures: v1alpha1.ListOf(timed(1, 1).As(v1alpha1.OperationRead))}
	simple := func(target, workload string, state v1alpha1.RunState, parameters map[string]string) v1alpha1.Run {
		return v1alpha1.Run{Target: target, Workload: workload, Parameters: parameters, State: state, Result: result}
	}
	sections := func(target string, names ...string) v1alpha1.Run {
		r := v1alpha1.Run{Target: target, Workload: "file", State: v1alpha1.RunSucceeded}
		for _, name := range names {
			r.Sections = append(r.Sections, v1alpha1.SectionResult{Name: name, Result: *result})
		}
		return r
	}
	const ok = v1alpha1.RunSucceeded
	runs := []v1alpha1.Run{
		simple("b", "z", ok, map[string]string{"bs": "64k", "rw": "read"}),
		simple("a", "y", v1alpha1.RunFailed, nil),
		simple("b", "z", ok, map[string]string{"bs": "16k", "rw": "read"}),
		sections("b", "second", "first", "second"),
		simple("a", "z", ok, map[string]string{"rw": "read", "bs": "16k"}),
		{Target: "a", Workload: "without", State: ok},
		simple("a", "y", v1alpha1.RunRunning, nil),
		simple("unknown", "x", ok, nil),
		simple("b", "y", ok, nil),
		simple("a", "z", ok, map[string]string{"bs": "16k", "rw": "read"}),
		sections("a", "second", "first", "second"),
		// Looks like the first in Go's plain format of maps.
		simple("b", "z", ok, map[string]string{"bs": "64k rw:read"}),
	}
	want := []string{
		"z bs=64k rw=read/: b 1",
		"z bs=16k rw=read/: a 2 b 1",
		"file/second: a 1 b 1", "file/first: a 1 b 1", "file/second: a 1 b 1",
		"y/: b 1",
		"z bs=64k rw:read/: b 1",
	}
	got := Compare(runs, []string{"a", "b"}, "a")
	if diff := cmp.Diff(want, summaryOf(got)); diff != "" {
		t.Errorf("comparisons (-want +got):\n%s", diff)
	}
	got[0].Parameters["bs"] = "changed"
	if runs[0].Parameters["bs"] != "64k" {
		t.Error("a comparison shares its parameters with a run")
	}
	if got := Compare(nil, []string{"a"}, "a"); got != nil {
		t.Errorf("comparisons of no run: %+v", got)
	}
}

// TestDirections has repetitions that differ in what they have.
func TestDirections(t *testing.T) {
	untimed := &v1alpha1.Figures{MilliIOPS: 7_000, BytesPerSecond: 70}
	runs := []v1alpha1.Run{
		run("base", v1alpha1.Result{Figures: v1alpha1.ListOf(timed(10, 100).As(v1alpha1.OperationRead))}),
		run("base", v1alpha1.Result{Figures: v1alpha1.ListOf(timed(30, 300).As(v1alpha1.OperationRead))}),
		run("base", v1alpha1.Result{Figures: v1alpha1.ListOf(timed(20, 200).As(v1alpha1.OperationRead))}),
		run("own", v1alpha1.Result{Figures: v1alpha1.ListOf(timed(40, 400).As(v1alpha1.OperationRead), timed(4, 40).As(v1alpha1.OperationWrite), untimed.As(v1alpha1.OperationTrim))}),
		run("own", v1alpha1.Result{Figures: v1alpha1.ListOf(untimed.As(v1alpha1.OperationRead), untimed.As(v1alpha1.OperationTrim))}),
		run("own", v1alpha1.Result{Figures: v1alpha1.ListOf(timed(60, 600).As(v1alpha1.OperationRead), timed(6, 60).As(v1alpha1.OperationWrite), timed(100, 1).As(v1alpha1.OperationTrim))}),
		run("empty", v1alpha1.Result{}),
	}
	targets := Compare(runs, []string{"own", "base", "empty"}, "base")[0].Targets
	few := v1alpha1.VerdictTooFewRuns
	latency := func(median, least, most int64) *v1alpha1.Statistic {
		return &v1alpha1.Statistic{Median: median, Min: new(least), Max: new(most)}
	}
	want := []v1alpha1.TargetComparison{{
		Name: "own", Runs: 3,
		// 51, 14 and 166 against 10, 30 and 20.
		Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead, MilliIOPS: &v1alpha1.Statistic{Median: 40_000, Min: new(int64(7_000)), Max: new(int64(60_000)), Ratio: "2.00", Verdict: few}, BytesPerSecond: &v1alpha1.Statistic{Median: 40_000, Min: new(int64(70)), Max: new(int64(60_000)), Ratio: "2.00"}}, {Name: v1alpha1.OperationWrite, MilliIOPS: &v1alpha1.Statistic{Median: 4_000, Min: new(int64(0)), Max: new(int64(6_000))}, BytesPerSecond: &v1alpha1.Statistic{Median: 4000, Min: new(int64(0)), Max: new(int64(6000))}}, {Name: v1alpha1.OperationTrim, MilliIOPS: &v1alpha1.Statistic{Median: 7_000, Min: new(int64(7_000)), Max: new(int64(100_000))}, BytesPerSecond: &v1alpha1.Statistic{Median: 70, Min: new(int64(70)), Max: new(int64(100_000))}}, {Name: v1alpha1.OperationTotal, MilliIOPS: &v1alpha1.Statistic{Median: 51_000, Min: new(int64(14_000)), Max: new(int64(166_000)), Ratio: "2.55", Verdict: few}, BytesPerSecond: &v1alpha1.Statistic{Median: 44_070, Min: new(int64(140)), Max: new(int64(166_000)), Ratio: "2.20"}}},
		Warnings: []v1alpha1.Warning{{
			Reason: v1alpha1.WarningSpread, Message: "IOPS of 3 repetitions go from 14 to 166 around a median of 51: a spread of 298 %",
		}},
	}, {
		Name: "base", Runs: 3,
		Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead, MilliIOPS: &v1alpha1.Statistic{Median: 20_000, Min: new(int64(10_000)), Max: new(int64(30_000))}, BytesPerSecond: &v1alpha1.Statistic{Median: 20_000, Min: new(int64(10_000)), Max: new(int64(30_000))}, MeanNanoseconds: latency(200, 100, 300), P50Nanoseconds: latency(400, 200, 600), P90Nanoseconds: latency(600, 300, 900), P99Nanoseconds: latency(800, 400, 1200)}},
		Warnings: []v1alpha1.Warning{{
			Reason: v1alpha1.WarningSpread, Message: "IOPS of 3 repetitions go from 10 to 30 around a median of 20: a spread of 100 %",
		}},
	}, {Name: "empty", Runs: 1}}
	if diff := cmp.Diff(want, targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestSpread(t *testing.T) {
	write := func(iops ...int64) []v1alpha1.Result {
		var results []v1alpha1.Result
		for _, i := range iops {
			results = append(results, v1alpha1.Result{Figures: v1alpha1.ListOf(timed(i, 1).As(v1alpha1.OperationWrite))})
		}
		return results
	}
	// slow has I/Os of 8 MiB, so many in 100 s.
	slow := func(ios ...int64) []v1alpha1.Result {
		var results []v1alpha1.Result
		for _, n := range ios {
			results = append(results, v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Count: n, Bytes: n << 23, MilliIOPS: 10 * n, BytesPerSecond: n << 23 / 100}}})
		}
		return results
	}
	for _, test := range []struct {
		name    string
		results []v1alpha1.Result
		want    string
	}{
		{"one", write(1000), ""},
		{"10 %", write(950, 1000, 1050), ""},
		{"more", write(950, 1000, 1051), "IOPS of 3 repetitions go from 950 to 1051 around a median of 1000: a spread of 10 %"},
		{"much more", write(100, 200), "IOPS of 2 repetitions go from 100 to 200 around a median of 150: a spread of 67 %"},
		{"mostly nothing", write(0, 0, 5), "IOPS of 3 repetitions go from 0 to 5 around a median of 0"},
		{"nothing", write(0, 0), ""},
		// The directions differ, but what one has more the other has less.
		{"total", []v1alpha1.Result{{Figures: v1alpha1.ListOf(timed(100, 1).As(v1alpha1.OperationRead), timed(200, 1).As(v1alpha1.OperationWrite))}, {Figures: v1alpha1.ListOf(timed(200, 1).As(v1alpha1.OperationRead), timed(100, 1).As(v1alpha1.OperationWrite))}}, ""},
		// As whole IOPS these would be 9 and 10, which is more than 10 %, and 5 and 5, which is none.
		{"few large ones, alike", slow(949, 951), ""},
		{"few large ones, apart", slow(451, 549), "IOPS of 2 repetitions go from 4.51 to 5.49 around a median of 5: a spread of 20 %"},
	} {
		var runs []v1alpha1.Run
		for _, r := range test.results {
			runs = append(runs, run("a", r))
		}
		got := ""
		for _, w := range Compare(runs, []string{"a"}, "a")[0].Targets[0].Warnings {
			got += w.Reason + " " + w.Message
		}
		if test.want != "" {
			test.want = v1alpha1.WarningSpread + " " + test.want
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// randomRuns are runs of so many targets, with random directions, latencies and states.
func randomRuns(random *rand.Rand, targets []string, workloads, repetitions int) []v1alpha1.Run {
	io := func() *v1alpha1.Figures {
		if random.IntN(5) == 0 {
			return nil
		}
		r := timed(100+random.Int64N(40), 1000+random.Int64N(20))
		if random.IntN(20) == 0 {
			r.CompletionLatency = nil
		}
		return r
	}
	var runs []v1alpha1.Run
	for w := range workloads {
		for _, target := range targets {
			for range repetitions {
				r := run(target, v1alpha1.Result{Figures: v1alpha1.ListOf(io().As(v1alpha1.OperationRead), io().As(v1alpha1.OperationWrite), io().As(v1alpha1.OperationTrim))})
				r.Workload, r.Parameters = "w"+strconv.Itoa(w/2), map[string]string{"bs": strconv.Itoa(w % 2)}
				if w%3 == 0 {
					r.Sections = []v1alpha1.SectionResult{{Name: "x", Result: *r.Result}, {Name: "y", Result: v1alpha1.Result{Figures: v1alpha1.ListOf(io().As(v1alpha1.OperationRead))}}}
					r.Result = nil
				}
				if random.IntN(20) == 0 {
					r.State = v1alpha1.RunFailed
				}
				runs = append(runs, r)
			}
		}
	}
	return runs
}

// byName indexes targets by all that names them.
func byName(comparisons []v1alpha1.Comparison) map[string]v1alpha1.TargetComparison {
	index := map[string]v1alpha1.TargetComparison{}
	for _, c := range comparisons {
		for _, target := range c.Targets {
			index[fmt.Sprint(c.Workload, c.Parameters, c.Section, target.Name)] = target
		}
	}
	return index
}

// Neither the order of the runs nor that of the targets changes a figure.
func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		targets := []string{"a", "b", "c"}
		runs := randomRuns(random, targets, 6, 3+random.IntN(6))
		want := byName(Compare(runs, targets, "b"))
		if len(want) == 0 {
			t.Fatal("no comparison")
		}
		for range 3 {
			random.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
			random.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
			got := Compare(runs, targets, "b")
			if diff := cmp.Diff(want, byName(got)); diff != "" {
				t.Errorf("seed %d: targets (-first +shuffled):\n%s", seed, diff)
			}
			for _, c := range got {
				if !slices.IsSortedFunc(c.Targets, func(a, b v1alpha1.TargetComparison) int {
					return slices.Index(targets, a.Name) - slices.Index(targets, b.Name)
				}) {
					t.Errorf("seed %d: targets of %s are out of order", seed, c.Workload)
				}
			}
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, shape := range []struct{ targets, workloads, repetitions int }{{16, 16, 1}, {4, 8, 8}, {2, 5, 25}, {2, 2, 64}} {
		b.Run(fmt.Sprintf("%dx%dx%d", shape.targets, shape.workloads, shape.repetitions), func(b *testing.B) {
			var targets []string
			for i := range shape.targets {
				targets = append(targets, "t"+strconv.Itoa(i))
			}
			runs := randomRuns(rand.New(rand.NewPCG(1, 1)), targets, shape.workloads, shape.repetitions)
			for b.Loop() {
				Compare(runs, targets, "t0")
			}
		})
	}
}

// large are runs that write blocks of 8 MiB at so many bytes per second, which are few IOPS.
func large(target string, rates ...float64) []v1alpha1.Run {
	const block, seconds = 8 << 20, 60
	var runs []v1alpha1.Run
	for _, mebibytes := range rates {
		perSecond := mebibytes * (1 << 20)
		ios := int64(perSecond * seconds / block)
		io := &v1alpha1.Figures{Count: ios, Bytes: ios * block, MilliIOPS: int64(math.Round(1000 * perSecond / block)), BytesPerSecond: int64(perSecond)}
		runs = append(runs, run(target, v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationWrite))}))
	}
	return runs
}

// Of large I/Os there are few a second: what is rounded away of them must neither hide a difference nor make one.
func TestVerdictsOnFewIOPS(t *testing.T) {
	for name, test := range map[string]struct {
		base, own []float64
		verdict   v1alpha1.Verdict
		ratio     string
	}{
		"8 % apart, and 12 IOPS each":                 {[]float64{99.7, 99.8, 99.6, 99.5}, []float64{92.2, 92.3, 92.1, 92.4}, v1alpha1.VerdictSlower, "0.93"},
		"0.3 % apart, of which one rounds to 11 IOPS": {[]float64{91.9, 91.8, 91.7, 91.95}, []float64{92.1, 92.2, 92.05, 92.15}, v1alpha1.VerdictSame, "1.00"},
	} {
		t.Run(name, func(t *testing.T) {
			runs := append(large("base", test.base...), large("own", test.own...)...)
			got := Compare(runs, []string{"base", "own"}, "base")[0].Targets[1].Of(v1alpha1.OperationWrite)
			if got.Verdict() != test.verdict || got.MilliIOPS.Ratio != test.ratio || got.IOPS().Median != 12 {
				t.Errorf("%s %s of %d IOPS, want %s %s (p %s)", got.Verdict(), got.MilliIOPS.Ratio, got.IOPS().Median, test.verdict, test.ratio, got.MilliIOPS.PValue)
			}
		})
	}
}
