package regression

import (
	"math"
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
	values := noises[1].logarithms(newPast().random, 20, 1)
	for i := 14; i < 18; i++ {
		values[i] += 6
	}
	distance := func(a, b []float64) float64 {
		sum := 0.0
		for _, x := range a {
			for _, y := range b {
				sum += math.Abs(x - y)
			}
		}
		return sum
	}
	best, wantTau, wantUntil := math.Inf(-1), 0, 0
	for tau := 2 + 8; tau+3 <= 20; tau++ {
		for end := tau + 3; end <= 20; end++ {
			x, y := values[2:tau], values[tau:end]
			m, n := float64(len(x)), float64(len(y))
			q := m * n / (m + n) * (2*distance(x, y)/(m*n) - distance(x, x)/(m*(m-1)) - distance(y, y)/(n*(n-1)))
			if q > best {
				best, wantTau, wantUntil = q, tau, end
			}
		}
	}
	tau, until, found := newDistances(values).mostDivergent(2, 20, 8)
	if !found || tau != wantTau || until != wantUntil {
		t.Errorf("divided at %d until %d, want %d until %d", tau, until, wantTau, wantUntil)
	}
	if wantTau != 14 || wantUntil != 18 {
		t.Errorf("the definition divides at %d until %d: not what is to be tested", wantTau, wantUntil)
	}
}
