package fio

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// parseInteger reads a whole number.
func parseInteger(text string) (int64, error) {
	return strconv.ParseInt(text, 10, 64)
}

// parseBytes reads a number of bytes as fio does; false if it is none or exceeds an int64. With the usual
// kiloBase 1024, k, kb and ki are 1024 and kib is 1000; with 1000 kib is 1024 and the others are 1000.
func parseBytes(text string, kiloBase int64) (int64, bool) {
	digits, unit := splitUnit(text)
	n, err := parseInteger(digits)
	if err != nil || n < 0 {
		return 0, false
	}
	if unit == "" || unit == "b" {
		return n, true
	}
	base := kiloBase
	if strings.HasSuffix(unit, "ib") {
		base = 1000 + 1024 - kiloBase
	}
	power := 1 + strings.IndexByte("kmgtp", unit[0])
	if power == 0 {
		return 0, false
	}
	all := amount{bytes: n}
	for ; power > 0; power-- {
		all = all.times(base)
	}
	return all.bytes, !all.unknown
}

// second is one in microseconds.
const second = 1_000_000

// parseMicroseconds reads a time as fio does for options in seconds; false if it is none or exceeds an
// int64.
func parseMicroseconds(text string) (int64, bool) {
	digits, unit := splitUnit(text)
	n, err := parseInteger(digits)
	if err != nil || n < 0 {
		return 0, false
	}
	factor, ok := microseconds[unit]
	if !ok {
		return 0, false
	}
	return multiply(n, factor)
}

// microseconds are the units of time that fio knows; a number without one is in seconds.
var microseconds = map[string]int64{
	"us": 1, "usec": 1,
	"ms": 1_000, "msec": 1_000,
	"": second, "s": second,
	"m": 60 * second,
	"h": 60 * 60 * second,
	"d": 24 * 60 * 60 * second,
}

// splitUnit parts a value after its digits; the unit is in lower case.
func splitUnit(text string) (digits, unit string) {
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.ToLower(text[end:])
}

// multiply returns a*b of two numbers that are not negative; 0 and false if it exceeds an int64.
func multiply(a, b int64) (int64, bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high != 0 || low > math.MaxInt64 {
		return 0, false
	}
	return int64(low), true
}

// add returns a+b of two numbers that are not negative; 0 and false if it exceeds an int64.
func add(a, b int64) (int64, bool) {
	if a > math.MaxInt64-b {
		return 0, false
	}
	return a + b, true
}

// amount is a number of bytes. It is unknown where fio alone can tell, as of a percentage, and 0 where it is not given.
type amount struct {
	bytes   int64
	unknown bool
}

// isSet reports whether there is a number of bytes.
func (a amount) isSet() bool { return !a.unknown && a.bytes > 0 }

// plus returns the sum of two amounts.
func (a amount) plus(b amount) amount {
	sum, ok := add(a.bytes, b.bytes)
	return amount{sum, a.unknown || b.unknown || !ok}
}

// times returns the amount n times.
func (a amount) times(n int64) amount {
	product, ok := multiply(a.bytes, n)
	return amount{product, a.unknown || !ok}
}

// capped returns a sum or a product, or math.MaxInt64 where that was exceeded.
func capped(n int64, ok bool) int64 {
	if !ok {
		return math.MaxInt64
	}
	return n
}

// roundUp returns how many parts of a size there are in something, of which a part counts as one.
func roundUp(of, size int64) int64 {
	whole := of / size
	if of%size > 0 {
		whole++
	}
	return whole
}
