//go:build e2e

package e2e

import (
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Searches find the load that stand-ins are known to carry. A gp3 volume begins 3,000 I/Os a second at even intervals, so that a closed loop of n of them takes
// n/3000 s for each on average, and no rate of more can be kept.
func TestSearch(t *testing.T) {
	ownNode(t, load(figures), budget(12*time.Minute))
	sb := benchmark(t, "search", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets = []v1alpha1.Target{{Name: "gp3", EBS: &v1alpha1.EBSVolume{Type: "gp3"}}}
		reads := func(name, vary string, most int32, metric, budget string) v1alpha1.Workload {
			return v1alpha1.Workload{
				Name: name,
				Fio: &v1alpha1.FioParameters{
					RW: "randread", IOEngine: new("libaio"), IODepth: new(int32(64)), BS: new("4k"), Size: new("64M"), Direct: new(true),
					TimeBased: new(true), RuntimeSeconds: new(int32(4)),
				},
				Search: &v1alpha1.LoadSearch{Vary: vary, Max: most, Objective: v1alpha1.SearchObjective{Metric: metric, Max: budget}},
			}
		}
		sb.Spec.Workloads = []v1alpha1.Workload{
			reads("depth", v1alpha1.VaryIODepth, 128, "read.mean", "10.5ms"), reads("rate", v1alpha1.VaryRateIOPS, 16000, "read.p99", "5ms"),
		}
	})
	holds(t, sb, func(t checker, done *v1alpha1.StorageBenchmark) {
		for i := range done.Status.Runs {
			run := &done.Status.Runs[i]
			t.Logf("%s: %d %s, %d IOPS, mean %d us, p99 %d us", run.Name, run.Search.Value, run.Search.Verdict, run.Result.Read.IOPS,
				run.Result.Read.Latency.MeanNanoseconds/1000, run.Result.Read.CompletionLatency.P99Nanoseconds/1000)
		}
		if len(done.Status.Searches) != 2 {
			t.Fatalf("searches are %+v", done.Status.Searches)
		}
		const limit, depth = 3000, 31.5
		for i, truth := range []float64{depth, limit} {
			s := &done.Status.Searches[i]
			t.Logf("%s: %s", s.Workload, s.Message)
			if s.Outcome != v1alpha1.SearchFound {
				t.Errorf("search is %+v", s)
				continue
			}
			wantRatio(t, s.Workload+": "+s.Vary+" and the truth", float64(s.Answer.Value.Median), truth, 0.95, 1.05)
			wantRatio(t, s.Workload+": IOPS and the truth", float64(s.Answer.IOPS.Median), limit, 0.95, 1.05)
		}
	})
}
