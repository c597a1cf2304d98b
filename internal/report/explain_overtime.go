package report

import (
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// overTimeOf says how the rate went during the runs of a subject: of the first in which something happened.
func overTimeOf(s *subject) string {
	var eventful []string
	for _, o := range s.outcomes {
		if o.Result != nil && o.Result.OverTime != nil {
			eventful = append(eventful, o.Run.Name+": "+wording.OverTime(o.Result))
		}
	}
	switch len(eventful) {
	case 0:
		return ""
	case 1:
		return "It was not the same all the time in run " + eventful[0]
	default:
		return fmt.Sprintf("It was not the same all the time in %s, such as %s", humanize.Plural(len(eventful), "run"), eventful[0])
	}
}

// steadyStateInWords says whether what was measured of a workload is steady, or what ran right before it, "" of a result that was not to be.
func steadyStateInWords(w *v1alpha1.Workload, s *v1alpha1.SteadyState) string {
	if s == nil {
		return ""
	}
	if s.Criterion != "" {
		if s.Attained {
			return fmt.Sprintf("fio found it steady by %s.", s.Criterion)
		}
		return fmt.Sprintf("fio did not find it steady by %s.", s.Criterion)
	}
	state, window := "It is steady", "its five rounds"
	if !s.Attained {
		state = "It is NOT steady"
	}
	if w != nil && w.Fio != nil && fio.RampsAuto(w.Fio) {
		state, window = "It was warm", "the last five rounds of that"
		if !s.Attained {
			state = "It was NOT steady yet"
		}
	}
	if s.RangePercent == 0 && s.SlopePercent == 0 { // the status has no room for them
		return fmt.Sprintf("%s: measured after %d s of the same.", state, s.AfterSeconds)
	}
	return fmt.Sprintf("%s: measured after %d s of the same; %s ranged over %d %% of their mean, and the line that fits them changed by %d %%.",
		state, s.AfterSeconds, window, s.RangePercent, s.SlopePercent)
}

// steadyStateOf says it of a subject: of the run that is the least steady.
func steadyStateOf(s *subject) string {
	var worst *v1alpha1.SteadyState
	for _, o := range s.outcomes {
		if o.Result == nil || o.Result.SteadyState == nil {
			continue
		}
		if one := o.Result.SteadyState; worst == nil || worst.Attained && !one.Attained || worst.Attained == one.Attained && one.RangePercent > worst.RangePercent {
			worst = one
		}
	}
	return steadyStateInWords(s.workload, worst)
}
