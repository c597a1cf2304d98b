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
	ok := true
	for ; ok && power > 0; power-- {
		n, ok = multiply(n, base)
	}
	return n, ok
}

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
	"": 1_000_000, "s": 1_000_000,
	"m": 60 * 1_000_000,
	"h": 60 * 60 * 1_000_000,
	"d": 24 * 60 * 60 * 1_000_000,
}

// splitUnit parts a value after its digits; the unit is in lower case.
func splitUnit(text string) (digits, unit string) {
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.ToLower(text[end:])
}

// multiply returns a*b of two numbers that are not negative; false if it exceeds an int64.
func multiply(a, b int64) (int64, bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	return int64(low), high == 0 && low <= math.MaxInt64
}

// add returns a+b of two numbers that are not negative; false if it exceeds an int64.
func add(a, b int64) (int64, bool) {
	return a + b, a <= math.MaxInt64-b
}
