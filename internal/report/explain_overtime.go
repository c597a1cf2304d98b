package report

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

// overTimeInWords says how the rate went during a run, "" if it was the same all the time.
func overTimeInWords(o *v1alpha1.OverTime) string {
	if o == nil {
		return ""
	}
	words := fmt.Sprintf("%d IOPS in the first tenth of the time, %d in the last", o.FirstTenthIOPS, o.LastTenthIOPS)
	if o.Fall != nil {
		words = fmt.Sprintf("%d IOPS for %d s, then %d", o.Fall.BeforeIOPS, o.Fall.AtSeconds, o.Fall.AfterIOPS)
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
		all = append(all, fmt.Sprintf("down to %d IOPS for %d s after %d s", d.IOPS, d.DurationSeconds, d.AtSeconds))
	}
	if o.SlowPercent > 0 {
		all = append(all, fmt.Sprintf("less than half of the best that was usual for %d %% of the time", o.SlowPercent))
	}
	return all
}

// overTimeOf says how the rate went during the runs of a subject: of the first in which something happened.
func overTimeOf(s *subject) string {
	var eventful []string
	for _, o := range s.outcomes {
		if o.result != nil && o.result.OverTime != nil {
			eventful = append(eventful, o.run.Name+": "+overTimeInWords(o.result.OverTime))
		}
	}
	switch len(eventful) {
	case 0:
		return ""
	case 1:
		return "It was not the same all the time in run " + eventful[0]
	default:
		return fmt.Sprintf("It was not the same all the time in %s, such as %s", legible.Plural(len(eventful), "run"), eventful[0])
	}
}
