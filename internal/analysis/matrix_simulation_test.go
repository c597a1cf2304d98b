package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/extent"
)

// TestMatrixInSimulation counts how often a matrix over numjobs says what is wrong, where repetitions of the same vary by 5 %
// without a trend, and each whole row by another 3 %.
func TestMatrixInSimulation(t *testing.T) {
	const latency, storage = v1alpha1.BoundLatency, v1alpha1.BoundStorage
	times := 2000
	if extent.IsAll() {
		times = 20_000
	}
	random := rand.New(rand.NewPCG(44, 1))
	for _, test := range []struct {
		name        string
		repetitions int
		// rate is what so many jobs do, and right the verdict on the first case.
		rate         func(jobs float64) float64
		right, wrong string
		atLeast      float64
	}{
		{"latency, once", 1, func(jobs float64) float64 { return 1000 * jobs }, latency, storage, 0.99},
		{"latency, 4 times", 4, func(jobs float64) float64 { return 1000 * jobs }, latency, storage, 0.99},
		{"at a limit, once", 1, func(float64) float64 { return 3000 }, storage, latency, 0.75},
		{"at a limit, 4 times", 4, func(float64) float64 { return 3000 }, storage, latency, 0.9},
		{"half of the way to a limit", 4, func(jobs float64) float64 { return min(1000*jobs, 16_000) }, latency, storage, 0.99},
	} {
		said, cases := map[string]float64{}, 0.
		for range times {
			var rungs []*Rung
			for _, n := range []int64{8, 16, 32} {
				row := math.Exp(0.03 * random.NormFloat64())
				rates := make([]int64, test.repetitions)
				for i := range rates {
					rates[i] = int64(test.rate(float64(n)) * row * math.Exp(0.05*random.NormFloat64()))
				}
				rungs = append(rungs, jobs(n, v1alpha1.BoundUnknown, rates...))
			}
			Climb(rungs)
			for _, bound := range rungs[0].Bounds {
				said[bound.Reason]++
				cases++
			}
		}
		t.Logf("%s: %v of %v", test.name, said, cases)
		if said[test.wrong] > 0.01*cases || said[test.right] < test.atLeast*(cases-said[v1alpha1.BoundUnknown]) {
			t.Errorf("%s: %v of %v, want %s, and %s in 1 %% at most", test.name, said, cases, test.right, test.wrong)
		}
	}
}

// TestQueueInSimulation counts how often storage that takes as long as it is known to is said to queue, where the means of
// runs vary by 10 %.
func TestQueueInSimulation(t *testing.T) {
	random := rand.New(rand.NewPCG(44, 2))
	times := 5000
	if extent.IsAll() {
		times = 50_000
	}
	for name, storage := range map[string]struct {
		known *v1alpha1.KnownLimits
		// mean is what published measurements of such storage have, in nanoseconds.
		mean float64
	}{
		"gp3 at rest": {gp3, 700_000}, "gp3 with writes": {gp3, 1_300_000},
		"EFS, one writer": {emptyEFS, 7_690_000}, "EFS, 16 writers": {emptyEFS, 9_900_000},
	} {
		wrong := 0
		for range times {
			mean := int64(storage.mean * math.Exp(0.1*random.NormFloat64()))
			r := &v1alpha1.Result{Figures: v1alpha1.ListOf(blocks(max(1, 2_000_000_000/mean), 4096, mean).As(v1alpha1.OperationWrite))}
			if got := Bound(r, Known{Storage: storage.known}, Load{InFlight: 2}, Client{}); got.Reason == v1alpha1.BoundQueue {
				wrong++
			}
		}
		if 100*wrong > times {
			t.Errorf("%s queues in %d of %d", name, wrong, times)
		}
		t.Logf("%s queues in %d of %d", name, wrong, times)
	}
}
