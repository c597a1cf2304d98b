package analysis

import (
	"fmt"

	"github.com/storagebench/storagebench/internal/direction"
)

// rateFell is about a rate that was high at first and low then: the mean of both is neither. That the fall is none by chance is the series' to judge.
func rateFell(s seen) string {
	over := s.result.OverTime
	if over == nil || over.Fall == nil {
		return ""
	}
	words := fmt.Sprintf("%d IOPS until second %d, then %d", over.Fall.BeforeIOPS, over.Fall.AtSeconds, over.Fall.AfterIOPS)
	if summed := direction.Summed(s.result.Read, s.result.Write, s.result.Trim); summed != "" {
		words += ", " + summed
	}
	return words
}
