package sample

import (
	"fmt"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/search"
)

// HighestLoad is a search for the iodepth that keeps reads of three volumes within 5 ms: one finds it, one is within the budget at max, and one never is.
func HighestLoad() *v1alpha1.StorageBenchmark {
	sb := named("highest-load", v1alpha1.StorageBenchmarkSpec{
		Targets: []v1alpha1.Target{gp3("gp3"), ebs("io2", "30Gi", v1alpha1.EBSVolume{Type: "io2", IOPS: new(int32(16000))}), ebs("st1", "500Gi", v1alpha1.EBSVolume{Type: "st1"})},
		Workloads: []v1alpha1.Workload{{
			Name: "reads",
			Fio: &v1alpha1.FioParameters{
				RW: "randread", IOEngine: new("libaio"), Direct: new(true), Size: new("1G"), TimeBased: new(true), RuntimeSeconds: new(int32(60)),
			},
			Search: &v1alpha1.LoadSearch{Vary: v1alpha1.VaryIODepth, Max: 64, Objective: v1alpha1.SearchObjective{Metric: "read.mean", Max: "5ms"}},
		}},
	})
	var names []string
	for i, storage := range []struct{ most, seconds float64 }{{3000, 0.0007}, {16000, 0.0006}, {120, 0.009}} {
		names = append(names, sb.Spec.Targets[i].Name)
		sb.Status.Runs = append(sb.Status.Runs, searched(&sb.Spec, names[i], storage.most, storage.seconds)...)
	}
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, names, names[0])
	sb.Status.Searches = search.Results(&sb.Spec, sb.Status.Runs, true)
	conclude(sb, begin.Add(25*time.Minute))
	return sb
}

// searched returns the steps of a search on storage that does so many I/Os a second at most, each in so many seconds at least.
func searched(spec *v1alpha1.StorageBenchmarkSpec, target string, most, seconds float64) []v1alpha1.Run {
	workload := &spec.Workloads[0]
	var runs []v1alpha1.Run
	for {
		var steps search.Steps
		for i := range runs {
			steps = append(steps, &runs[i])
		}
		decision := steps.Next(workload.Search)
		if decision.Value == 0 {
			steps.End(decision.Answer)
			return runs
		}
		iops := min(float64(decision.Value)/seconds, most)
		nanoseconds := int64(float64(decision.Value) / iops * 1e9)
		result := &v1alpha1.Result{FioVersion: "fio-3.39", ElapsedMilliseconds: 60_000, Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead, Count: int64(60 * iops), Bytes: int64(60 * 4 * kib * iops), MilliIOPS: 1000 * int64(iops), BytesPerSecond: int64(4 * kib * iops), Latency: &v1alpha1.Latency{MeanNanoseconds: nanoseconds, StddevNanoseconds: nanoseconds / 5}, CompletionLatency: &v1alpha1.LatencyDistribution{
			MinNanoseconds: nanoseconds / 2, P50Nanoseconds: nanoseconds, P90Nanoseconds: nanoseconds * 6 / 5, P95Nanoseconds: nanoseconds * 5 / 4, P99Nanoseconds: nanoseconds * 3 / 2,
			P999Nanoseconds: 2 * nanoseconds, P9999Nanoseconds: 3 * nanoseconds, MaxNanoseconds: 4 * nanoseconds,
		}}}}
		verdict, err := search.Judge(workload.Search, result, 0)
		if err != nil {
			panic(err) // the sample is wrong
		}
		number := len(runs) + 1
		runs = append(runs, v1alpha1.Run{
			Name: fmt.Sprintf("reads.%s.step-%d", target, number), Target: target, Workload: workload.Name, Repetition: 1, State: v1alpha1.RunSucceeded, Attempts: 1,
			Parameters: map[string]string{v1alpha1.VaryIODepth: search.Text(decision.Value)}, Result: result,
			Search: &v1alpha1.RunSearch{Step: int32(number), Vary: v1alpha1.VaryIODepth, Value: decision.Value, Verdict: verdict},
		})
	}
}
