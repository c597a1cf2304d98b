package merge

import (
	"iter"
	"math"
	"math/big"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/direction"
)

// Group is how the clients differ in one of the report's groups.
type Group struct {
	// StartSkewMilliseconds is how much later than the first client the last one began, by the clocks of their
	// nodes; nil if one of them does not say when.
	StartSkewMilliseconds *int64
	// CommonMilliseconds is how long all clients ran at the same time, 0 if they never did: from the latest start
	// to the earliest end or, where a start is not known, the shortest elapsed time.
	CommonMilliseconds int64
	// Read, Write and Trim are nil where no client did such I/O.
	Read, Write, Trim *Spread
	// Metadata is about operations on files, nil where no client had any.
	Metadata *Spread
}

// Directions yields how the clients differ in each direction in which one had I/O, by the names of internal/direction.
func (g *Group) Directions() iter.Seq2[string, *Spread] {
	return direction.Present(g.Read, g.Write, g.Trim)
}

// Spread is how far the clients' rates lie apart. A client without such I/O has a rate of 0.
type Spread struct {
	// MinMilliIOPS and MaxMilliIOPS are the slowest and the fastest client's, in thousandths of an I/O per second.
	MinMilliIOPS, MaxMilliIOPS int64
	// Variation is the coefficient of variation: the standard deviation of the clients' rates, as of a sample,
	// over their mean. It is from 0, also of a single client or where all stood still, to the root of the number
	// of clients.
	Variation float64
}

func compareGroups(groups []*digest.Group) Group {
	return Group{
		StartSkewMilliseconds: startSkew(groups),
		CommonMilliseconds:    commonTime(groups),
		Read:                  newSpread(groups, direction.Read),
		Write:                 newSpread(groups, direction.Write),
		Trim:                  newSpread(groups, direction.Trim),
		Metadata:              metadataSpread(groups),
	}
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

func newSpread(groups []*digest.Group, name string) *Spread {
	if len(directions(groups, name)) == 0 {
		return nil
	}
	return spreadOf(groups, func(g *digest.Group) int64 {
		if d := g.Direction(name); d != nil {
			return d.MilliIOPS
		}
		return 0
	})
}

// spreadOf returns how the clients differ in a rate.
func spreadOf(groups []*digest.Group, rate func(*digest.Group) int64) *Spread {
	return &Spread{MinMilliIOPS: least(groups, rate), MaxMilliIOPS: greatest(groups, rate), Variation: variation(groups, rate)}
}

// variation computes n(n*Q-S*S) / ((n-1)S*S), the variance over the square of the mean, from the sum S and the sum
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
