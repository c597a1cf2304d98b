package merge

import (
	"math"
	"math/big"
)

// add returns the sum of two figures that are not negative, at most the largest int64.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func sum[T any](all []T, of func(T) int64) int64 {
	total := int64(0)
	for _, one := range all {
		total = add(total, of(one))
	}
	return total
}

// sumOfKnown returns 0, which stands for what is not known, if one is not known.
func sumOfKnown[T any](all []T, of func(T) int64) int64 {
	if least(all, of) == 0 {
		return 0
	}
	return sum(all, of)
}

// least returns the least figure of at least one.
func least[T any](all []T, of func(T) int64) int64 {
	lowest := of(all[0])
	for _, one := range all[1:] {
		lowest = min(lowest, of(one))
	}
	return lowest
}

// greatest returns the greatest figure of at least one.
func greatest[T any](all []T, of func(T) int64) int64 {
	highest := of(all[0])
	for _, one := range all[1:] {
		highest = max(highest, of(one))
	}
	return highest
}

// weightedMean returns the mean to the nearest integer, or 0 if the weights are all 0. It counts in integers of any
// size, so that neither the order nor the size of the figures matters.
func weightedMean[T any](all []T, of, weight func(T) int64) int64 {
	total, weights := new(big.Int), new(big.Int)
	for _, one := range all {
		w := big.NewInt(weight(one))
		weights.Add(weights, w)
		total.Add(total, w.Mul(w, big.NewInt(of(one))))
	}
	if weights.Sign() == 0 {
		return 0
	}
	// Half of the divisor turns the quotient, which is cut off, into one that is rounded.
	total.Lsh(total, 1).Add(total, weights)
	return total.Quo(total, weights.Lsh(weights, 1)).Int64()
}
