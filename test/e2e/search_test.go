//go:build e2e

package e2e

import (
	"testing"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A gp3 volume begins 3,000 I/Os a second at even intervals. So a closed loop of n of them takes n/3000 s for each on average, and no higher rate can be kept: searches
// find that.
func TestSearchOnEBS(t *testing.T) {
	ownNode(t, load(figures), budget(12*time.Minute))
	io := &v1alpha1.FioParameters{
		RW: "randread", IOEngine: new("libaio"), IODepth: new(int32(64)), BS: new("4k"), Size: new("64M"), Direct: new(true),
		TimeBased: new(true), RuntimeSeconds: new(int32(4)),
	}
	const limit, seconds = 3000, 0.0105
	for _, test := range []struct {
		name   string
		search v1alpha1.LoadSearch
		truth  float64
	}{
		{"depth", searched(v1alpha1.VaryIODepth, 16, 64, "read.mean", "10.5ms"), seconds * limit},
		// Of a rate that is a little too high half of the I/Os wait behind as many as may be in flight.
		{"rate", searched(v1alpha1.VaryRateIOPS, 1000, 4000, "read.p50", "5ms"), limit},
	} {
		t.Run(test.name, func(t *testing.T) {
			holdsTruth(t, v1alpha1.Target{Name: "gp3", EBS: &v1alpha1.EBSVolume{Type: "gp3"}}, io, &test.search, test.truth, limit)
		})
	}
}

// EFS gives a client 1,610 writes a second, whatever it writes.
func TestSearchOnEFS(t *testing.T) {
	ownNode(t, shares(theFileSystem), takes(itsLimits), quiet, budget(8*time.Minute))
	const limit, seconds = 1610, 0.012
	io := &v1alpha1.FioParameters{
		RW: "randwrite", BS: new("4k"), Size: new("1M"), Direct: new(true), TimeBased: new(true), RuntimeSeconds: new(int32(4)),
	}
	search := searched(v1alpha1.VaryNumJobs, 8, 32, "write.mean", "12ms")
	holdsTruth(t, experiment(t, "e4").Spec.Targets[0], io, &search, seconds*limit, limit)
}

func searched(vary string, least, most int32, metric, budget string) v1alpha1.LoadSearch {
	return v1alpha1.LoadSearch{Vary: vary, Min: &least, Max: most, Objective: v1alpha1.SearchObjective{Metric: metric, Max: budget}}
}

// holdsTruth searches on a target, and holds what was found to what the stand-in carries.
func holdsTruth(t *testing.T, target v1alpha1.Target, io *v1alpha1.FioParameters, search *v1alpha1.LoadSearch, value, iops float64) {
	t.Helper()
	sb := benchmark(t, "search-"+target.Name, func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets = []v1alpha1.Target{target}
		sb.Spec.Workloads = []v1alpha1.Workload{{Name: "searched", Fio: io, Search: search}}
	})
	sb.Name += "-" + map[string]string{v1alpha1.VaryRateIOPS: "rate", v1alpha1.VaryIODepth: "depth", v1alpha1.VaryNumJobs: "jobs"}[search.Vary]
	holds(t, sb, func(t checker, done *v1alpha1.StorageBenchmark) {
		for i := range done.Status.Runs {
			run := &done.Status.Runs[i]
			t.Logf("%s: %s %d is %s: %d IOPS", run.Name, run.Search.Vary, run.Search.Value, run.Search.Verdict, sumOf(run, func(io *v1alpha1.Figures) int64 { return io.IOPS() }))
		}
		if len(done.Status.Searches) != 1 || len(done.Status.Comparisons) != 1 {
			t.Fatalf("searches are %+v, comparisons %+v", done.Status.Searches, done.Status.Comparisons)
		}
		s := &done.Status.Searches[0]
		t.Logf("%s on %s: %s", s.Workload, s.Target, s.Message)
		if s.Outcome != v1alpha1.SearchFound {
			t.Errorf("search is %+v", s)
			return
		}
		wantRatio(t, s.Vary+" and the truth", float64(s.Answer.Value.Median), value, 0.95, 1.05)
		wantRatio(t, "IOPS and the truth", float64(s.Answer.MilliIOPS.Median)/1000, iops, 0.95, 1.05)
	})
}
