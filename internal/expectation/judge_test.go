package expectation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/preset"
)

const ms = 1_000_000

// run returns a run that has a result: writes with so many IOPS and a 99th percentile.
func run(workload, target string, iops, p99 int64) v1alpha1.Run {
	return v1alpha1.Run{
		Workload: workload, Target: target, State: v1alpha1.RunSucceeded,
		Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, MilliIOPS: 1000 * iops, CompletionLatency: &v1alpha1.LatencyDistribution{P99Nanoseconds: p99}}}},
	}
}

// runs returns a run for each 99th percentile, in milliseconds.
func runs(workload, target string, p99s ...int64) []v1alpha1.Run {
	var all []v1alpha1.Run
	for _, p99 := range p99s {
		all = append(all, run(workload, target, 1000, p99*ms))
	}
	return all
}

// iops returns a run of workload log for each number of IOPS.
func iops(target string, all ...int64) []v1alpha1.Run {
	var some []v1alpha1.Run
	for _, each := range all {
		some = append(some, run("log", target, each, ms))
	}
	return some
}

// large returns a run of workload log for each number of writes of 8 MiB in a thousand seconds.
func large(target string, all ...int64) []v1alpha1.Run {
	some := iops(target, make([]int64, len(all))...)
	for i, milliIOPS := range all {
		w := some[i].Result.Of(v1alpha1.OperationWrite)
		w.Count, w.Bytes = milliIOPS, milliIOPS<<23
		w.MilliIOPS, w.BytesPerSecond = milliIOPS, milliIOPS<<23/1000
	}
	return some
}

// short returns a run of so few writes, with a 99th percentile in milliseconds.
func short(workload, target string, writes, p99 int64) []v1alpha1.Run {
	r := run(workload, target, 1000, p99*ms)
	r.Result.Of(v1alpha1.OperationWrite).Count = writes
	return []v1alpha1.Run{r}
}

// warned returns runs with warnings.
func warned(all []v1alpha1.Run, reasons ...string) []v1alpha1.Run {
	for i := range all {
		for _, reason := range reasons {
			all[i].Warnings = append(all[i].Warnings, v1alpha1.Warning{Reason: reason})
		}
	}
	return all
}

func failed(workload string) v1alpha1.Run {
	return v1alpha1.Run{Workload: workload, Target: "gp3", State: v1alpha1.RunFailed}
}

func join(all ...[]v1alpha1.Run) []v1alpha1.Run {
	var joined []v1alpha1.Run
	for _, some := range all {
		joined = append(joined, some...)
	}
	return joined
}

func specOf(t *testing.T, text string) *v1alpha1.StorageBenchmarkSpec {
	t.Helper()
	spec := &v1alpha1.StorageBenchmarkSpec{}
	if err := yaml.UnmarshalStrict([]byte(text), spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

const twoTargets = `
targets: [{name: gp3}, {name: efs}]
workloads: [{name: log, fio: {rw: write, fdatasync: 1}}, {name: data, fio: {rw: randwrite}}]
`

func TestCondition(t *testing.T) {
	for name, test := range map[string]struct {
		expect string
		runs   []v1alpha1.Run
		status metav1.ConditionStatus
		reason string
		want   string
	}{
		"nothing is expected": {"[]", runs("log", "gp3", 5), "", "", ""},
		"met": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", runs("log", "gp3", 5), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on gp3: write p99 5 ms, expected at most 10 ms; 1 of 1 run meets it, too few for an interval, which needs 6",
		},
		"met exactly": {
			"[{workload: log, target: gp3, metric: write.p99, max: 5ms}, {workload: log, target: gp3, metric: write.iops, min: 1000}]", runs("log", "gp3", 5), metav1.ConditionTrue, "AllMet",
			"2 expectations met: log on gp3: write p99 5 ms, expected at most 5 ms; 1 of 1 run meets it, too few for an interval, which needs 6; " +
				"log on gp3: write IOPS 1000, expected at least 1000; 1 of 1 run meets it, too few for an interval, which needs 6",
		},
		"one run misses": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", runs("log", "gp3", 14), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: write p99 14 ms, expected at most 10 ms; 1 of 1 run, too few for an interval, which needs 6",
		},
		"the median misses": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", runs("log", "gp3", 14, 9, 15), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: write p99 14 ms, expected at most 10 ms; 2 of 3 runs, too few for an interval, which needs 6",
		},
		"the median meets, and a run misses": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", runs("log", "gp3", 4, 9, 15), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on gp3: write p99 9 ms, expected at most 10 ms; 2 of 3 runs meet it, too few for an interval, which needs 6",
		},
		"the interval meets": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", runs("log", "gp3", 4, 5, 6, 7, 8, 9), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on gp3: write p99 6.5 ms, expected at most 10 ms; 6 of 6 runs meet it, and the interval from 4 ms to 9 ms meets it as well",
		},
		"the interval does not meet": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", runs("log", "gp3", 4, 5, 6, 7, 14, 15), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on gp3: write p99 6.5 ms, expected at most 10 ms; 4 of 6 runs meet it, and the interval from 4 ms to 15 ms reaches beyond what is expected, so that it may be chance",
		},
		"the interval of IOPS does not meet": {
			"[{workload: log, target: gp3, metric: write.iops, min: 1000}]", iops("gp3", 900, 950, 1100, 1200, 1300, 1400), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on gp3: write IOPS 1150, expected at least 1000; 4 of 6 runs meet it, and the interval from 900 to 1400 reaches beyond what is expected, so that it may be chance",
		},
		"the interval misses": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", runs("log", "gp3", 12, 13, 14, 14, 15, 16), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: write p99 14 ms, expected at most 10 ms; 6 of 6 runs, and the interval from 12 ms to 16 ms misses it as well",
		},
		"the interval does not miss": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", runs("log", "gp3", 8, 9, 14, 14, 15, 16), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: write p99 14 ms, expected at most 10 ms; 4 of 6 runs, and the interval from 8 ms to 16 ms reaches what is expected, so that it may be chance",
		},
		"less than the least": {
			"[{target: efs, workload: data, metric: write.iops, min: 2700}]", []v1alpha1.Run{run("data", "efs", 1500, ms)}, metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: data on efs: write IOPS 1500, expected at least 2700; 1 of 1 run, too few for an interval, which needs 6",
		},
		"all workloads that have the metric, and all targets": {
			"[{metric: write.p99, max: 10ms}]", join(runs("log", "gp3", 4), runs("log", "efs", 14), runs("data", "gp3", 4), runs("data", "efs", 24)), metav1.ConditionFalse, "NotMet",
			"2 of 4 expectations not met: log on efs: write p99 14 ms, expected at most 10 ms; 1 of 1 run, too few for an interval, which needs 6; " +
				"data on efs: write p99 24 ms, expected at most 10 ms; 1 of 1 run, too few for an interval, which needs 6",
		},
		"ratio": {
			`[{workload: log, metric: write.p99, maxRatioToBaseline: "1.2"}]`, join(runs("log", "gp3", 10), runs("log", "efs", 13)), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on efs: write p99 13 ms, 1.3 times the baseline's 10 ms, expected at most 1.2 times the baseline's; 1 of 1 run, too few for an interval, which needs 4 of each target",
		},
		"ratio within": {
			`[{workload: log, metric: write.iops, minRatioToBaseline: "0.5"}]`, []v1alpha1.Run{run("log", "gp3", 1000, ms), run("log", "efs", 600, ms)}, metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on efs: write IOPS 600, 0.6 times the baseline's 1000, expected at least 0.5 times the baseline's; 1 of 1 run meets it, too few for an interval, which needs 4 of each target",
		},
		"a ratio that binary fractions miss": {
			`[{workload: log, metric: write.iops, minRatioToBaseline: "0.07"}]`, join(iops("gp3", 100), iops("efs", 7)), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on efs: write IOPS 7, 0.07 times the baseline's 100, expected at least 0.07 times the baseline's; 1 of 1 run meets it, too few for an interval, which needs 4 of each target",
		},
		"a ratio that looks as expected": {
			`[{workload: log, metric: write.iops, minRatioToBaseline: "0.5"}]`, join(iops("gp3", 100_000), iops("efs", 49_990)), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on efs: write IOPS 49990, 0.4999 times the baseline's 100000, expected at least 0.5 times the baseline's; 1 of 1 run, too few for an interval, which needs 4 of each target",
		},
		"a figure that looks as expected": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", []v1alpha1.Run{run("log", "gp3", 1, 10_000_001)}, metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: write p99 10 ms (10000001 ns), expected at most 10 ms; 1 of 1 run, too few for an interval, which needs 6",
		},
		"IOPS that are as expected only when rounded": {
			"[{workload: log, target: gp3, metric: write.iops, min: 5}]", large("gp3", 4500), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: write IOPS 4.5, expected at least 5; 1 of 1 run, too few for an interval, which needs 6",
		},
		"IOPS that look as expected": {
			"[{workload: log, target: gp3, metric: total.iops, min: 3000}]", large("gp3", 2_999_600), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on gp3: total IOPS 3000 (2999.6), expected at least 3000; 1 of 1 run meets it, too few for an interval, which needs 6",
		},
		"IOPS that are one fewer": {
			"[{workload: log, target: gp3, metric: total.iops, min: 3000}]", large("gp3", 2_999_400), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: total IOPS 2999, expected at least 3000; 1 of 1 run, too few for an interval, which needs 6",
		},
		"few IOPS that look as expected": {
			"[{workload: log, target: gp3, metric: total.iops, min: 5}]", large("gp3", 4_999), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: total IOPS 5 (4.999), expected at least 5; 1 of 1 run, too few for an interval, which needs 6",
		},
		"the interval of few IOPS does not meet": {
			"[{workload: log, target: gp3, metric: write.iops, min: 5}]", large("gp3", 4600, 4700, 5300, 5400, 5450, 5480), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on gp3: write IOPS 5.35, expected at least 5; 4 of 6 runs meet it, and the interval from 4.6 to 5.48 reaches beyond what is expected, so that it may be chance",
		},
		"a ratio that is as expected only when rounded": {
			`[{workload: log, metric: write.iops, minRatioToBaseline: "0.95"}]`, join(large("gp3", 5400), large("efs", 4600)), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on efs: write IOPS 4.6, 0.852 times the baseline's 5.4, expected at least 0.95 times the baseline's; 1 of 1 run, too few for an interval, which needs 4 of each target",
		},
		"the interval of a ratio of few IOPS misses": {
			`[{workload: log, metric: write.iops, minRatioToBaseline: "0.95"}]`, join(large("gp3", 5400, 5410, 5390, 5400), large("efs", 4600, 4610, 4590, 4600)), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on efs: write IOPS 4.6, 0.852 times the baseline's 5.4, expected at least 0.95 times the baseline's; 4 of 4 runs, and the interval from 0.849 to 0.855 misses it as well",
		},
		"a baseline that is nothing only when rounded": {
			`[{workload: log, metric: write.iops, minRatioToBaseline: "0.5"}]`, join(large("gp3", 400), large("efs", 100)), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on efs: write IOPS 0.1, 0.25 times the baseline's 0.4, expected at least 0.5 times the baseline's; 1 of 1 run, too few for an interval, which needs 4 of each target",
		},
		"nothing is a multiple of 0": {
			`[{workload: log, metric: write.iops, minRatioToBaseline: "0.5"}]`, join(iops("gp3", 0), iops("efs", 600)), metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation undecided: log on efs: write IOPS 600, expected at least 0.5 times the baseline's; the baseline's is 0, and a ratio to 0 says nothing",
		},
		"the baseline has too few runs for an interval": {
			`[{workload: log, metric: write.iops, minRatioToBaseline: "0.5"}]`,
			join(iops("gp3", 9, 9, 9), iops("efs", 8, 8, 8, 8, 8, 8)), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on efs: write IOPS 8, 0.889 times the baseline's 9, expected at least 0.5 times the baseline's; 6 of 6 runs meet it, too few for an interval, which needs 4 of each target",
		},
		"a run of the baseline has 0": {
			`[{workload: log, metric: write.iops, minRatioToBaseline: "0.5"}]`,
			join(iops("gp3", 0, 9, 9, 9, 9, 9), iops("efs", 8, 8, 8, 8, 8, 8)), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on efs: write IOPS 8, 0.889 times the baseline's 9, expected at least 0.5 times the baseline's; 6 of 6 runs meet it, and without an interval, because one of them has 0 or is beyond fio's histogram",
		},
		"the interval of a ratio misses": {
			`[{workload: log, metric: write.p99, maxRatioToBaseline: "1.2"}]`, join(runs("log", "gp3", 10, 10, 10, 10, 10, 10), runs("log", "efs", 20, 20, 20, 20, 20, 20)), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on efs: write p99 20 ms, 2 times the baseline's 10 ms, expected at most 1.2 times the baseline's; 6 of 6 runs, and the interval from 1.99 to 2.01 misses it as well",
		},
		"the interval of a ratio does not miss": {
			`[{workload: log, metric: write.p99, maxRatioToBaseline: "1.2"}]`, join(runs("log", "gp3", 5, 10, 10, 10, 10, 25), runs("log", "efs", 15, 20, 20, 20, 20, 20)), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on efs: write p99 20 ms, 2 times the baseline's 10 ms, expected at most 1.2 times the baseline's; 6 of 6 runs, and the interval from 1.07 to 3.16 reaches what is expected, so that it may be chance",
		},
		"a percentile beyond fio's histogram": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", []v1alpha1.Run{run("log", "gp3", 1, v1alpha1.BeyondHistogramNanoseconds)}, metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: write p99 beyond 17.1 s, expected at most 10 ms; 1 of 1 run, too few for an interval, which needs 6",
		},
		"beyond fio's histogram, and as expected for all that is known": {
			"[{workload: log, target: gp3, metric: write.p99, max: 30s}]", runs("log", "gp3", 20000), metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation undecided: log on gp3: write p99 beyond 17.1 s, expected at most 30 s; the median rests on a run beyond the end of fio's histogram (17.1 s)",
		},
		"half of the runs beyond fio's histogram": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10s}]", runs("log", "gp3", 1000, 1200, 20000, 20000), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: write p99 beyond 17.1 s, expected at most 10 s; 2 of 4 runs, too few for an interval, which needs 6",
		},
		"half of the runs beyond fio's histogram, which may be enough": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10s}]", runs("log", "gp3", 1000, 1200, 17113, 17113), metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation undecided: log on gp3: write p99 beyond 17.1 s, expected at most 10 s; the median rests on a run beyond the end of fio's histogram (17.1 s)",
		},
		"a ratio to what is beyond fio's histogram": {
			`[{workload: log, metric: write.p99, maxRatioToBaseline: "0.5"}]`, join(runs("log", "gp3", 17113, 17113), runs("log", "efs", 10000, 10000)), metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation undecided: log on efs: write p99 10 s, at most 0.584 times the baseline's beyond 17.1 s, expected at most 0.5 times the baseline's; the median of the baseline rests on a run beyond the end of fio's histogram (17.1 s)",
		},
		"a ratio of what is beyond fio's histogram": {
			`[{workload: log, metric: write.p99, maxRatioToBaseline: "1.2"}]`, join(runs("log", "gp3", 10, 10, 10, 10), runs("log", "efs", 20000, 20000, 20000, 20000)), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on efs: write p99 beyond 17.1 s, at least 2000 times the baseline's 10 ms, expected at most 1.2 times the baseline's; " +
				"4 of 4 runs, and without an interval, because one of them has 0 or is beyond fio's histogram",
		},
		"the baseline has no results": {
			`[{workload: log, metric: write.p99, maxRatioToBaseline: "1.2"}]`, join([]v1alpha1.Run{failed("log")}, runs("log", "efs", 13)), metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation undecided: log on efs: write p99 13 ms, expected at most 1.2 times the baseline's; the baseline has no results of it",
		},
		"no results": {
			"[{workload: log, target: gp3, metric: sync.p99, max: 10ms}]", []v1alpha1.Run{failed("log")}, metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation undecided: log on gp3: fdatasync p99 was not measured, expected at most 10 ms",
		},
		"no runs": {
			"[{workload: log, metric: write.p99, max: 10ms}]", nil, metav1.ConditionUnknown, "NotMeasured",
			"2 of 2 expectations undecided: log on gp3: write p99 was not measured, expected at most 10 ms; log on efs: write p99 was not measured, expected at most 10 ms",
		},
		"results without latencies": {
			"[{workload: log, target: gp3, metric: write.mean, max: 10ms}]", runs("log", "gp3", 5), metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation undecided: log on gp3: write mean was not measured, expected at most 10 ms",
		},
		"what misses prevails over what is unknown": {
			"[{workload: data, target: gp3, metric: write.p99, max: 10ms}, {workload: log, target: gp3, metric: write.p99, max: 10ms}]", runs("log", "gp3", 14), metav1.ConditionFalse, "NotMet",
			"1 of 2 expectations not met: log on gp3: write p99 14 ms, expected at most 10 ms; 1 of 1 run, too few for an interval, which needs 6; data on gp3: write p99 was not measured, expected at most 10 ms",
		},
		"some repetitions failed": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", join(runs("log", "gp3", 14), []v1alpha1.Run{failed("log")}), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: write p99 14 ms, expected at most 10 ms; 1 of 1 run (of 2; the others did not measure it), too few for an interval, which needs 6",
		},
		"those that are left meet": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", join(runs("log", "gp3", 5, 6), []v1alpha1.Run{failed("log")}), metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation undecided: log on gp3: write p99 5.5 ms, expected at most 10 ms; only 2 of 3 runs measured it",
		},
		"those that are left of the baseline": {
			`[{workload: log, metric: write.p99, maxRatioToBaseline: "1.2"}]`, join(runs("log", "gp3", 5), []v1alpha1.Run{failed("log")}, runs("log", "efs", 6, 6)), metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation undecided: log on efs: write p99 6 ms, 1.2 times the baseline's 5 ms, expected at most 1.2 times the baseline's; only 1 of 2 runs of the baseline measured it",
		},
		"too few I/Os for the percentile": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", join(runs("log", "gp3", 5), short("log", "gp3", 999, 5)), metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation undecided: log on gp3: write p99 5 ms, expected at most 10 ms; p99 needs 1000 I/Os, and a run had 999",
		},
		"as many I/Os as the percentile needs": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", short("log", "gp3", 1000, 5), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on gp3: write p99 5 ms, expected at most 10 ms; 1 of 1 run meets it, too few for an interval, which needs 6",
		},
		"too few I/Os, and a miss": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", short("log", "gp3", 9, 14), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: write p99 14 ms, expected at most 10 ms; 1 of 1 run, too few for an interval, which needs 6",
		},
		"figures that flatter": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", warned(runs("log", "gp3", 5), v1alpha1.WarningStartSkew, v1alpha1.WarningShortRuntime, v1alpha1.WarningUnsyncedWrites), metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on gp3: write p99 5 ms, expected at most 10 ms; 1 of 1 run meets it, too few for an interval, which needs 6; warned of UnsyncedWrites, ShortRuntime, StartSkew",
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := specOf(t, twoTargets+"expectations: "+test.expect)
			status, reason, message, expected := Condition(Judge(spec, &v1alpha1.StorageBenchmarkStatus{Runs: test.runs}))
			if expected != (test.reason != "") {
				t.Fatalf("something is expected: %v", expected)
			}
			if diff := cmp.Diff([]string{string(test.status), test.reason, test.want}, []string{string(status), reason, message}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestShort: the column has how many are missed or undecided, and the worse of the two.
func TestShort(t *testing.T) {
	for want, verdicts := range map[string][]Verdict{
		"": nil, "Met": {Met, Met}, "2 of 5 missed": {Met, Missed, Missed, Unknown, Met}, "1 of 2 undecided": {Met, Unknown},
	} {
		findings := make([]Finding, len(verdicts))
		for i, v := range verdicts {
			findings[i].Verdict = v
		}
		if got := Short(findings); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Each choice of a matrix, and each section of a job file, is held to what is expected.
func TestCasesAndSections(t *testing.T) {
	spec := specOf(t, "targets: [{name: gp3}]\nworkloads: [{name: w}]\nexpectations: [{metric: write.p99, max: 10ms}]")
	small, large, sections := run("w", "gp3", 1, 4*ms), run("w", "gp3", 1, 14*ms), run("w", "gp3", 1, 0)
	small.Parameters, large.Parameters = map[string]string{"bs": "4k"}, map[string]string{"bs": "64k", "rw": "write"}
	sections.Parameters = map[string]string{"bs": "1m"}
	sections.Sections = []v1alpha1.SectionResult{
		{Name: "reads", Result: v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead}}}}, {Name: "writes", Result: *large.Result},
	}
	sections.Result = nil
	var missed []string
	findings := Judge(spec, &v1alpha1.StorageBenchmarkStatus{Runs: []v1alpha1.Run{small, large, sections}})
	for i := range findings {
		if findings[i].Verdict == Missed {
			missed = append(missed, findings[i].Subject())
		}
	}
	if diff := cmp.Diff([]string{"w bs=64k rw=write on gp3", "w bs=1m section writes on gp3"}, missed); diff != "" || len(findings) != 3 {
		t.Errorf("%d findings; missed (-want +got):\n%s", len(findings), diff)
	}
}

// What a preset expects holds, unless the spec itself expects something of the same.
func TestPresetsExpect(t *testing.T) {
	for name, test := range map[string]struct {
		expect string
		want   []string
	}{
		"the preset": {"[]", []string{
			"Unknown: log on gp3: fdatasync p99 was not measured, expected at most 10 ms", "Unknown: log on efs: fdatasync p99 was not measured, expected at most 10 ms",
			"Met: log on gp3: write IOPS 60, expected at least 50; 1 of 1 run meets it, too few for an interval, which needs 6", "Missed: log on efs: write IOPS 40, expected at least 50; 1 of 1 run, too few for an interval, which needs 6",
		}},
		"the spec instead, of one target": {"[{target: efs, metric: write.iops, min: 30}, {metric: sync.p99, workload: log, max: 20ms}]", []string{
			"Met: log on efs: write IOPS 40, expected at least 30; 1 of 1 run meets it, too few for an interval, which needs 6",
			"Unknown: log on gp3: fdatasync p99 was not measured, expected at most 20 ms", "Unknown: log on efs: fdatasync p99 was not measured, expected at most 20 ms",
			"Met: log on gp3: write IOPS 60, expected at least 50; 1 of 1 run meets it, too few for an interval, which needs 6",
		}},
		"a ratio is something else": {`[{metric: write.iops, minRatioToBaseline: "0.5"}]`, []string{
			"Met: log on efs: write IOPS 40, 0.667 times the baseline's 60, expected at least 0.5 times the baseline's; 1 of 1 run meets it, too few for an interval, which needs 4 of each target",
			"Unknown: log on gp3: fdatasync p99 was not measured, expected at most 10 ms", "Unknown: log on efs: fdatasync p99 was not measured, expected at most 10 ms",
			"Met: log on gp3: write IOPS 60, expected at least 50; 1 of 1 run meets it, too few for an interval, which needs 6", "Missed: log on efs: write IOPS 40, expected at least 50; 1 of 1 run, too few for an interval, which needs 6",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := specOf(t, "targets: [{name: gp3}, {name: efs}]\nworkloads: [{name: log, preset: etcd}]\nexpectations: "+test.expect)
			findings := Judge(spec, &v1alpha1.StorageBenchmarkStatus{Runs: []v1alpha1.Run{run("log", "gp3", 60, ms), run("log", "efs", 40, ms)}})
			var got []string
			for i := range findings {
				got = append(got, []string{"Unknown", "Met", "Missed"}[findings[i].Verdict]+": "+findings[i].String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Who reads that a preset's figure is met reads also that the preset did less than it does.
func TestScaledPresetsSaySo(t *testing.T) {
	for scale, want := range map[string]string{
		"{size: 1M, runtimeSeconds: 5}": "; etcd.v2 is scaled to size 1M and 5 s", "{runtimeSeconds: 5}": "; etcd.v2 is scaled to 5 s", "{}": "",
	} {
		spec := specOf(t, "targets: [{name: gp3}]\nworkloads: [{name: log, preset: etcd, scale: "+scale+"}]")
		findings := Judge(spec, &v1alpha1.StorageBenchmarkStatus{Runs: iops("gp3", 60)})
		const met = "log on gp3: write IOPS 60, expected at least 50; 1 of 1 run meets it, too few for an interval, which needs 6"
		if got := findings[len(findings)-1].String(); got != met+want {
			t.Errorf("%s: %q, want %q", scale, got, met+want)
		}
	}
}

// A percentile of operations on files needs as many of them as one of I/Os does, to be as expected. A rate needs none, and a miss is one.
func TestFewOperations(t *testing.T) {
	files := func(operations, p99 int64) v1alpha1.Run {
		return v1alpha1.Run{Workload: "files", Target: "gp3", State: v1alpha1.RunSucceeded, Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationMetadata, Count: operations, MilliIOPS: 2000_000, CompletionLatency: &v1alpha1.LatencyDistribution{P99Nanoseconds: p99 * ms}}}}}
	}
	few := files(27, 5) // in 6 s
	few.Result.ElapsedMilliseconds, few.Result.Of(v1alpha1.OperationMetadata).MilliIOPS = 6000, 4_500
	for name, test := range map[string]struct {
		metric string
		runs   []v1alpha1.Run
		reason string
		words  string
	}{
		"too few a second":   {"metadata.iops, min: 5", []v1alpha1.Run{few}, "NotMet", "metadata IOPS 4.5, expected at least 5"},
		"too few":            {"metadata.p99, max: 10ms", []v1alpha1.Run{files(100_000, 5), files(999, 5)}, "NotMeasured", "p99 needs 1000 operations, and a run had 999"},
		"just enough":        {"metadata.p99, max: 10ms", []v1alpha1.Run{files(100_000, 5), files(1000, 5)}, "AllMet", "2 of 2 runs meet it"},
		"too few, of a rate": {"metadata.iops, min: 1000", []v1alpha1.Run{files(9, 5)}, "AllMet", "1 of 1 run meets it"},
		"too few for a miss": {"metadata.p99, max: 10ms", []v1alpha1.Run{files(9, 50)}, "NotMet", "50 ms, expected at most 10 ms"},
	} {
		spec := specOf(t, "targets: [{name: gp3}]\nworkloads: [{name: files, fio: {rw: read, ioengine: filecreate}}]\nexpectations: [{workload: files, metric: "+test.metric+"}]")
		_, reason, message, _ := Condition(Judge(spec, &v1alpha1.StorageBenchmarkStatus{Runs: test.runs}))
		if reason != test.reason || !strings.Contains(message, test.words) {
			t.Errorf("%s: %s: %s; want %s with %q", name, reason, message, test.reason, test.words)
		}
	}
}

// What a case was to measure and did not is told, beside cases that did; what it was not to measure is not.
func TestMissingMetrics(t *testing.T) {
	const sections = "[global]\nsize=1M\n[r]\nrw=read\n[w]\nrw=write\nfdatasync=1\n"
	synced := run("w", "gp3", 60, ms)
	synced.Result.Set(v1alpha1.OperationSync, &v1alpha1.Figures{Count: 1000, CompletionLatency: &v1alpha1.LatencyDistribution{P99Nanoseconds: ms}})
	with := func(r v1alpha1.Run, name, value string) v1alpha1.Run {
		r.Parameters = map[string]string{name: value}
		return r
	}
	sectionsOf := func(names ...string) v1alpha1.Run {
		r := v1alpha1.Run{Workload: "w", Target: "gp3"}
		for _, name := range names {
			r.Sections = append(r.Sections, v1alpha1.SectionResult{Name: name, Result: *run("w", "gp3", 60, ms).Result})
		}
		return r
	}
	for name, test := range map[string]struct {
		workload, metric string
		runs             []v1alpha1.Run
		want             []string
		unnamed          bool
	}{
		"a case beside one that did": {
			"preset: etcd, clients: [1, 2]", "sync.p99", []v1alpha1.Run{with(synced, "clients", "1"), with(run("w", "gp3", 60, ms), "clients", "2")},
			[]string{"Met w clients=1", "Unknown w clients=2"}, false,
		},
		"a case that has nothing to do with it": {
			"fio: {rw: read}, matrix: {rw: [read, write]}", "write.p99", []v1alpha1.Run{with(run("w", "gp3", 1, ms), "rw", "write"), with(failed("w"), "rw", "read")},
			[]string{"Met w rw=write"}, false,
		},
		"latencies that are switched off, in one case": {
			"fio: {rw: write}, matrix: {gtod_reduce: [0, 1]}", "write.p99",
			[]v1alpha1.Run{with(run("w", "gp3", 1, ms), "gtod_reduce", "0"), with(v1alpha1.Run{Workload: "w", Target: "gp3", Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, MilliIOPS: 1_000}}}}, "gtod_reduce", "1")},
			[]string{"Met w gtod_reduce=0", "Unknown w gtod_reduce=1"}, false,
		},
		"no workload is named, and one takes no latencies": {
			"fio: {rw: write}, matrix: {gtod_reduce: [0, 1]}", "write.p99",
			[]v1alpha1.Run{with(run("w", "gp3", 1, ms), "gtod_reduce", "0"), with(v1alpha1.Run{Workload: "w", Target: "gp3", Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, MilliIOPS: 1_000}}}}, "gtod_reduce", "1")},
			[]string{"Met w gtod_reduce=0"}, true,
		},
		"a section that does not sync": {
			"jobFile: \"" + strings.ReplaceAll(sections, "\n", "\\n") + "\"", "sync.p99", []v1alpha1.Run{sectionsOf("r", "w")}, []string{"Unknown w section w"}, false,
		},
		"sections of which none has a result": {
			"jobFile: \"" + strings.ReplaceAll(sections, "\n", "\\n") + "\"", "sync.p99", []v1alpha1.Run{failed("w")}, []string{"Unknown w"}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := specOf(t, "targets: [{name: gp3}]\nworkloads: [{name: w, "+test.workload+"}]\nexpectations: [{workload: w, metric: "+test.metric+", max: 10ms}]")
			if test.unnamed {
				spec.Expectations[0].Workload = ""
			}
			var got []string
			for _, f := range Judge(spec, &v1alpha1.StorageBenchmarkStatus{Runs: test.runs}) {
				if f.Rule.Preset == "" {
					got = append(got, []string{"Unknown", "Met", "Missed"}[f.Verdict]+" "+f.What())
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What all presets expect and show can be read.
func TestPresetsCanBeJudged(t *testing.T) {
	for _, p := range preset.All() {
		if got := len(OfPreset("w", &p)); got != len(p.Thresholds) {
			t.Errorf("%s: %d of %d thresholds can be read", p.ID(), got, len(p.Thresholds))
		}
		for _, name := range p.Shows {
			if _, known := FindMetric(name); !known {
				t.Errorf("%s shows %s, which is no metric", p.ID(), name)
			}
		}
	}
}

// The condition has room for what matters, whatever there is to say.
func TestConditionIsBounded(t *testing.T) {
	spec := specOf(t, twoTargets+"expectations: [{metric: write.p99, max: 1ms}]")
	var all []v1alpha1.Run
	for i := range 50 {
		r := run("log", "gp3", 1, 2*ms)
		r.Parameters = map[string]string{"bs": fmt.Sprint(i)}
		all = append(all, r)
	}
	_, _, message, _ := Condition(Judge(spec, &v1alpha1.StorageBenchmarkStatus{Runs: all}))
	if len(message) > maxMessage || !strings.Contains(message, "and ") || !strings.HasSuffix(message, " more") {
		t.Errorf("%d characters: %s", len(message), message)
	}
}

func TestShow(t *testing.T) {
	spec := specOf(t, twoTargets)
	shown := Show(spec, &v1alpha1.StorageBenchmarkStatus{Runs: join(runs("log", "gp3", 4, 5, 6), runs("data", "gp3", 9))}, "log", []string{"write.p99", "read.p99", "write.iops"})
	var got []string
	for i := range shown {
		got = append(got, shown[i].Subject()+": "+shown[i].Measured())
	}
	if diff := cmp.Diff([]string{"log on gp3: write p99 5 ms", "log on gp3: write IOPS 1000"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
