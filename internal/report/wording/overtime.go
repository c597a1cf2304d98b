package wording

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	fiodirection "github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/humanize"
)

// OverTime says how the rate went during a run, "" if it was the same all the time.
func OverTime(result *v1alpha1.Result) string {
	o := result.OverTime
	if o == nil {
		return ""
	}
	words := fmt.Sprintf("%d IOPS in the first tenth of the time, %d in the last", o.FirstTenthIOPS, o.LastTenthIOPS)
	if o.Fall != nil {
		words = humanize.RateFall(o.Fall.BeforeIOPS, o.Fall.AtSeconds, o.Fall.AfterIOPS)
	}
	if o.Rise != nil {
		words = humanize.RateStep(o.Rise.BeforeIOPS, o.Rise.AtSeconds, o.Rise.AfterIOPS)
	}
	if summed := fiodirection.Summed(result.Of(v1alpha1.OperationRead), result.Of(v1alpha1.OperationWrite), result.Of(v1alpha1.OperationTrim)); summed != "" {
		words += ", " + summed
	}
	return strings.Join(append([]string{words, steadyInWords(o.SteadySeconds)}, dropsInWords(o)...), "; ") + "."
}

// steadyInWords says from when on a rate was what it was at the end.
func steadyInWords(seconds *int32) string {
	switch {
	case seconds == nil:
		return "it was not steady at the end either"
	case *seconds == 0:
		return "steady from the start"
	default:
		return fmt.Sprintf("steady after %d s", *seconds)
	}
}

// dropsInWords says when a rate was low, and for how much of the time in all.
func dropsInWords(o *v1alpha1.OverTime) []string {
	var all []string
	for _, d := range o.Drops {
		if !isTheFall(o.Fall, d) && !isBeforeTheRise(o.Rise, d) {
			all = append(all, fmt.Sprintf("down to %d IOPS from second %d on, for %d s", d.IOPS, d.AtSeconds, d.DurationSeconds))
		}
	}
	if o.SlowPercent > 0 {
		all = append(all, fmt.Sprintf("below half of its usual best rate for %d %% of the time", o.SlowPercent))
	}
	return all
}

// isTheFall says whether a drop is what came after a fall, which is told already.
func isTheFall(f *v1alpha1.RateFall, d v1alpha1.RateDrop) bool {
	return f != nil && d.IOPS >= f.AfterIOPS/2 && d.AtSeconds+d.DurationSeconds > f.AtSeconds
}

// isBeforeTheRise says whether a drop is a part of how a rate began, which is told already.
func isBeforeTheRise(r *v1alpha1.RateRise, d v1alpha1.RateDrop) bool {
	return r != nil && d.AtSeconds < r.AtSeconds && d.IOPS >= r.BeforeIOPS/2
}
