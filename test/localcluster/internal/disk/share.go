package disk

import "math"

const (
	// idlePart of all work is what a direction may do without a part of the budget of
	// its own: a write test reads a block of metadata now and then.
	idlePart = 0.02
	// leastPart of the budget is for each direction that does more, so that it can
	// show how much more it would do.
	leastPart = 1.0 / 32
)

// divide divides what a volume may do among its users, each a direction of a
// container, by what each was seen to do. The kernel holds each to its part.
func divide(total Rate, seen []Rate) []Rate {
	ios, bytes := make([]float64, len(seen)), make([]float64, len(seen))
	for i, s := range seen {
		ios[i], bytes[i] = s.IOs, s.Bytes
	}
	ios, bytes = parts(total.IOs, ios), parts(total.Bytes, bytes)
	divided := make([]Rate, len(seen))
	for i := range divided {
		divided[i] = Rate{IOs: ios[i], Bytes: bytes[i]}
	}
	return divided
}

// parts divides a total in proportion to what was seen. Who does nothing may do all:
// it gets its part as soon as it is seen to begin, and until then takes none.
func parts(total float64, seen []float64) []float64 {
	sum := 0.0
	for _, s := range seen {
		sum += s
	}
	var small, large []int
	largeSum := 0.0
	divided := make([]float64, len(seen))
	for i, s := range seen {
		switch {
		case s <= sum*idlePart:
			divided[i] = total
		case s < sum*leastPart:
			small = append(small, i)
		default:
			large = append(large, i)
			largeSum += s
		}
	}
	left := total * (1 - leastPart*float64(len(small)))
	for _, i := range small {
		divided[i] = total * leastPart
	}
	for _, i := range large {
		divided[i] = left * seen[i] / largeSum
	}
	return divided
}

// differ says whether any of two equally long rows of rates differs by more than a
// part of what it was.
func differ(was, is []Rate, part float64) bool {
	for i := range was {
		if math.Abs(is[i].IOs-was[i].IOs) > part*was[i].IOs || math.Abs(is[i].Bytes-was[i].Bytes) > part*was[i].Bytes {
			return true
		}
	}
	return false
}

// busy returns how many of the users do more than a little.
func busy(seen []Rate) int {
	sum, n := 0.0, 0
	for _, s := range seen {
		sum += s.IOs
	}
	for _, s := range seen {
		if s.IOs > sum*idlePart {
			n++
		}
	}
	return n
}
