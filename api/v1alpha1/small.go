package v1alpha1

import "strconv"

// SameRatio is the margin within which a ratio counts as the same.
const SameRatio = 1.05

// IsSmall reports whether a verdict is on a difference that is shown and seldom matters: the interval of the ratio lies
// within the margin in which figures count as the same.
func (s *Statistic) IsSmall(verdict Verdict) bool {
	if s == nil || verdict != VerdictFaster && verdict != VerdictSlower {
		return false
	}
	const rounded = 0.0005 // the ends of intervals have three digits
	low, lowErr := strconv.ParseFloat(s.RatioLow, 64)
	high, highErr := strconv.ParseFloat(s.RatioHigh, 64)
	return lowErr == nil && highErr == nil && low+rounded >= 1/SameRatio && high <= SameRatio
}
