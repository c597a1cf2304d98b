package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// probeDeviation is the standard deviation of the logarithms of IOPS of a run and of its probe: 5 %.
const probeDeviation = 0.05

// probedBound returns what is said of a run of which nothing is known but that its probe can do so many times as much.
func probedBound(random *rand.Rand, growth float64) string {
	const iops, inFlight, block = 2000, 32, 4096
	rate := func(times float64) int64 {
		return int64(iops * times * math.Exp(probeDeviation*random.NormFloat64()))
	}
	run, probe := rate(1), rate(growth)
	latency := func(inFlight, iops int64) int64 { return inFlight * 1_000_000_000 / iops }
	r := &v1alpha1.Result{
		Figures:             []v1alpha1.Figures{{Name: v1alpha1.OperationRead, Count: 60 * run, Bytes: 60 * run * block, MilliIOPS: 1000 * run, BytesPerSecond: run * block, Latency: &v1alpha1.Latency{MeanNanoseconds: latency(inFlight, run)}}},
		ElapsedMilliseconds: 60_000,
	}
	probed := &v1alpha1.ProbeResult{InFlight: 2 * inFlight, Figures: v1alpha1.Figures{
		MilliIOPS: 1000 * probe, BytesPerSecond: probe * block, Latency: &v1alpha1.Latency{MeanNanoseconds: latency(2*inFlight, probe)},
	}}
	return Judge(r, Known{Probe: probed}, Load{InFlight: inFlight, Jobs: 1, ProbeJobs: 1}, Client{}, 0).Reason
}

// TestProbeInSimulation counts how often a probe says what is wrong, where runs of the same vary by 5 %.
func TestProbeInSimulation(t *testing.T) {
	const times = 20_000
	random := rand.New(rand.NewPCG(19, 5))
	for _, test := range []struct {
		name   string
		growth float64
		// wrong is a reason that is wrong, which may be given so often of all times, and right one that has to be given so often.
		wrong, right    string
		atMost, atLeast float64
		// undecidedAtMost is how often neither may be given.
		undecidedAtMost float64
	}{
		{"at a limit", 1, v1alpha1.BoundLatency, v1alpha1.BoundStorage, 0.001, 0.83, 0.17},
		{"far from any", 2, v1alpha1.BoundStorage, v1alpha1.BoundLatency, 0, 0.999, 0.001},
		{"at 60 % of a limit", 1 / 0.6, v1alpha1.BoundStorage, v1alpha1.BoundLatency, 0.0001, 0.99, 0.01},
	} {
		said := map[string]float64{}
		for range times {
			said[probedBound(random, test.growth)] += 1. / times
		}
		t.Logf("%s: %v", test.name, said)
		if said[test.wrong] > test.atMost || said[test.right] < test.atLeast || said[v1alpha1.BoundUnknown] > test.undecidedAtMost {
			t.Errorf("%s: %v, want %s in at most %v, %s in at least %v, and undecided in at most %v", test.name, said, test.wrong, test.atMost, test.right, test.atLeast, test.undecidedAtMost)
		}
	}
}
