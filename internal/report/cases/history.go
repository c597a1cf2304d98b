package cases

import (
	"slices"

	"github.com/storagebench/storagebench/internal/history"
)

// Kept is a case of a point of a history.
type Kept struct {
	Point *history.Point
	*history.Measured
}

// KeptIn returns all cases of all points. The operator keeps no point without any. If there is one, it is a row that says how its benchmark ended.
func KeptIn(h *history.History) []Kept {
	var all []Kept
	for i := range h.Points {
		p := &h.Points[i]
		for j := range p.Cases {
			all = append(all, Kept{p, &p.Cases[j]})
		}
		if len(p.Cases) == 0 {
			all = append(all, Kept{p, &history.Measured{}})
		}
	}
	return all
}

// MetricsIn returns the metrics that some case has.
func MetricsIn(all []Kept) []history.Metric {
	return slices.DeleteFunc(history.Metrics(), func(m history.Metric) bool {
		return !slices.ContainsFunc(all, func(k Kept) bool {
			_, ok := k.Of(m)
			return ok
		})
	})
}
