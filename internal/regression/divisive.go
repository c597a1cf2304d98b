package regression

import (
	"math"
	"slices"
	"sync"
)

// distances has the sums of distances between values, so that those between any two ranges of them are found at once.
type distances struct {
	n    int
	sums []float64 // of the distances of the first i values to the first j values
}

// used are those that are not needed any more: of a large history there are thousands, one after the other.
var used sync.Pool

func newDistances(values []float64) *distances {
	d, ok := used.Get().(*distances)
	if !ok {
		d = &distances{}
	}
	d.n = len(values)
	d.sums = slices.Grow(d.sums[:0], (d.n+1)*(d.n+1))[:(d.n+1)*(d.n+1)]
	clear(d.row(0))
	for i, v := range values {
		before, row, sum := d.row(i), d.row(i+1), 0.0
		row[0] = 0
		for j, other := range values {
			sum += math.Abs(v - other)
			row[j+1] = before[j+1] + sum
		}
	}
	return d
}

// free gives back what is not needed any more.
func (d *distances) free() { used.Put(d) }

// mostDivergent returns where the values from start to end divide best, tau, and the end up to which what follows is alike. Before
// it are at least so many values, after it leastAfter. Found is false where there are too few.
//
// Best is where the divergence Q of Matteson and James is greatest, with exponent 1: it is from the mean distance of values of one side to
// those of the other, less those of the values of each side to each other.
func (d *distances) mostDivergent(start, end, least int) (tau, until int, found bool) {
	best := math.Inf(-1)
	first := d.row(start)
	for t := start + least; t+leastAfter <= end; t++ {
		row, m := d.row(t), float64(t-start)
		left := (row[t] - 2*first[t] + first[start]) / (m * (m - 1))
		for e := t + leastAfter; e <= end; e++ {
			n := float64(e - t)
			across := (row[e] - first[e] - row[t] + first[t]) / (m * n)
			right := (d.sums[e*(d.n+1)+e] - 2*row[e] + row[t]) / (n * (n - 1))
			if q := m * n / (m + n) * (2*across - left - right); q > best {
				best, tau, until, found = q, t, e, true
			}
		}
	}
	return tau, until, found
}

// row has the sums of the distances of the first i values to the first values, by how many these are.
func (d *distances) row(i int) []float64 { return d.sums[i*(d.n+1) : (i+1)*(d.n+1)] }
