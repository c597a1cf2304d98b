package regression

import (
	"fmt"
	"math"
	"testing"
)

// partly is a regression of only some runs: each is bad with a probability.
type partly struct {
	before, after, figures int
	share, ratio           float64
}

// found returns how often the regression is open after its last run: by the level alone, and by bad runs as well. The
// runs vary by 3 %.
func (p partly) found(seed uint64, m noiseModel, tries int) (byLevel, either float64) {
	r := random(seed, "partly", m.name, p)
	alpha := alphaOf(p.figures)
	for range tries {
		values := m.logarithms(r, p.before+p.after, 0.03)
		for i := range p.after {
			if r.Float64() < p.share {
				values[p.before+i] += math.Log(p.ratio)
			}
		}
		changes := detect(values, alpha, mostChanges)
		if isWorse(values, changes) {
			byLevel++
		}
		if isToldWorse(values, changes, alpha) {
			either++
		}
	}
	return byLevel / float64(tries), either / float64(tries)
}

// TestPartlyWorseIsFound counts how often regressions of some runs are found. The test of levels alone finds the first
// row in 0 of 100 cases and the second one in 30.
func TestPartlyWorseIsFound(t *testing.T) {
	for _, row := range []struct {
		partly
		least float64
	}{
		{partly{before: 45, after: 30, figures: 1, share: 0.5, ratio: 3}, 0.85},
		{partly{before: 45, after: 30, figures: 1, share: 0.75, ratio: 3}, 0.95},
		{partly{before: 45, after: 45, figures: 40, share: 0.75, ratio: 1.3}, 0.85},
		{partly{before: 45, after: 45, figures: 1, share: 0.25, ratio: 3}, 0.35},
	} {
		for _, m := range noises[:2] {
			byLevel, found := row.found(testSeed, m, 200)
			t.Logf("%s %+v: %.0f %% by the level, %.0f %% together", m.name, row.partly, 100*byLevel, 100*found)
			if found < row.least {
				t.Errorf("%s: %+v is found in %.0f %% of cases, less than %.0f %%", m.name, row.partly, 100*found, 100*row.least)
			}
		}
	}
}

// partlyTable prints how often regressions of some runs are found, by the level alone and by bad runs as well.
func partlyTable(seed uint64) {
	runs := []int{6, 12, 20, 30, 45}
	fmt.Printf("\n3 times as slow, 45 runs before, by levels alone -> and by bad runs\n\n| bad runs | figures |")
	for _, n := range runs {
		fmt.Printf(" run %d |", n)
	}
	fmt.Println("\n|---|---|---|---|---|---|---|")
	for _, share := range []float64{0.25, 0.5, 0.75} {
		for _, figures := range []int{1, 40} {
			fmt.Printf("| %.0f %% | %d |", 100*share, figures)
			for _, n := range runs {
				level, either := partly{45, n, figures, share, 3}.found(seed, promised, 1000)
				fmt.Printf(" %.0f -> %.0f %% |", 100*level, 100*either)
			}
			fmt.Println()
		}
	}
}

// TestAtLeast holds the tail of the hypergeometric distribution to counts by hand: of 5 marked balls of 10, 3 draws.
func TestAtLeast(t *testing.T) {
	for k, want := range map[int]float64{0: 1, 1: 1 - 10.0/120, 2: 60.0 / 120, 3: 10.0 / 120, 4: 0} {
		if got := atLeast(k, 3, 5, 10); math.Abs(got-want) > 1e-9 {
			t.Errorf("at least %d: %v, want %v", k, got, want)
		}
	}
}

// TestOneStretchOfBadRuns: a neighbour that stayed for some runs is one event, however bad.
func TestOneStretchOfBadRuns(t *testing.T) {
	values := promised.logarithms(random(testSeed, "stretch"), 80, 0.03)
	for i := 60; i < 75; i++ {
		values[i] += math.Log(3)
	}
	if b := goodness(1).badRunsSince(values, 0, weak); b != nil {
		t.Errorf("one stretch of bad runs has p = %v", b.p)
	}
}
