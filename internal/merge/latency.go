package merge

import (
	"math"
	"math/big"

	"github.com/storagebench/storagebench/internal/digest"
)

// mergeLatencies pools means and deviations by the numbers of I/Os, as fio does it. It returns nil if a direction has
// no latency, or none that says of how many I/Os it is.
func mergeLatencies(all []*digest.Direction) *digest.Latency {
	latencies := make([]*digest.Latency, len(all))
	for i, d := range all {
		if d.Latency == nil || d.Latency.Count == 0 {
			return nil
		}
		latencies[i] = d.Latency
	}
	count := func(l *digest.Latency) int64 { return l.Count }
	return &digest.Latency{
		Count:  sum(latencies, count),
		Mean:   weightedMean(latencies, func(l *digest.Latency) int64 { return l.Mean }, count),
		Stddev: pooledDeviation(latencies),
	}
}

// pooledDeviation returns the standard deviation of all samples together, to the nearest nanosecond. The squares of
// all differences from the common mean are those from the samples' own means, (n-1)s*s of each, and those of the
// means: the sum of n*m*m less the square of the sum of n*m over the number N of all I/Os.
func pooledDeviation(samples []*digest.Latency) int64 {
	number, total, squares := new(big.Int), new(big.Int), new(big.Int)
	for _, l := range samples {
		n, mean, deviation := big.NewInt(l.Count), big.NewInt(l.Mean), big.NewInt(l.Stddev)
		number.Add(number, n)
		weighted := new(big.Int).Mul(n, mean)
		total.Add(total, weighted)
		squares.Add(squares, weighted.Mul(weighted, mean))
		within := deviation.Mul(deviation, deviation)
		squares.Add(squares, within.Mul(within, n.Sub(n, big.NewInt(1))))
	}
	variance := new(big.Rat).SetFrac(total.Mul(total, total), number)
	variance.Sub(new(big.Rat).SetInt(squares), variance)
	number.Sub(number, big.NewInt(1))
	if number.Sign() == 0 {
		return 0
	}
	variance.Quo(variance, new(big.Rat).SetInt(number))
	return root(variance)
}

// root returns the square root to the nearest integer, at most the largest int64.
func root(r *big.Rat) int64 {
	f, _ := r.Float64()
	if f = math.Round(math.Sqrt(f)); f < math.MaxInt64 {
		return int64(f)
	}
	return math.MaxInt64
}
