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
		Result: &v1alpha1.Result{Write: &v1alpha1.IOResult{IOPS: iops, CompletionLatency: &v1alpha1.LatencyDistribution{P99Nanoseconds: p99}}},
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

func failed(workload, target string) v1alpha1.Run {
	return v1alpha1.Run{Workload: workload, Target: target, State: v1alpha1.RunFailed}
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
			"1 expectation met: log on gp3: write p99 5 ms, expected at most 10 ms",
		},
		"met exactly": {
			"[{workload: log, target: gp3, metric: write.p99, max: 5ms}, {workload: log, target: gp3, metric: write.iops, min: 1000}]", runs("log", "gp3", 5), metav1.ConditionTrue, "AllMet",
			"2 expectations met: log on gp3: write p99 5 ms, expected at most 5 ms; log on gp3: write IOPS 1000, expected at least 1000",
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
			"1 expectation met: log on gp3: write p99 9 ms, expected at most 10 ms",
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
			"1 of 1 expectation not met: log on efs: write p99 13 ms, 1.3 times the baseline's 10 ms, expected at most 1.2 times the baseline's; 1 of 1 run, too few for an interval, which needs 6",
		},
		"ratio within": {
			`[{workload: log, metric: write.iops, minRatioToBaseline: "0.5"}]`, []v1alpha1.Run{run("log", "gp3", 1000, ms), run("log", "efs", 600, ms)}, metav1.ConditionTrue, "AllMet",
			"1 expectation met: log on efs: write IOPS 600, 0.6 times the baseline's 1000, expected at least 0.5 times the baseline's",
		},
		"the interval of a ratio misses": {
			`[{workload: log, metric: write.p99, maxRatioToBaseline: "1.2"}]`, join(runs("log", "gp3", 10, 10, 10, 10, 10, 10), runs("log", "efs", 20, 20, 20, 20, 20, 20)), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on efs: write p99 20 ms, 2 times the baseline's 10 ms, expected at most 1.2 times the baseline's; 6 of 6 runs, and the interval from 2 to 2 misses it as well",
		},
		"the interval of a ratio does not miss": {
			`[{workload: log, metric: write.p99, maxRatioToBaseline: "1.2"}]`, join(runs("log", "gp3", 5, 10, 10, 10, 10, 20), runs("log", "efs", 15, 20, 20, 20, 20, 20)), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on efs: write p99 20 ms, 2 times the baseline's 10 ms, expected at most 1.2 times the baseline's; 6 of 6 runs, and the interval from 0.75 to 4 reaches what is expected, so that it may be chance",
		},
		"the baseline has no results": {
			`[{workload: log, metric: write.p99, maxRatioToBaseline: "1.2"}]`, join([]v1alpha1.Run{failed("log", "gp3")}, runs("log", "efs", 13)), metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation not measured: log on efs: write p99 13 ms, expected at most 1.2 times the baseline's; the baseline has no results of it",
		},
		"no results": {
			"[{workload: log, target: gp3, metric: sync.p99, max: 10ms}]", []v1alpha1.Run{failed("log", "gp3")}, metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation not measured: log on gp3: fdatasync p99 was not measured, expected at most 10 ms",
		},
		"no runs": {
			"[{workload: log, metric: write.p99, max: 10ms}]", nil, metav1.ConditionUnknown, "NotMeasured",
			"2 of 2 expectations not measured: log on gp3: write p99 was not measured, expected at most 10 ms; log on efs: write p99 was not measured, expected at most 10 ms",
		},
		"results without latencies": {
			"[{workload: log, target: gp3, metric: write.mean, max: 10ms}]", runs("log", "gp3", 5), metav1.ConditionUnknown, "NotMeasured",
			"1 of 1 expectation not measured: log on gp3: write mean was not measured, expected at most 10 ms",
		},
		"what misses prevails over what is unknown": {
			"[{workload: data, target: gp3, metric: write.p99, max: 10ms}, {workload: log, target: gp3, metric: write.p99, max: 10ms}]", runs("log", "gp3", 14), metav1.ConditionFalse, "NotMet",
			"1 of 2 expectations not met: log on gp3: write p99 14 ms, expected at most 10 ms; 1 of 1 run, too few for an interval, which needs 6; data on gp3: write p99 was not measured, expected at most 10 ms",
		},
		"some repetitions failed": {
			"[{workload: log, target: gp3, metric: write.p99, max: 10ms}]", join(runs("log", "gp3", 14), []v1alpha1.Run{failed("log", "gp3")}), metav1.ConditionFalse, "NotMet",
			"1 of 1 expectation not met: log on gp3: write p99 14 ms, expected at most 10 ms; 1 of 1 run, too few for an interval, which needs 6",
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

// Each choice of a matrix, and each section of a job file, is held to what is expected.
func TestCasesAndSections(t *testing.T) {
	spec := specOf(t, "targets: [{name: gp3}]\nworkloads: [{name: w}]\nexpectations: [{metric: write.p99, max: 10ms}]")
	small, large, sections := run("w", "gp3", 1, 4*ms), run("w", "gp3", 1, 14*ms), run("w", "gp3", 1, 0)
	small.Parameters, large.Parameters = map[string]string{"bs": "4k"}, map[string]string{"bs": "64k", "rw": "write"}
	sections.Parameters = map[string]string{"bs": "1m"}
	sections.Sections = []v1alpha1.SectionResult{
		{Name: "reads", Result: v1alpha1.Result{Read: &v1alpha1.IOResult{}}}, {Name: "writes", Result: *large.Result},
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
			"Met: log on gp3: write IOPS 60, expected at least 50", "Missed: log on efs: write IOPS 40, expected at least 50; 1 of 1 run, too few for an interval, which needs 6",
		}},
		"the spec instead, of one target": {"[{target: efs, metric: write.iops, min: 30}, {metric: sync.p99, workload: log, max: 20ms}]", []string{
			"Met: log on efs: write IOPS 40, expected at least 30",
			"Unknown: log on gp3: fdatasync p99 was not measured, expected at most 20 ms", "Unknown: log on efs: fdatasync p99 was not measured, expected at most 20 ms",
			"Met: log on gp3: write IOPS 60, expected at least 50",
		}},
		"a ratio is something else": {`[{metric: write.iops, minRatioToBaseline: "0.5"}]`, []string{
			"Met: log on efs: write IOPS 40, 0.667 times the baseline's 60, expected at least 0.5 times the baseline's",
			"Unknown: log on gp3: fdatasync p99 was not measured, expected at most 10 ms", "Unknown: log on efs: fdatasync p99 was not measured, expected at most 10 ms",
			"Met: log on gp3: write IOPS 60, expected at least 50", "Missed: log on efs: write IOPS 40, expected at least 50; 1 of 1 run, too few for an interval, which needs 6",
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
