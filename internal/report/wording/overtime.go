package wording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	fiodirection "github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/humanize"
)

// OverTime tells how the rate went during a run, "" if it was the same all the time.
func OverTime(result *v1alpha1.Result) string {
	o := result.OverTime
	if o == nil {
		return ""
	}
	words := RateChange(o)
	if words == "" {
		words = fmt.Sprintf("%s IOPS in the first tenth of the time, %s in the last", humanize.Milli(o.FirstTenthMilliIOPS), humanize.Milli(o.LastTenthMilliIOPS))
	}
	if summed := fiodirection.Summed(result.Of(v1alpha1.OperationRead), result.Of(v1alpha1.OperationWrite), result.Of(v1alpha1.OperationTrim)); summed != "" {
		words += ", " + summed
	}
	parts := append([]string{words, Steady(o)}, Drops(o)...)
	if o.SlowPercent > 0 {
		parts = append(parts, SlowTime(o))
	}
	return strings.Join(parts, "; ") + "."
}

// RateChange tells how a rate fell or rose for the rest of a run, "" if it did neither.
func RateChange(o *v1alpha1.OverTime) string {
	switch {
	case o.Rise != nil:
		return humanize.RateStep(o.Rise.BeforeMilliIOPS, o.Rise.AtSeconds, o.Rise.AfterMilliIOPS)
	case o.Fall != nil:
		return humanize.RateFall(o.Fall.BeforeMilliIOPS, o.Fall.AtSeconds, o.Fall.AfterMilliIOPS)
	default:
		return ""
	}
}

// Steady tells from when on a rate was what it was at the end.
func Steady(o *v1alpha1.OverTime) string {
	switch seconds := o.SteadySeconds; {
	case seconds == nil:
		return "it was not steady at the end either"
	case *seconds == 0:
		return "steady from the start"
	default:
		return fmt.Sprintf("steady after %d s", *seconds)
	}
}

// Drops tells when a rate was low, without what its fall or rise tells already.
func Drops(o *v1alpha1.OverTime) []string {
	var all []string
	for _, d := range DropsBeside(o) {
		all = append(all, fmt.Sprintf("down to %s IOPS from second %d on, for %d s", humanize.Milli(d.MilliIOPS), d.AtSeconds, d.DurationSeconds))
	}
	return all
}

// SlowTime tells for how much of the time a rate was low.
func SlowTime(o *v1alpha1.OverTime) string {
	return fmt.Sprintf("below half of its usual best rate for %d %% of the time", o.SlowPercent)
}

// DropsBeside returns the drops that are neither what a fall is, nor what was before a rise.
func DropsBeside(o *v1alpha1.OverTime) []v1alpha1.RateDrop {
	return slices.DeleteFunc(slices.Clone(o.Drops), func(d v1alpha1.RateDrop) bool { return isTheFall(o.Fall, d) || isBeforeTheRise(o.Rise, d) })
}

// isTheFall says whether a drop is what came after a fall, which is told already.
func isTheFall(f *v1alpha1.RateFall, d v1alpha1.RateDrop) bool {
	return f != nil && d.MilliIOPS >= f.AfterMilliIOPS/2 && d.AtSeconds+d.DurationSeconds > f.AtSeconds
}

// isBeforeTheRise says whether a drop is a part of how a rate began, which is told already.
func isBeforeTheRise(r *v1alpha1.RateRise, d v1alpha1.RateDrop) bool {
	return r != nil && d.AtSeconds < r.AtSeconds && d.MilliIOPS >= r.BeforeMilliIOPS/2
}
