package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// deviation is the standard deviation of the logarithm of IOPS in simulations: 3 %.
const deviation = 0.03

// noise returns how far a run's result is from the truth, in standard deviations: of the target or its baseline, in a repetition, of which drift is
// a random number that its runs have in common.
type noise func(random *rand.Rand, isTarget bool, repetition int, drift float64) float64

var noises = map[string]noise{
	"normal": func(r *rand.Rand, _ bool, _ int, _ float64) float64 { return r.NormFloat64() },
	// Of 20 results one is of a distribution that is 5 times as wide.
	"outliers": func(r *rand.Rand, _ bool, _ int, _ float64) float64 {
		if r.IntN(20) == 0 {
			return 5 * r.NormFloat64()
		}
		return r.NormFloat64()
	},
	// Latencies have such a tail.
	"skewed": func(r *rand.Rand, _ bool, _ int, _ float64) float64 { return r.ExpFloat64() - 1 },
	"unequal variances": func(r *rand.Rand, isTarget bool, _ int, _ float64) float64 {
		if isTarget {
			return 5 * r.NormFloat64()
		}
		return r.NormFloat64()
	},
	"drift that a repetition's runs share": func(r *rand.Rand, _ bool, _ int, drift float64) float64 { return 2*drift + r.NormFloat64() },
	// Who comes second is slower by 2 standard deviations, and in each other repetition it is the other one.
	"position within a repetition": func(r *rand.Rand, isTarget bool, repetition int, _ float64) float64 {
		if isTarget == (repetition%2 == 0) {
			return r.NormFloat64() - 1
		}
		return r.NormFloat64() + 1
	},
	// This is where Welch's t-test is known to fail: more is found than there is. It is told, and held to nothing.
	"skewed, and unequal variances": func(r *rand.Rand, isTarget bool, _ int, _ float64) float64 {
		if isTarget {
			return 5 * (r.ExpFloat64() - 1)
		}
		return r.NormFloat64()
	},
}

// simulated are the runs of a benchmark of two targets with so many comparisons, in which the target's IOPS are as many standard deviations above
// the baseline's as shift says of each.
func simulated(random *rand.Rand, n noise, comparisons, repetitions int, shift func(comparison int) float64) []v1alpha1.Run {
	var runs []v1alpha1.Run
	for c := range comparisons {
		choice := map[string]string{"bs": strconv.Itoa(c)}
		for repetition := range repetitions {
			drift := random.NormFloat64()
			for _, target := range []string{"base", "own"} {
				z := n(random, target == "own", repetition, drift)
				if target == "own" {
					z += shift(c)
				}
				iops := int64(math.Round(1e5 * math.Exp(deviation*z)))
				r := run(target, v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, MilliIOPS: 1000 * iops, BytesPerSecond: 4096 * iops}}})
				r.Parameters = choice
				runs = append(runs, r)
			}
		}
	}
	return runs
}

// verdictsOn are those on the target in each comparison, as the product has them.
func verdictsOn(runs []v1alpha1.Run) []v1alpha1.Verdict {
	var all []v1alpha1.Verdict
	for _, c := range Compare(runs, []string{"base", "own"}, "base") {
		all = append(all, c.Targets[1].Of(v1alpha1.OperationWrite).Verdict())
	}
	return all
}

// isFound says whether a verdict is that there is a difference.
func isFound(v v1alpha1.Verdict) bool {
	return v == v1alpha1.VerdictFaster || v == v1alpha1.VerdictSlower
}

// none shifts no comparison.
func none(int) float64 { return 0 }

// tolerance is how far a share of so many benchmarks may be from its probability by chance: three standard deviations of the binomial distribution, which
// 1 of 700 simulations would exceed.
func tolerance(probability float64, benchmarks int) float64 {
	return 3 * math.Sqrt(probability*(1-probability)/float64(benchmarks))
}

// TestVerdictsInSimulation: where the targets are equal, at most 5 % of benchmarks of 24 verdicts have a wrong one, whatever results vary like.
func TestVerdictsInSimulation(t *testing.T) {
	t.Parallel()
	const benchmarks, verdicts, most = 500, 24, 0.05
	for name, n := range noises {
		for _, repetitions := range []int{4, 6} {
			t.Run(fmt.Sprintf("%s, %d repetitions", name, repetitions), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(19, uint64(repetitions)))
				wrong, same := 0, 0
				for range benchmarks {
					found := false
					for _, v := range verdictsOn(simulated(random, n, verdicts, repetitions, none)) {
						found = found || isFound(v)
						if v == v1alpha1.VerdictSame {
							same++
						}
					}
					if found {
						wrong++
					}
				}
				share := float64(wrong) / benchmarks
				t.Logf("%.1f %% of %d benchmarks have a wrong verdict among %d; %.0f %% of verdicts are Same", 100*share, benchmarks, verdicts, 100*float64(same)/benchmarks/verdicts)
				if limit := most + tolerance(most, benchmarks); share > limit && name != "skewed, and unequal variances" {
					t.Errorf("%.1f %% of benchmarks have a wrong verdict, more than %.1f %%", 100*share, 100*limit)
				}
			})
		}
	}
}

// TestAllFiguresInSimulation: of five targets beside one baseline the rule holds for the verdicts of rows, and for those of all other figures, of
// which some say the same and some vary on their own.
func TestAllFiguresInSimulation(t *testing.T) {
	const benchmarks, most = 300, 0.05
	random := rand.New(rand.NewPCG(19, 24))
	names := []string{"base", "a", "b", "c", "d", "e"}
	wrong := map[string]int{}
	for range benchmarks {
		found := map[string]bool{}
		for _, c := range Compare(alike(random, names), names, "base") {
			for _, target := range c.Targets[1:] {
				w := target.Of(v1alpha1.OperationWrite)
				found["rows"] = found["rows"] || isFound(w.Verdict())
				for _, s := range []*v1alpha1.Statistic{w.BytesPerSecond, w.MeanNanoseconds, w.P50Nanoseconds, w.P90Nanoseconds, w.P99Nanoseconds} {
					found["other figures"] = found["other figures"] || isFound(s.Verdict)
				}
			}
		}
		for what, is := range found {
			if is {
				wrong[what]++
			}
		}
	}
	for _, what := range []string{"rows", "other figures"} {
		share := float64(wrong[what]) / benchmarks
		t.Logf("%.1f %% of %d benchmarks have a wrong verdict among the %s", 100*share, benchmarks, what)
		if limit := most + tolerance(most, benchmarks); share > limit {
			t.Errorf("%.1f %% of benchmarks have a wrong verdict among the %s, more than %.1f %%", 100*share, what, 100*limit)
		}
	}
}

// alike are six runs of each of five workloads on targets that are all the same.
func alike(random *rand.Rand, targets []string) []v1alpha1.Run {
	var runs []v1alpha1.Run
	for workload := range 5 {
		for range 6 {
			for _, name := range targets {
				z, tail := random.NormFloat64(), random.NormFloat64()
				io := timed(int64(1e5*math.Exp(deviation*z)), int64(1e6*math.Exp(-deviation*z)))
				io.CompletionLatency.P99Nanoseconds = int64(1e7 * math.Exp(2*deviation*tail))
				r := run(name, v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationWrite))})
				r.Workload = strconv.Itoa(workload)
				runs = append(runs, r)
			}
		}
	}
	return runs
}

// TestDifferencesInSimulation: of two targets that are two standard deviations apart, a single verdict of 6 repetitions says so in at least 80 % of
// cases. What remains of that among 24 verdicts is told.
func TestDifferencesInSimulation(t *testing.T) {
	const repetitions, apart, least = 6, 2.0, 0.8
	for _, test := range []struct {
		name                 string
		benchmarks, verdicts int
		different            int
	}{
		{name: "a single verdict", benchmarks: 3000, verdicts: 1, different: 1},
		{name: "1 of 24 differs", benchmarks: 500, verdicts: 24, different: 1},
		{name: "12 of 24 differ", benchmarks: 200, verdicts: 24, different: 12},
		{name: "24 of 24 differ", benchmarks: 200, verdicts: 24, different: 24},
	} {
		t.Run(test.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(19, uint64(test.different)))
			found, wrong, of := 0, 0, 0
			for range test.benchmarks {
				all := verdictsOn(simulated(random, noises["normal"], test.verdicts, repetitions, func(c int) float64 {
					if c < test.different {
						return apart
					}
					return 0
				}))
				for i, v := range all {
					switch {
					case i < test.different && v == v1alpha1.VerdictFaster:
						found++
					case isFound(v):
						wrong++
					}
					of++
				}
			}
			share := float64(found) / float64(test.benchmarks*test.different)
			t.Logf("%.1f %% of differences of %.0f standard deviations are found by %d repetitions; %d of %d verdicts are wrong", 100*share, apart, repetitions, wrong, of)
			if test.verdicts == 1 && share < least {
				t.Errorf("%.1f %% are found, less than %.0f %%", 100*share, 100*least)
			}
		})
	}
}

// TestIntervalsInSimulation: the interval of a ratio has the true one in 95 % of cases, and a difference that is said to be detectable is found in
// 80 %.
func TestIntervalsInSimulation(t *testing.T) {
	const benchmarks = 2000
	for _, repetitions := range []int{4, 6, 12} {
		t.Run(fmt.Sprintf("%d repetitions", repetitions), func(t *testing.T) {
			random := rand.New(rand.NewPCG(19, uint64(repetitions)))
			truth := math.Exp(1.5 * deviation)
			covered := 0
			var detectable []float64
			for range benchmarks {
				s := Compare(simulated(random, noises["normal"], 1, repetitions, func(int) float64 { return 1.5 }), []string{"base", "own"}, "base")[0].Targets[1].Of(v1alpha1.OperationWrite).IOPS()
				low, high := parsed(t, s.RatioLow), parsed(t, s.RatioHigh)
				if low <= truth && truth <= high {
					covered++
				}
				if s.DetectablePercent > 0 {
					detectable = append(detectable, math.Log(1+float64(s.DetectablePercent)/100)/deviation)
				}
			}
			share := float64(covered) / benchmarks
			t.Logf("%.1f %% of intervals have the true ratio", 100*share)
			if limit := confidenceLevel - tolerance(confidenceLevel, benchmarks); share < limit {
				t.Errorf("%.1f %% of intervals have the true ratio, less than %.1f %%", 100*share, 100*limit)
			}
			// What was the difference that would have been found? On average over what was not shown.
			mean := 0.0
			for _, d := range detectable {
				mean += d / float64(len(detectable))
			}
			found := 0
			for range benchmarks {
				if isFound(verdictsOn(simulated(random, noises["normal"], 1, repetitions, func(int) float64 { return mean }))[0]) {
					found++
				}
			}
			t.Logf("%.1f %% of differences of %.2f standard deviations are found, which %d benchmarks call detectable", 100*float64(found)/benchmarks, mean, len(detectable))
			if share := float64(found) / benchmarks; share < power-0.05 {
				t.Errorf("%.1f %% are found", 100*share)
			}
		})
	}
}

func parsed(t *testing.T, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
