package series

import (
	"math/rand/v2"
	"testing"
)

// declining returns rates of so many seconds that fall by a share from the start to the end.
func declining(random *rand.Rand, seconds int, share, deviation, alike float64) []float64 {
	rates := alikeNoise(random, seconds, deviation, alike)
	for i := range rates {
		rates[i] *= 3000 * (1 - share*float64(i)/float64(seconds-1))
	}
	return rates
}

// TestSlowFall: the shares of runs in which a slow decline is found are those that docs/results.md has.
func TestSlowFall(t *testing.T) {
	t.Parallel()
	const runs = 200
	random := rand.New(rand.NewPCG(17, 18))
	for _, tt := range []struct {
		seconds                 int
		share, deviation, alike float64
		least                   int // percent
	}{
		{60, 0.3, 0.01, 0, 99},
		{60, 0.4, 0.01, 0, 99},
		{60, 0.4, 0.1, 0, 95},
		{60, 0.4, 0.1, 0.8, 20},
		{60, 0.8, 0.1, 0, 99},
		{60, 0.8, 0.1, 0.8, 85},
		{300, 0.3, 0.1, 0, 95},
		{300, 0.4, 0.1, 0, 99},
		{300, 0.4, 0.1, 0.8, 75},
		{300, 0.4, 0.4, 0, 5},
		{300, 0.8, 0.4, 0, 99},
		{300, 0.8, 0.1, 0.8, 99},
	} {
		found := 0
		for range runs {
			if s := summaryOf(declining(random, tt.seconds, tt.share, tt.deviation, tt.alike)); s.Fall != nil {
				found++
			}
		}
		percent := 100 * found / runs
		t.Logf("%+v: found in %d %%", tt, percent)
		if percent < tt.least {
			t.Errorf("%+v: found in %d %%", tt, percent)
		}
	}
}

// TestSlowFallOnNoise: at most 1 % of stationary runs have a slow fall, also where seconds are like the ones before.
func TestSlowFallOnNoise(t *testing.T) {
	t.Parallel()
	const runs = 1000
	random := rand.New(rand.NewPCG(19, 20))
	for _, alike := range []float64{0, 0.5, 0.8, 0.9, 0.95} {
		for _, deviation := range []float64{0.05, 0.2, 0.4} {
			for _, seconds := range []int{30, 60, 300} {
				falls := 0
				for range runs {
					if slowFallOf(alikeNoise(random, seconds, deviation, alike)) != nil {
						falls++
					}
				}
				if falls > 0 {
					t.Logf("%.2f alike, %.0f %%, %d s: %d of %d runs", alike, 100*deviation, seconds, falls, runs)
				}
				if falls > runs/100 {
					t.Errorf("%.2f alike, %.0f %%, %d s: %d of %d runs", alike, 100*deviation, seconds, falls, runs)
				}
			}
		}
	}
}

// TestSlowFallIsOfTheWholeRun: what is told of a slow fall are the first and the last tenth, and no second.
func TestSlowFallIsOfTheWholeRun(t *testing.T) {
	t.Parallel()
	s := summaryOf(declining(rand.New(rand.NewPCG(1, 2)), 300, 0.4, 0.02, 0))
	if s.Fall == nil || s.Fall.Seconds != 0 || s.Fall.Before != s.FirstTenth || s.Fall.After != s.LastTenth {
		t.Errorf("got %+v, want a fall at 0 from %.0f to %.0f", s.Fall, s.FirstTenth, s.LastTenth)
	}
}
