package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// persistent are runs of two equal targets whose repetitions are like the ones before them by an autocorrelation: each row
// on its own, or all rows of a target together.
func persistent(random *rand.Rand, phi float64, together bool, rows, repetitions int) []v1alpha1.Run {
	shared := map[string][]float64{"base": walk(random, phi, repetitions), "own": walk(random, phi, repetitions)}
	var runs []v1alpha1.Run
	for row := range rows {
		for _, target := range []string{"base", "own"} {
			own := walk(random, phi, repetitions)
			for i := range repetitions {
				z := own[i]
				if together {
					z = (shared[target][i] + 0.5*random.NormFloat64()) / math.Sqrt(1.25)
				}
				iops := int64(math.Round(1e5 * math.Exp(deviation*z)))
				r := run(target, v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, MilliIOPS: 1000 * iops}}})
				r.Parameters, r.Repetition = map[string]string{"bs": strconv.Itoa(row)}, int32(i)+1
				runs = append(runs, r)
			}
		}
	}
	return runs
}

// walk is noise of standard deviation 1 with an autocorrelation.
func walk(random *rand.Rand, phi float64, n int) []float64 {
	all, x := make([]float64, n), random.NormFloat64()
	for i := range all {
		all[i] = x
		x = phi*x + math.Sqrt(1-phi*phi)*random.NormFloat64()
	}
	return all
}

// TestDependenceInSimulation: a dependence that is not there is found in 1 % of benchmarks at most, also where rows share
// their noise. Where it is found, fewer benchmarks are wrong: without it 81 % and 89 % of the last two are.
func TestDependenceInSimulation(t *testing.T) {
	for _, test := range []struct {
		phi               float64
		together          bool
		rows, repetitions int
		benchmarks        int
		// most is how many benchmarks may be wrong, and found how many have the warning: at most where phi is 0, else at least.
		most, found float64
	}{
		{0, false, 1, 6, 600, 0.05, 0.01},
		{0, false, 4, 10, 300, 0.05, 0.01},
		{0, true, 4, 6, 300, 0.05, 0.01},
		{0, true, 4, 20, 300, 0.05, 0.01},
		{0.8, false, 4, 10, 100, 0.2, 0.8},
		{0.8, false, 4, 20, 100, 0.2, 0.9},
	} {
		t.Run(fmt.Sprintf("%v, together %t, %d rows of %d", test.phi, test.together, test.rows, test.repetitions), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(46, uint64(test.repetitions)))
			wrong, told := 0, 0
			for range test.benchmarks {
				isWrong, isTold := false, false
				for _, c := range Compare(persistent(random, test.phi, test.together, test.rows, test.repetitions), []string{"base", "own"}, "base") {
					isWrong = isWrong || isFound(c.Targets[1].Of(v1alpha1.OperationWrite).Verdict())
					for i := range c.Targets {
						for _, w := range c.Targets[i].Warnings {
							isTold = isTold || w.Reason == v1alpha1.WarningDependentRuns
						}
					}
				}
				if isWrong {
					wrong++
				}
				if isTold {
					told++
				}
			}
			n := float64(test.benchmarks)
			t.Logf("%.1f %% of benchmarks are wrong, %.1f %% have the warning", 100*float64(wrong)/n, 100*float64(told)/n)
			if float64(wrong) > n*(test.most+tolerance(test.most, test.benchmarks)) {
				t.Errorf("%d of %d benchmarks are wrong", wrong, test.benchmarks)
			}
			if test.phi == 0 && float64(told) > n*(test.found+tolerance(test.found, test.benchmarks)) || test.phi > 0 && float64(told) < n*test.found {
				t.Errorf("%d of %d benchmarks have the warning", told, test.benchmarks)
			}
		})
	}
}

// TestWorth: runs that depend on each other count as fewer, and independent ones as they are.
func TestWorth(t *testing.T) {
	for _, test := range []struct {
		d    dependence
		n    int
		want float64
	}{{0, 6, 6}, {0.5, 2, 4.0 / 3}, {0.9, 6, 1.22}} {
		if got := test.d.worth(test.n); math.Abs(got-test.want) > 0.01 {
			t.Errorf("%d runs with an autocorrelation of %v count as %.3f, want %.3f", test.n, float64(test.d), got, test.want)
		}
	}
}
