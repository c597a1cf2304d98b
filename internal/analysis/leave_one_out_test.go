package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// numbered gives the runs of a simulation their repetitions.
func numbered(runs []v1alpha1.Run, repetitions int) []v1alpha1.Run {
	for i := range runs {
		runs[i].Repetition = int32(i/2%repetitions) + 1
	}
	return runs
}

// slowed makes one run of a target slower.
func slowed(runs []v1alpha1.Run, target string, repetition int32, times int64) []v1alpha1.Run {
	for i := range runs {
		if runs[i].Target == target && runs[i].Repetition == repetition {
			io := runs[i].Result.Of(v1alpha1.OperationWrite)
			io.MilliIOPS, io.BytesPerSecond = io.MilliIOPS/times, io.BytesPerSecond/times
		}
	}
	return runs
}

// half is a target that is 50 % faster, in standard deviations, and third one that is as much slower.
func half(int) float64  { return math.Log(1.5) / deviation }
func third(int) float64 { return -math.Log(1.5) / deviation }

func oneRunOf(runs []v1alpha1.Run) string {
	for _, w := range Compare(runs, []string{"base", "own"}, "base")[0].Targets[1].Warnings {
		if w.Reason == v1alpha1.WarningOneRun {
			return w.Message
		}
	}
	return ""
}

// TestOneBadRun: one run that is 3 or 5 times slower hides a difference of 50 % from Welch's test alone. Below 8
// repetitions that run is told, and from 8 on the verdict is as if it were not there.
func TestOneBadRun(t *testing.T) {
	for _, test := range []struct {
		repetitions int
		times       int64
		found, told float64
	}{
		{repetitions: 4, times: 3},
		{repetitions: 6, times: 3, told: 0.99},
		{repetitions: 8, times: 3, found: 0.99},
		{repetitions: 10, times: 5, found: 0.99},
		{repetitions: 12, times: 5, found: 0.99},
	} {
		for target, shift := range map[string]func(int) float64{"own": half, "base": third} {
			t.Run(fmt.Sprintf("%d repetitions, a run of %s %dx", test.repetitions, target, test.times), func(t *testing.T) {
				const tries = 200
				random := rand.New(rand.NewPCG(44, uint64(test.repetitions)))
				found, told, byWelch := 0, 0, 0
				for range tries {
					runs := numbered(simulated(random, noises["normal"], 1, test.repetitions, shift), test.repetitions)
					runs = slowed(runs, target, 3, test.times)
					message := oneRunOf(runs)
					if strings.HasPrefix(message, "one run hides a difference: without repetition 3") {
						told++
					}
					if isFound(verdictsOn(runs)[0]) {
						found++
					}
					own, base := ratesOf(runs, "own"), ratesOf(runs, "base")
					if welch := ratiosOf(own, base, rates, dependences{})[0]; welch.p()*welch.share < significance {
						byWelch++
					}
				}
				t.Logf("found in %d of %d, by Welch's test alone in %d; told in %d", found, tries, byWelch, told)
				if float64(found) < test.found*tries || float64(told) < test.told*tries || byWelch > tries/10 {
					t.Errorf("found in %d and told in %d of %d", found, told, tries)
				}
			})
		}
	}
}

func ratesOf(runs []v1alpha1.Run, target string) []int64 {
	var all []int64
	for i := range runs {
		if runs[i].Target == target {
			all = append(all, runs[i].Result.Of(v1alpha1.OperationWrite).MilliIOPS)
		}
	}
	return all
}

// TestOneRunIsSeldomToldByChance: where the targets are equal and runs vary alike, no more than 1 % of benchmarks say that
// one run hides a difference, with 1 verdict and with 24.
func TestOneRunIsSeldomToldByChance(t *testing.T) {
	for _, name := range []string{"normal", "skewed", "unequal variances", "drift that a repetition's runs share"} {
		for _, verdicts := range []int{1, 24} {
			t.Run(fmt.Sprintf("%s, %d verdicts", name, verdicts), func(t *testing.T) {
				t.Parallel()
				benchmarks := 3000 / verdicts
				random := rand.New(rand.NewPCG(45, uint64(verdicts)))
				told := 0
				for range benchmarks {
					comparisons := Compare(numbered(simulated(random, noises[name], verdicts, 6, none), 6), []string{"base", "own"}, "base")
					if slices.ContainsFunc(comparisons, func(c v1alpha1.Comparison) bool {
						return slices.ContainsFunc(c.Targets[1].Warnings, func(w v1alpha1.Warning) bool { return w.Reason == v1alpha1.WarningOneRun })
					}) {
						told++
					}
				}
				share := float64(told) / float64(benchmarks)
				t.Logf("%.2f %% of %d benchmarks", 100*share, benchmarks)
				if limit := 0.01 + tolerance(0.01, benchmarks); share > limit {
					t.Errorf("%.2f %% of benchmarks say that one run hides a difference, more than %.2f %%", 100*share, 100*limit)
				}
			})
		}
	}
}
