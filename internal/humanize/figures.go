package humanize

import (
	"fmt"
	"strconv"
	"strings"
)

// Plural returns a number of things that take an s, such as "1 run" and "2 runs".
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Few joins names. Of more than so many it has the first ones, and how many more there are: "a, b and 3 more".
func Few(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Significant returns a number from 0 on for a sentence: three significant digits, however small it is, and no zeros behind them,
// such as 0.00391, 0.5 and 47.6. From 100 on it is a whole number with all its digits.
func Significant(f float64) string {
	if f >= 100 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 3, 64)
}

// ThreeDigits returns a number from 0 on for a column: three digits with zeros behind them, and so at most two decimals, such as 0.00,
// 0.50 and 47.6. From 100 on it is a whole number with all its digits.
func ThreeDigits(f float64) string {
	switch {
	case f < 9.995:
		return fmt.Sprintf("%.2f", f)
	case f < 99.95:
		return fmt.Sprintf("%.1f", f)
	default:
		return fmt.Sprintf("%.0f", f)
	}
}

// Scaled returns a number from 0 on in the largest unit of which it is at least one, by Significant; each unit is so many times the one before it.
func Scaled(f, times float64, units ...string) string {
	for len(units) > 1 && f >= times {
		f, units = f/times, units[1:]
	}
	return Significant(f) + units[0]
}

// Milli returns thousandths as Significant does the number.
func Milli(thousandths int64) string { return Significant(float64(thousandths) / 1000) }

// RateStep says how far a rate rose or fell, and when: IOPS before and after, in thousandths, and seconds since what was
// measured began.
func RateStep(before int64, second int32, after int64) string {
	return fmt.Sprintf("%s IOPS until second %d, then %s", Milli(before), second, Milli(after))
}

// RateFall tells how far a rate fell, and when. A fall at second 0 is a slow one, over the whole run.
func RateFall(before int64, second int32, after int64) string {
	if second == 0 {
		return fmt.Sprintf("%s IOPS at first, then slowly down to %s", Milli(before), Milli(after))
	}
	return RateStep(before, second, after)
}
