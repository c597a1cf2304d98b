package analysis

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/humanize"
)

// rateFell is about a rate that was high at first and low then: the mean of both is neither. That the fall is none by chance is the series' to judge.
func rateFell(s seen) string {
	over := s.result.OverTime
	if over == nil || over.Fall == nil {
		return ""
	}
	return ofAllDirections(s.result, humanize.RateFall(over.Fall.BeforeMilliIOPS, over.Fall.AtSeconds, over.Fall.AfterMilliIOPS))
}

// warmedUp is about a rate that was lower at first and then what it was to stay: the mean is less than what the storage does when it is warm. That the rise is none
// by chance is the series' to judge. Jobs that begin one after the other, others beside that end sooner, and fio looking for an iodepth are no warm-up. A window that
// had to be steady itself varies by what its rule allows.
func warmedUp(s seen) string {
	over := s.result.OverTime
	if over == nil || over.Rise == nil || s.load.Staggered || s.load.LatencyTarget || s.load.SteadyWindow || s.known.Company != nil {
		return ""
	}
	words := humanize.RateStep(over.Rise.BeforeMilliIOPS, over.Rise.AtSeconds, over.Rise.AfterMilliIOPS)
	if state := s.result.SteadyState; state != nil && state.Attained && state.Criterion == "" {
		words = "steady before it was measured, and not then: " + words
	}
	return ofAllDirections(s.result, words)
}

// ofAllDirections adds to words about rates that they are of several directions together, where they are.
func ofAllDirections(result *v1alpha1.Result, words string) string {
	if summed := direction.Summed(result.Of(v1alpha1.OperationRead), result.Of(v1alpha1.OperationWrite), result.Of(v1alpha1.OperationTrim)); summed != "" {
		words += ", " + summed
	}
	return words
}
