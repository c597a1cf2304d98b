package expectation

import (
	"slices"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// held says of so many runs what held them back.
func held(all []v1alpha1.Run, runs int, reason string) []v1alpha1.Run {
	for i := range all[:runs] {
		all[i].LimitedBy = &v1alpha1.LimitedBy{Reason: reason}
	}
	return all
}

// What fio's want of CPU or the workload's own rate made is neither a miss of the storage nor a ratio to another.
func TestHeldBack(t *testing.T) {
	const (
		cpu, rate = v1alpha1.BoundClientCPU, v1alpha1.BoundWorkloadRate
		node      = v1alpha1.BoundNodeCPU
		p99       = "[{workload: log, target: gp3, metric: write.p99, max: 10ms}]"
		least     = "[{workload: log, target: gp3, metric: write.iops, min: 2000}]"
		ratio     = `[{workload: log, metric: write.iops, minRatioToBaseline: "0.95"}]`
		ratioP99  = `[{workload: log, metric: write.p99, maxRatioToBaseline: "1.2"}]`

		noCPU        = "; fio had no more CPU (ClientCPU) in 4 of 4 runs, so that storage may do better: give fio more CPU"
		busyNode     = "; others used the node's CPUs (NodeCPU) in 4 of 4 runs, so that storage may do better: measure on a node without other work"
		baselinesCPU = "; fio had no more CPU (ClientCPU) in 4 of 4 runs of the baseline, so that storage may do better: give fio more CPU"
		noMore       = "; the workload asks for no more (WorkloadRate) in 4 of 4 runs: raise its rate or lower its thinktime, or expect a latency"
	)
	slow, fast := func() []v1alpha1.Run { return runs("log", "gp3", 14, 15, 15, 16) }, func() []v1alpha1.Run { return runs("log", "gp3", 4, 5, 5, 6) }
	gp3, efs := func() []v1alpha1.Run { return iops("gp3", 1000, 1001, 1002, 1003) }, func() []v1alpha1.Run { return iops("efs", 1000, 1001, 1002, 1003) }
	half := func() []v1alpha1.Run { return iops("efs", 500, 501, 502, 503) }
	for name, test := range map[string]struct {
		expect, reason, doubt string
		runs                  []v1alpha1.Run
	}{
		"a miss for want of CPU":                    {p99, v1alpha1.ReasonNotMeasured, noCPU, held(slow(), 4, cpu)},
		"half of the runs":                          {p99, v1alpha1.ReasonNotMeasured, "(ClientCPU) in 2 of 4 runs,", held(slow(), 2, cpu)},
		"one of four runs":                          {p99, v1alpha1.ReasonNotMet, "", held(slow(), 1, cpu)},
		"met for all that":                          {p99, v1alpha1.ReasonAllMet, "", held(fast(), 4, cpu)},
		"both for want of CPU":                      {ratio, v1alpha1.ReasonNotMeasured, noCPU, join(held(gp3(), 4, cpu), held(efs(), 4, cpu))},
		"a miss on a busy node":                     {p99, v1alpha1.ReasonNotMeasured, busyNode, held(slow(), 4, node)},
		"met on a busy node":                        {p99, v1alpha1.ReasonAllMet, "", held(fast(), 4, node)},
		"a miss on a busy node, without limits":     {p99, v1alpha1.ReasonNotMeasured, busyNode, warned(held(slow(), 4, v1alpha1.BoundUnknown), v1alpha1.WarningNodeBusy)},
		"a miss without limits":                     {p99, v1alpha1.ReasonNotMet, "", held(slow(), 4, v1alpha1.BoundUnknown)},
		"a miss at a limit, on a busy node":         {p99, v1alpha1.ReasonNotMet, "", warned(held(slow(), 4, v1alpha1.BoundVolumeIOPS), v1alpha1.WarningNodeBusy)},
		"only the baseline on a busy node":          {ratio, v1alpha1.ReasonNotMeasured, "(NodeCPU) in 4 of 4 runs of the baseline,", join(held(gp3(), 4, node), efs())},
		"only the target":                           {ratio, v1alpha1.ReasonNotMeasured, noCPU, join(gp3(), held(efs(), 4, cpu))},
		"only the baseline":                         {ratio, v1alpha1.ReasonNotMeasured, baselinesCPU, join(held(gp3(), 4, cpu), efs())},
		"a ratio of latencies":                      {ratioP99, v1alpha1.ReasonNotMeasured, baselinesCPU, join(held(gp3(), 4, cpu), efs())},
		"fewer than the workload asks for":          {least, v1alpha1.ReasonNotMeasured, noMore, held(gp3(), 4, rate)},
		"latency at a rate":                         {p99, v1alpha1.ReasonNotMet, "", held(slow(), 4, rate)},
		"both at the rate":                          {ratio, v1alpha1.ReasonNotMeasured, "(WorkloadRate) in 4 of 4 runs of the baseline:", join(held(gp3(), 4, rate), held(efs(), 4, rate))},
		"latencies of both at the rate":             {ratioP99, v1alpha1.ReasonAllMet, "", join(held(gp3(), 4, rate), held(efs(), 4, rate))},
		"the target falls short of the rate":        {ratio, v1alpha1.ReasonNotMet, "", join(held(gp3(), 4, rate), half())},
		"the baseline falls short of it":            {ratio, v1alpha1.ReasonAllMet, "", join(gp3(), held(efs(), 4, rate))},
		"something of the storage held it back":     {p99, v1alpha1.ReasonNotMet, "", held(slow(), 4, v1alpha1.BoundVolumeIOPS)},
		"a baseline that others could be behind of": {`[{workload: log, metric: write.iops, minRatioToBaseline: "0.4"}]`, v1alpha1.ReasonNotMeasured, "(WorkloadRate) in 4 of 4 runs of the baseline:", join(held(gp3(), 4, rate), half())},
	} {
		t.Run(name, func(t *testing.T) {
			spec := specOf(t, twoTargets+"expectations: "+test.expect)
			_, reason, message, _ := Condition(Judge(spec, &v1alpha1.StorageBenchmarkStatus{Runs: test.runs}))
			doubted := strings.Contains(message, "asks for no more") || strings.Contains(message, "storage may do better")
			if reason != test.reason || !strings.Contains(message, test.doubt) || doubted != (test.doubt != "") {
				t.Errorf("%s: %s", reason, message)
			}
		})
	}
}

// What a section was held back by is said of it alone.
func TestHeldBackSections(t *testing.T) {
	spec := specOf(t, "targets: [{name: gp3}]\nworkloads: [{name: w}]\nexpectations: [{metric: write.p99, max: 10ms}]")
	r := run("w", "gp3", 1, 14*ms)
	r.Sections = []v1alpha1.SectionResult{
		{Name: "a", Result: *r.Result, LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundClientCPU}}, {Name: "b", Result: *r.Result},
	}
	r.Result = nil
	findings := Judge(spec, &v1alpha1.StorageBenchmarkStatus{Runs: []v1alpha1.Run{r}})
	if len(findings) != 2 || findings[0].Verdict != Unknown || findings[1].Verdict != Missed {
		t.Errorf("%v", findings)
	}
}

// syncing has runs sync, with a 99th percentile in milliseconds.
func syncing(all []v1alpha1.Run, p99 int64) []v1alpha1.Run {
	for i := range all {
		all[i].Result.Of(v1alpha1.OperationWrite).Count, all[i].Result.Of(v1alpha1.OperationWrite).Latency = 10_000, &v1alpha1.Latency{MeanNanoseconds: ms}
		all[i].Result.Set(v1alpha1.OperationSync, &v1alpha1.Figures{Count: 10_000, Latency: &v1alpha1.Latency{MeanNanoseconds: p99 * ms}, CompletionLatency: &v1alpha1.LatencyDistribution{P99Nanoseconds: p99 * ms}})
	}
	return all
}

// Readers who see that something is met are told of clients that did not measure together.
func TestWarnedOf(t *testing.T) {
	const skew, overlap = v1alpha1.WarningStartSkew, v1alpha1.WarningShortOverlap
	p99 := "[{workload: log, target: gp3, metric: write.p99, max: 10ms}]"
	ratio := `[{workload: log, metric: write.p99, maxRatioToBaseline: "1.2"}]`
	gp3 := func() []v1alpha1.Run { return runs("log", "gp3", 4, 5, 5, 5, 5, 6) }
	both := func() []v1alpha1.Run { return join(gp3(), runs("log", "efs", 4, 5, 5, 5, 5, 6)) }
	for name, test := range map[string]struct {
		expect string
		runs   []v1alpha1.Run
		want   []string
	}{
		"nothing":                           {p99, gp3(), nil},
		"clients that were not together":    {p99, warned(gp3(), skew, overlap), []string{skew, overlap}},
		"latencies of memory":               {p99, warned(gp3(), v1alpha1.WarningLatencyOfMemory), []string{v1alpha1.WarningLatencyOfMemory}},
		"latencies of memory, of IOPS":      {"[{workload: log, target: gp3, metric: write.iops, min: 1}]", warned(gp3(), v1alpha1.WarningLatencyOfMemory, skew), []string{skew}},
		"a rate that fell":                  {p99, warned(gp3(), v1alpha1.WarningRateFell), []string{v1alpha1.WarningRateFell}},
		"a rate that was not steady":        {p99, warned(gp3(), v1alpha1.WarningNotSteady), []string{v1alpha1.WarningNotSteady}},
		"writes that wait for syncs":        {p99, syncing(gp3(), 50), []string{v1alpha1.WarningLatencyOfMemory}},
		"IOPS of such writes":               {"[{workload: log, target: gp3, metric: write.iops, min: 1}]", syncing(gp3(), 50), nil},
		"syncs that take less":              {p99, syncing(gp3(), 1), nil},
		"the baseline's were not together":  {ratio, join(warned(gp3(), skew), runs("log", "efs", 4, 5, 5, 5, 5, 6)), []string{skew}},
		"the baseline is better than it is": {ratio, join(warned(gp3(), v1alpha1.WarningShortRuntime), runs("log", "efs", 4, 5, 5, 5, 5, 6)), nil},
		"each once":                         {ratio, warned(both(), skew), []string{skew}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := specOf(t, twoTargets+"expectations: "+test.expect)
			findings := Judge(spec, &v1alpha1.StorageBenchmarkStatus{Runs: test.runs})
			if len(findings) != 1 || findings[0].Verdict != Met || !slices.Equal(findings[0].Warned, test.want) {
				t.Fatalf("%+v", findings)
			}
			said := strings.Contains(findings[0].String(), "; warned of "+strings.Join(test.want, ", "))
			if said != (test.want != nil) {
				t.Errorf("%s", findings[0].String())
			}
		})
	}
}
