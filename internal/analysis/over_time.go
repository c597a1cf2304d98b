package analysis

import (
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/series"
)

// rateFell is about a rate that was high at first and low then: the mean of both is neither. That the fall is none by chance is the series' to judge.
func rateFell(s seen) string {
	over := s.result.OverTime
	if over == nil || over.Fall == nil {
		return ""
	}
	return ofAllDirections(s.result, fmt.Sprintf("%d IOPS until second %d, then %d", over.Fall.BeforeIOPS, over.Fall.AtSeconds, over.Fall.AfterIOPS))
}

// warmedUp is about a rate that was lower at first and then what it was to stay: the mean is less than what the storage does when it is warm. What waited until it
// was steady has left its warm-up out.
func warmedUp(s seen) string {
	over := s.result.OverTime
	if over == nil || over.Fall != nil || over.SteadySeconds == nil || *over.SteadySeconds == 0 || s.result.SteadyState != nil {
		return ""
	}
	if float64(over.FirstTenthIOPS) >= series.FallShare*float64(over.LastTenthIOPS) {
		return ""
	}
	return ofAllDirections(s.result, fmt.Sprintf("%d IOPS in the first tenth of the time, %d in the last", over.FirstTenthIOPS, over.LastTenthIOPS)) +
		fmt.Sprintf("; steady after %d s", *over.SteadySeconds)
}

// ofAllDirections adds to words about rates that they are of several directions together, where they are.
func ofAllDirections(result *v1alpha1.Result, words string) string {
	if summed := direction.Summed(result.Read, result.Write, result.Trim); summed != "" {
		words += ", " + summed
	}
	return words
}
