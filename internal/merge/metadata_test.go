package merge

import (
	"math/rand/v2"
	"testing"

	"github.com/storagebench/storagebench/internal/digest"
)

// operationsOf returns what a runner says of operations on files with these latencies within a second.
func operationsOf(latencies []int64) *digest.Metadata {
	d := measured(latencies, 1000)
	return &digest.Metadata{Count: d.IOs, MilliPerSecond: d.MilliIOPS, Mean: d.Latency.Mean, Completion: d.Completion}
}

// What is merged of the clients' operations is what would have been measured of all of them in one place. Clients without are none of it.
func TestMergedMetadataIsMeasuredTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 50 {
		reports := []*digest.Report{{Groups: []digest.Group{{}}}}
		var all []int64
		for range 1 + r.IntN(9) {
			latencies := sample(r, float64(1+r.IntN(1<<20)))
			all = append(all, latencies...)
			reports = append(reports, &digest.Report{Groups: []digest.Group{{Metadata: operationsOf(latencies)}}})
		}
		got := mustMerge(t, reports...).Report.Groups[0].Metadata
		want := operationsOf(all)
		if off := got.Mean - want.Mean; off < -1 || off > 1 {
			t.Errorf("%d clients: mean %d, want %d", len(reports), got.Mean, want.Mean)
		}
		got.Mean = want.Mean // rounded of each client
		if diff := diff(want, got); diff != "" {
			t.Fatalf("%d clients (-want +got):\n%s", len(reports), diff)
		}
	}
}

// How clients differ is said of their rates; one without percentiles leaves none to all.
func TestMetadataOfClients(t *testing.T) {
	slow, fast := operationsOf([]int64{5, 7}), operationsOf([]int64{9, 11, 13})
	fast.Completion = nil
	merged := mustMerge(t, &digest.Report{Groups: []digest.Group{{Metadata: slow}}}, &digest.Report{Groups: []digest.Group{{Metadata: fast}}})
	want := &digest.Metadata{Count: 5, MilliPerSecond: 5000, Mean: 9}
	if diff := diff(want, merged.Report.Groups[0].Metadata); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	spread := merged.Groups[0].Metadata
	if spread == nil || spread.MinMilliIOPS != 2000 || spread.MaxMilliIOPS != 3000 || spread.Variation < 0.28 || spread.Variation > 0.29 {
		t.Errorf("%+v", spread)
	}
	if merged.Groups[0].Read != nil || merged.Report.Groups[0].Read != nil {
		t.Error("there are reads")
	}
	if alone := mustMerge(t, &digest.Report{Groups: []digest.Group{{}}}); alone.Groups[0].Metadata != nil {
		t.Errorf("without: %+v", alone.Groups[0].Metadata)
	}
}
