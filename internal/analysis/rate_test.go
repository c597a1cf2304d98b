package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// held says of runs what held them back.
func held(runs []v1alpha1.Run, reasons ...string) []v1alpha1.Run {
	for i := range runs {
		runs[i].LimitedBy = &v1alpha1.LimitedBy{Reason: reasons[min(i, len(reasons)-1)]}
	}
	return runs
}

// Where both did the rate that the workload asks for, IOPS are alike whatever the storage is: the verdict is on latency, of which a tenfold one is no
// matter of chance.
func TestVerdictAtRate(t *testing.T) {
	const rate, latency = v1alpha1.BoundWorkloadRate, v1alpha1.BoundLatency
	timesOf := func(target string, factor int64) []v1alpha1.Run {
		return repeated(target, [2]int64{1000, 230 * factor}, [2]int64{1001, 231 * factor}, [2]int64{999, 229 * factor}, [2]int64{1000, 232 * factor}, [2]int64{1000, 230 * factor})
	}
	each := func(runs []v1alpha1.Run, change func(*v1alpha1.Figures)) []v1alpha1.Run {
		for i := range runs {
			change(runs[i].Result.Of(v1alpha1.OperationWrite))
		}
		return runs
	}
	withoutPercentiles := func(io *v1alpha1.Figures) { io.CompletionLatency = nil }
	withoutLatencies := func(io *v1alpha1.Figures) { io.CompletionLatency, io.Latency = nil, nil }
	type verdict struct {
		Verdict  v1alpha1.Verdict
		JudgedBy v1alpha1.JudgedBy
		Ratio    string
	}
	for name, test := range map[string]struct {
		own, base []v1alpha1.Run
		want      verdict
	}{
		"both at the rate":           {held(timesOf("own", 10), rate), held(timesOf("base", 1), rate), verdict{v1alpha1.VerdictSlower, v1alpha1.JudgedByP99, "10.00"}},
		"the other way round":        {held(timesOf("own", 1), rate), held(timesOf("base", 10), rate), verdict{v1alpha1.VerdictFaster, v1alpha1.JudgedByP99, "0.10"}},
		"as fast":                    {held(timesOf("own", 1), rate), held(timesOf("base", 1), rate), verdict{v1alpha1.VerdictSame, v1alpha1.JudgedByP99, "1.00"}},
		"all but one at the rate":    {held(timesOf("own", 10), latency, rate), held(timesOf("base", 1), rate), verdict{v1alpha1.VerdictSlower, v1alpha1.JudgedByP99, "10.00"}},
		"few of the target":          {held(timesOf("own", 10), rate, rate, latency), held(timesOf("base", 1), rate), verdict{v1alpha1.VerdictSame, "", "1.00"}},
		"only the target":            {held(timesOf("own", 10), rate), held(timesOf("base", 1), latency), verdict{v1alpha1.VerdictSame, "", "1.00"}},
		"only the baseline":          {held(timesOf("own", 10), latency), held(timesOf("base", 1), rate), verdict{v1alpha1.VerdictSame, "", "1.00"}},
		"it is not known":            {timesOf("own", 10), timesOf("base", 1), verdict{v1alpha1.VerdictSame, "", "1.00"}},
		"without percentiles":        {each(held(timesOf("own", 10), rate), withoutPercentiles), held(timesOf("base", 1), rate), verdict{v1alpha1.VerdictSlower, v1alpha1.JudgedByMean, "10.00"}},
		"the baseline without those": {held(timesOf("own", 10), rate), each(held(timesOf("base", 1), rate), withoutPercentiles), verdict{v1alpha1.VerdictSlower, v1alpha1.JudgedByMean, "10.00"}},
		"without latencies":          {each(held(timesOf("own", 10), rate), withoutLatencies), held(timesOf("base", 1), rate), verdict{v1alpha1.VerdictSame, "", "1.00"}},
		"too few runs":               {held(timesOf("own", 10)[:3], rate), held(timesOf("base", 1), rate), verdict{v1alpha1.VerdictTooFewRuns, v1alpha1.JudgedByP99, "10.00"}},
		"no baseline":                {held(timesOf("own", 10), rate), nil, verdict{}},
	} {
		t.Run(name, func(t *testing.T) {
			targets := Compare(append(test.own, test.base...), []string{"own", "base"}, "base")[0].Targets
			io := targets[0].Of(v1alpha1.OperationWrite)
			if diff := cmp.Diff(test.want, verdict{io.Verdict(), io.JudgedBy, io.Judged().Multiple()}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(targets) > 1 && (targets[1].Of(v1alpha1.OperationWrite).Verdict() != "" || targets[1].Of(v1alpha1.OperationWrite).JudgedBy != "") {
				t.Errorf("the baseline has a verdict: %+v", targets[1].Of(v1alpha1.OperationWrite))
			}
		})
	}
}

// Of writes that wait for syncs memory may have taken the time: the row of syncs has the verdict.
func TestSyncsAtRate(t *testing.T) {
	timesOf := func(target string, write, sync int64) []v1alpha1.Run {
		runs := held(repeated(target, [2]int64{100, write}, [2]int64{100, write + 1}, [2]int64{100, write - 1}, [2]int64{100, write}, [2]int64{100, write}), v1alpha1.BoundWorkloadRate)
		for i := range runs {
			of := sync + int64(i)
			runs[i].Result.Of(v1alpha1.OperationWrite).Count = 6000
			runs[i].Result.Set(v1alpha1.OperationSync, &v1alpha1.Figures{Count: 6000, Latency: &v1alpha1.Latency{MeanNanoseconds: of}, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: of, P90Nanoseconds: of, P99Nanoseconds: of}})
		}
		return runs
	}
	for name, test := range map[string]struct {
		own, base []v1alpha1.Run
		judgedBy  v1alpha1.JudgedBy
		write     v1alpha1.Verdict
	}{
		"syncs take longer": {timesOf("own", 500, 50_000_000), timesOf("base", 300, 2_000_000), "", v1alpha1.VerdictSame},
		"on the baseline":   {timesOf("own", 500_000, 1000), timesOf("base", 300_000, 20_000_000), "", v1alpha1.VerdictSame},
		"syncs of direct writes take a little longer": {timesOf("own", 500_000, 600_000), timesOf("base", 300_000, 600_000), v1alpha1.JudgedByP99, v1alpha1.VerdictSlower},
		"writes take longer":                          {timesOf("own", 500_000, 50_000), timesOf("base", 300_000, 20_000), v1alpha1.JudgedByP99, v1alpha1.VerdictSlower},
	} {
		t.Run(name, func(t *testing.T) {
			own := Compare(append(test.own, test.base...), []string{"own", "base"}, "base")[0].Targets[0]
			if own.Of(v1alpha1.OperationWrite).JudgedBy != test.judgedBy || own.Of(v1alpha1.OperationWrite).Verdict() != test.write || own.Of(v1alpha1.OperationSync).Verdict() == "" {
				t.Errorf("writes are %s by %q and syncs %q, want %s by %q and a verdict", own.Of(v1alpha1.OperationWrite).Verdict(), own.Of(v1alpha1.OperationWrite).JudgedBy, own.Of(v1alpha1.OperationSync).Verdict(), test.write, test.judgedBy)
			}
		})
	}
}

// Latencies of reads and writes have no total: each has its verdict, and all together has none.
func TestTotalAtRate(t *testing.T) {
	var runs []v1alpha1.Run
	for i := range int64(6) {
		for target, times := range map[string]int64{"own": 10, "base": 1} {
			runs = append(runs, run(target, v1alpha1.Result{Figures: v1alpha1.ListOf(timed(700+i%2, times*(100+i)).As(v1alpha1.OperationRead), timed(300, 100+i).As(v1alpha1.OperationWrite))}))
		}
	}
	both := func(runs []v1alpha1.Run) v1alpha1.TargetComparison {
		return Compare(runs, []string{"own", "base"}, "base")[0].Targets[0]
	}
	if got := both(runs); got.Of(v1alpha1.OperationTotal).Verdict() != v1alpha1.VerdictSame {
		t.Errorf("without a rate the total is %q", got.Of(v1alpha1.OperationTotal).Verdict())
	}
	got := both(held(runs, v1alpha1.BoundWorkloadRate))
	if got.Of(v1alpha1.OperationRead).Verdict() != v1alpha1.VerdictSlower || got.Of(v1alpha1.OperationWrite).Verdict() != v1alpha1.VerdictSame || got.Of(v1alpha1.OperationTotal).Verdict() != "" || got.Of(v1alpha1.OperationTotal).MilliIOPS.Ratio != "1.00" {
		t.Errorf("reads %s, writes %s, total %q with ratio %s", got.Of(v1alpha1.OperationRead).Verdict(), got.Of(v1alpha1.OperationWrite).Verdict(), got.Of(v1alpha1.OperationTotal).Verdict(), got.Of(v1alpha1.OperationTotal).MilliIOPS.Ratio)
	}
}

// Each section of a job file has its own rate.
func TestSectionsAtRate(t *testing.T) {
	var runs []v1alpha1.Run
	for i := range int64(6) {
		for target, times := range map[string]int64{"own": 10, "base": 1} {
			section := func(name, bound string) v1alpha1.SectionResult {
				return v1alpha1.SectionResult{Name: name, Result: v1alpha1.Result{Figures: v1alpha1.ListOf(timed(300, times*(100+i)).As(v1alpha1.OperationWrite))}, LimitedBy: &v1alpha1.LimitedBy{Reason: bound}}
			}
			runs = append(runs, v1alpha1.Run{Target: target, Workload: "w", State: v1alpha1.RunSucceeded, Sections: []v1alpha1.SectionResult{
				section("rate", v1alpha1.BoundWorkloadRate), section("free", v1alpha1.BoundLatency),
			}})
		}
	}
	got := Compare(runs, []string{"own", "base"}, "base")
	if rate, free := got[0].Targets[0].Of(v1alpha1.OperationWrite), got[1].Targets[0].Of(v1alpha1.OperationWrite); rate.Verdict() != v1alpha1.VerdictSlower || free.Verdict() != v1alpha1.VerdictSame {
		t.Errorf("the section with a rate is %s, the one without %s", rate.Verdict(), free.Verdict())
	}
}
