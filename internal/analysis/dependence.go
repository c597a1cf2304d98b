package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Runs of one volume can depend on each other: a neighbour that stays for some repetitions slows all of them. Then they
// tell less than as many independent runs, and their spread is smaller than the error of their mean. Both are estimated for
// a target over all its rows, because one row has too few repetitions. The model is AR(1): a repetition is like the one
// before it by the autocorrelation.

const (
	// dependenceRuns is the fewest repetitions from which on a dependence can be found: fewer have too few orders.
	dependenceRuns = 6
	// dependenceLevel is how often a dependence may be found by chance in a benchmark.
	dependenceLevel = 0.01
	// orders is how many orders of the repetitions are tried. The seed makes the same results give the same verdicts.
	orders, ordersSeed = 5000, 44
	// mostAlike is the largest autocorrelation that is believed.
	mostAlike = 0.9
)

// dependence is the autocorrelation of a target's repetitions, 0 where none was found.
type dependence float64

// dependenceOf looks for a dependence of a target's repetitions, over all rows that have all of them. among is the number
// of targets that are looked at.
func dependenceOf(groups []*group, target string, among int) dependence {
	products := productsOf(groups, target)
	n := len(products)
	if n < dependenceRuns || !isOrdered(products, dependenceLevel/float64(among)) {
		return 0
	}
	return autocorrelation(products)
}

// productsOf returns the sums over all rows of the products of what repetitions differ by from the row's mean, in the
// row's standard deviations.
func productsOf(groups []*group, target string) [][]float64 {
	n := 0
	for _, g := range groups {
		n = max(n, len(g.results[target]))
	}
	products := make([][]float64, n)
	for i := range products {
		products[i] = make([]float64, n)
	}
	for _, g := range groups {
		residuals := residualsOf(g.results[target])
		if len(residuals) != n {
			continue
		}
		for i, a := range residuals {
			for j, b := range residuals {
				products[i][j] += a * b
			}
		}
	}
	return products
}

// residualsOf returns by how many standard deviations the logarithms of rates differ from their mean. It returns none
// where a run has no rate, or the rates do not vary.
func residualsOf(results []*v1alpha1.Result) []float64 {
	rates := allPerThousandSeconds(results)
	if len(rates) == 0 || slices.Min(rates) <= 0 {
		return nil
	}
	residuals := make([]float64, len(rates))
	for i, rate := range rates {
		residuals[i] = math.Log(float64(rate))
	}
	mean, squares := meanAndSquares(residuals)
	deviation := math.Sqrt(squares / float64(len(rates)))
	if deviation < leastDeviation {
		return nil
	}
	for i := range residuals {
		residuals[i] = (residuals[i] - mean) / deviation
	}
	return residuals
}

// isOrdered reports whether repetitions that follow each other are so alike as in few other orders of them. All rows are
// put in the same order, so that what a repetition's runs have in common is no evidence.
func isOrdered(products [][]float64, level float64) bool {
	order := make([]int, len(products))
	for i := range order {
		order[i] = i
	}
	own, alike := neighbours(products, order), 1
	random := rand.New(rand.NewPCG(ordersSeed, uint64(len(products)))) //nolint:gosec // the same orders each time, and no secret
	for range orders {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		if neighbours(products, order) >= own {
			alike++
		}
	}
	return own > 0 && float64(alike)/(orders+1) <= level
}

// neighbours adds up the products of repetitions that follow each other in an order.
func neighbours(products [][]float64, order []int) float64 {
	sum := 0.0
	for i := 1; i < len(order); i++ {
		sum += products[order[i-1]][order[i]]
	}
	return sum
}

// autocorrelation returns the autocorrelation with which the ratio of the products is expected. Residuals from a mean of
// few runs look less alike than the runs are.
func autocorrelation(products [][]float64) dependence {
	follow, own := 0.0, 0.0
	for i := range products {
		own += products[i][i]
		if i > 0 {
			follow += products[i-1][i]
		}
	}
	low, high := 0.0, mostAlike
	for range 30 {
		middle := (low + high) / 2
		if expectedRatio(middle, len(products)) < follow/own {
			low = middle
		} else {
			high = middle
		}
	}
	return dependence(low)
}

// expectedRatio returns the ratio of the products of following residuals to the squares of residuals that runs with an
// autocorrelation have.
func expectedRatio(phi float64, n int) float64 {
	rows, all := make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			rows[i] += math.Pow(phi, math.Abs(float64(i-j))) / float64(n)
		}
		all += rows[i] / float64(n)
	}
	follow, own := 0.0, 0.0
	for i := range n {
		own += 1 - 2*rows[i] + all
		if i > 0 {
			follow += phi - rows[i-1] - rows[i] + all
		}
	}
	return follow / own
}

// worth returns as how many independent runs n runs count.
func (d dependence) worth(n int) float64 {
	sum := 1.0
	for lag := 1; lag < n; lag++ {
		sum += 2 * (1 - float64(lag)/float64(n)) * math.Pow(float64(d), float64(lag))
	}
	return float64(n) / sum
}

// widen returns moments of n values as they are if the values depend on each other: the variance of the mean is larger,
// and the spread from which it was estimated smaller.
func (d dependence) widen(m moments, n int) moments {
	if d == 0 {
		return m
	}
	worth := d.worth(n)
	spread := (float64(n) - float64(n)/worth) / float64(n-1) // of the variance, by which residuals vary
	m.variance *= float64(n) / worth / spread
	m.freedom = max(m.freedom*(worth-1)/float64(n-1), 1)
	return m
}

// text says what a dependence means for n runs.
func (d dependence) text(n int) string {
	return fmt.Sprintf("runs depend on each other (autocorrelation %.1f between repetitions): %d count as %.1f independent ones, and the intervals are wider by that",
		float64(d), n, d.worth(n))
}
