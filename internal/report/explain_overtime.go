package report

import (
	"fmt"

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
