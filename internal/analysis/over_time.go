package analysis

import (
	"math"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/series"
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

// OverTime returns a summary as the API has it: in thousandths of IOPS, and in whole seconds from the start of what was measured.
func OverTime(summary *series.Summary) *v1alpha1.OverTime {
	over := &v1alpha1.OverTime{
		FirstTenthMilliIOPS: milliRate(summary.FirstTenth), LastTenthMilliIOPS: milliRate(summary.LastTenth), SlowPercent: wholeSeconds(summary.SlowPercent),
	}
	summary = summary.SinceMeasured()
	if summary.SteadySeconds >= 0 {
		over.SteadySeconds = new(wholeSeconds(summary.SteadySeconds))
	}
	if f := summary.Fall; f != nil {
		over.Fall = &v1alpha1.RateFall{AtSeconds: wholeSeconds(f.Seconds), BeforeMilliIOPS: milliRate(f.Before), AfterMilliIOPS: milliRate(f.After)}
	}
	if r := summary.Rise; r != nil {
		over.Rise = &v1alpha1.RateRise{AtSeconds: wholeSeconds(r.Seconds), BeforeMilliIOPS: milliRate(r.Before), AfterMilliIOPS: milliRate(r.After)}
	}
	for _, d := range summary.Drops {
		over.Drops = append(over.Drops, v1alpha1.RateDrop{AtSeconds: wholeSeconds(d.Seconds), DurationSeconds: wholeSeconds(d.Length), MilliIOPS: milliRate(d.Rate)})
	}
	return over
}

// maxOverTimeIOPS bounds what a series can say, which comes from a pod, and with it the room that it takes in the status.
const maxOverTimeIOPS = 99_999_999

// milliRate returns a rate in thousandths.
func milliRate(f float64) int64 { return int64(math.Round(1000 * min(max(f, 0), maxOverTimeIOPS))) }

func wholeSeconds(f float64) int32 { return int32(math.Round(min(max(f, 0), v1alpha1.MaxRunSeconds))) }
