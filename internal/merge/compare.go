package merge

import (
	"math"
	"math/big"
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
)

// Group is when the clients measured one of the report's groups.
type Group struct {
	// StartSkewMilliseconds is how much later than the first client the last one began, by the clocks of their
	// nodes; nil if one of them does not say when.
	StartSkewMilliseconds *int64
	// CommonMilliseconds is how long all clients ran at the same time, 0 if they never did: from the latest start
	// to the earliest end or, where a start is not known, the shortest elapsed time.
	CommonMilliseconds int64
}

func timesOf(groups []*digest.Group) Group {
	return Group{StartSkewMilliseconds: startSkew(groups), CommonMilliseconds: commonTime(groups)}
}

func start(g *digest.Group) int64 { return g.JobStart }

// earliestStart returns 0 if a client does not say when it began.
func earliestStart(groups []*digest.Group) int64 { return least(groups, start) }

func startSkew(groups []*digest.Group) *int64 {
	earliest := earliestStart(groups)
	if earliest == 0 {
		return nil
	}
	return new(greatest(groups, start) - earliest)
}

func commonTime(groups []*digest.Group) int64 {
	if earliestStart(groups) == 0 {
		return least(groups, func(g *digest.Group) int64 { return g.ElapsedMilliseconds })
	}
	end := least(groups, func(g *digest.Group) int64 { return add(g.JobStart, g.ElapsedMilliseconds) })
	return max(0, end-greatest(groups, start))
}

// spread returns how far the rates of the clients lie apart, nil of operations that have none. A client without such
// operations has a rate of 0.
func spread(groups []*digest.Group, operation string) *v1alpha1.ClientSpread {
	if operation == v1alpha1.OperationSync {
		return nil
	}
	rate := func(g *digest.Group) int64 {
		if f := g.Of(operation); f != nil {
			return f.MilliIOPS
		}
		return 0
	}
	return &v1alpha1.ClientSpread{
		MinMilliIOPS: least(groups, rate), MaxMilliIOPS: greatest(groups, rate),
		CoefficientOfVariation: strconv.FormatFloat(variation(groups, rate), 'f', 3, 64),
	}
}

// variation returns the coefficient of variation: the standard deviation of the clients' rates, as of a sample, over their
// mean. It is from 0, also of a single client or where all stood still, to the root of the number of clients.
//
// It computes n(n*Q-S*S) / ((n-1)S*S), the variance over the square of the mean, from the sum S and the sum
// of squares Q in integers: so it is exact up to the root, in whatever order.
func variation[T any](all []T, of func(T) int64) float64 {
	total, squares := new(big.Int), new(big.Int)
	for _, one := range all {
		x := big.NewInt(of(one))
		total.Add(total, x)
		squares.Add(squares, x.Mul(x, x))
	}
	if len(all) < 2 || total.Sign() == 0 {
		return 0
	}
	n, square := big.NewInt(int64(len(all))), total.Mul(total, total)
	excess := squares.Mul(squares, n).Sub(squares, square)
	ratio, _ := new(big.Rat).SetFrac(excess.Mul(excess, n), square.Mul(square, big.NewInt(int64(len(all)-1)))).Float64()
	return math.Sqrt(ratio)
}
