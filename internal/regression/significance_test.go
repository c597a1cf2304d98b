package regression

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLasts(t *testing.T) {
	for _, row := range []struct {
		name  string
		right []float64
		want  bool
	}{
		{"a step", []float64{1, 0.9, 1.1}, true},
		{"a step with noise", []float64{0.6, 1.4, 1}, true},
		{"one of three is back", []float64{1, 0.1, 1}, false},
		{"it fades away", []float64{2, 1.1, 0.6}, false},
		{"it grows", []float64{0.6, 1.1, 2}, true},
		{"one of five is back", []float64{1, 1, 0.1, 1, 1}, true},
		{"two of five are back", []float64{1, 0.1, 0.1, 1, 1}, false},
		{"the last of five is back", []float64{1, 1, 1, 1, 0.1}, false},
		{"the last of six is back", []float64{1, 1, 1, 1, 1, 0.1}, true},
		{"the other way", []float64{-1, -1, -1}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := lasts([]float64{0, 0, 0}, row.right, 1); got != row.want {
				t.Errorf("lasts: %v, want %v", got, row.want)
			}
		})
	}
}

// TestVariances: what is counted is what the formulas say, by sums over all pairs of values.
func TestVariances(t *testing.T) {
	covariance := func(i, j int) float64 { return math.Pow(likeness, math.Abs(float64(i-j))) }
	for _, row := range [][2]int{{1, 1}, {3, 30}, {30, 3}, {8, 5}} {
		m, n := row[0], row[1]
		weights := make([]float64, m+n)
		for i := range weights {
			weights[i] = 1 / float64(n)
			if i < m {
				weights[i] = -1 / float64(m)
			}
		}
		want := 0.0
		for i, a := range weights {
			for j, b := range weights {
				want += a * b * covariance(i, j)
			}
		}
		if got := differenceVariance(m, n); math.Abs(got-want) > 1e-9 {
			t.Errorf("after %d and %d runs %f, want %f", m, n, got, want)
		}
	}
}

// TestMostDivergent: by the sums of a table it is what the definition says.
func TestMostDivergent(t *testing.T) {
	const start, end, least = 2, 20, 8
	random := rand.New(rand.NewPCG(9, 10))
	for i := range 50 {
		values := noises[1].logarithms(random, end, 1)
		tau, until, found := newDistances(values).mostDivergent(start, end, least)
		wantTau, wantUntil := byDefinition(values, start, end, least)
		if !found || tau != wantTau || until != wantUntil {
			t.Errorf("%d: divided at %d until %d, want %d until %d", i, tau, until, wantTau, wantUntil)
		}
	}
}

// byDefinition returns what mostDivergent does, by the formula of Matteson and James.
func byDefinition(values []float64, start, end, least int) (tau, until int) {
	distance := func(a, b []float64) float64 {
		sum := 0.0
		for _, x := range a {
			for _, y := range b {
				sum += math.Abs(x - y)
			}
		}
		return sum
	}
	best := math.Inf(-1)
	for t := start + least; t+leastAfter <= end; t++ {
		for e := t + leastAfter; e <= end; e++ {
			x, y := values[start:t], values[t:e]
			m, n := float64(len(x)), float64(len(y))
			q := m * n / (m + n) * (2*distance(x, y)/(m*n) - distance(x, x)/(m*(m-1)) - distance(y, y)/(n*(n-1)))
			if q > best {
				best, tau, until = q, t, e
			}
		}
	}
	return tau, until
}
