package merge

import (
	"math"
	"math/big"
	"slices"

	"github.com/storagebench/storagebench/internal/digest"
)

// mergeLatencies pools means and deviations by the numbers of operations, as fio does it. It sets none if a client has no
// latency, or none that says of how many operations it is.
func mergeLatencies(merged *digest.Figures, all []*digest.Figures) {
	if slices.ContainsFunc(all, func(f *digest.Figures) bool { return f.Latency == nil || f.LatencyCount == 0 }) {
		return
	}
	count := func(f *digest.Figures) int64 { return f.LatencyCount }
	merged.SetLatency(sum(all, count), weightedMean(all, meanOf, count), pooledDeviation(all))
	merged.Latency.SubmissionNanoseconds = weightedMean(all, submissionOf, count)
}

func meanOf(f *digest.Figures) int64 { return f.Latency.MeanNanoseconds }

func submissionOf(f *digest.Figures) int64 { return f.Latency.SubmissionNanoseconds }

// pooledDeviation returns the standard deviation of all samples together, to the nearest nanosecond. The squares of
// all differences from the common mean are those from the samples' own means, (n-1)s*s of each, and those of the
// means: the sum of n*m*m less the square of the sum of n*m over the number N of all operations.
func pooledDeviation(samples []*digest.Figures) int64 {
	number, total, squares := new(big.Int), new(big.Int), new(big.Int)
	for _, f := range samples {
		n, mean, deviation := big.NewInt(f.LatencyCount), big.NewInt(meanOf(f)), big.NewInt(f.Latency.StddevNanoseconds)
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
