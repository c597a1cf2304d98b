package merge

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/digest"
)

// syncsOf returns what a runner says of syncs with these latencies.
func syncsOf(latencies []int64) *digest.Sync {
	d := measured(latencies, 1000)
	return &digest.Sync{Count: d.Latency.Count, Mean: d.Latency.Mean, Completion: d.Completion}
}

// What is merged of the clients' syncs is what would have been measured of all of them in one place. Clients without are none of it.
func TestMergedSyncsAreMeasuredTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		reports := []*digest.Report{{Groups: []digest.Group{{}}}}
		var all []int64
		for range 1 + r.IntN(9) {
			latencies := sample(r, float64(1+r.IntN(1<<20)))
			all = append(all, latencies...)
			reports = append(reports, &digest.Report{Groups: []digest.Group{{Sync: syncsOf(latencies)}}})
		}
		got := mustMerge(t, reports...).Report.Groups[0].Sync
		want := syncsOf(all)
		if off := got.Mean - want.Mean; off < -1 || off > 1 {
			t.Errorf("%d clients: mean %d, want %d", len(reports), got.Mean, want.Mean)
		}
		got.Mean = want.Mean // rounded of each client
		if diff := diff(want, got); diff != "" {
			t.Fatalf("%d clients (-want +got):\n%s", len(reports), diff)
		}
	}
}

// A client whose syncs have no histogram has a part in the mean, and leaves no percentiles.
func TestSyncsWithoutHistogram(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*digest.Group)
		want   *digest.Sync
	}{
		"whole":         {func(*digest.Group) {}, syncsOf([]int64{5, 7, 9, 11})},
		"no syncs":      {func(g *digest.Group) { g.Sync = nil }, syncsOf([]int64{5, 7})},
		"no completion": {func(g *digest.Group) { g.Sync.Completion = nil }, &digest.Sync{Count: 4, Mean: 8}},
		"no histogram":  {func(g *digest.Group) { g.Sync.Completion.Histogram = nil }, &digest.Sync{Count: 4, Mean: 8}},
	} {
		t.Run(name, func(t *testing.T) {
			reports := []*digest.Report{
				{Groups: []digest.Group{{Sync: syncsOf([]int64{5, 7})}}},
				{Groups: []digest.Group{{Sync: syncsOf([]int64{9, 11})}}},
			}
			test.change(&reports[1].Groups[0])
			if diff := diff(test.want, mustMerge(t, reports...).Report.Groups[0].Sync); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Where a client's histograms are coarser, those of syncs are all made as coarse.
func TestCoarseSyncs(t *testing.T) {
	fine, coarse := syncsOf([]int64{100_000, 300_000}), syncsOf([]int64{200_000, 400_000})
	want := fine.Completion.Histogram.Coarsen(2)
	coarse.Completion.Histogram = coarse.Completion.Histogram.Coarsen(2)
	want.Merge(coarse.Completion.Histogram)
	merged := mustMerge(t, &digest.Report{Groups: []digest.Group{{Sync: fine}}}, &digest.Report{Coarsening: 2, Groups: []digest.Group{{Sync: coarse}}})
	if diff := cmp.Diff(want, merged.Report.Groups[0].Sync.Completion.Histogram, equalHistograms); diff != "" || merged.Report.Coarsening != 2 {
		t.Errorf("coarser by %d bits (-want +got):\n%s", merged.Report.Coarsening, diff)
	}
}
