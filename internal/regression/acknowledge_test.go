package regression

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/storagebench/storagebench/internal/history"
)

// What was acknowledged on the day on which it was told first is seldom told again, though a full history drops the runs before it, and its noise becomes known better.
func TestAcknowledgedStays(t *testing.T) {
	const tries, before = 20, 60
	for _, row := range []struct {
		noise            noiseModel
		variation, ratio float64
	}{{noises[1], 0.015, 1.1}, {noises[1], 0.05, 1.3}, {noises[2], 0.03, 1.15}} {
		r, again := random(testSeed, "acknowledged", row.noise.name), 0
		for range tries {
			values := row.noise.logarithms(r, before+mostRuns-leastBefore, row.variation)
			for i := range values[before:] {
				values[before+i] += math.Log(row.ratio)
			}
			if isToldAgain(values, before) {
				again++
			}
		}
		if again > tries/10 {
			t.Errorf("%s: in %d of %d histories it is told again", row.noise.name, again, tries)
		}
	}
}

// isToldAgain says whether a regression is open after the day on which one was acknowledged, which was the first one after so many runs that it was told.
func isToldAgain(values []float64, before int) bool {
	h, acknowledged := &history.History{}, time.Time{}
	for i, v := range values {
		h.Add(history.Point{Time: firstDay.AddDate(0, 0, i), UID: strconv.Itoa(i), Cases: []history.Measured{
			{Case: randread, Figures: []history.Figure{{Metric: history.ReadP99, Value: int64(5e6 * math.Exp(v))}}},
		}}, mostRuns)
		if i < before {
			continue
		}
		report := Find(h, Options{Acknowledged: acknowledged})
		switch worst := report.Worst(); {
		case worst == nil:
		case acknowledged.IsZero():
			acknowledged = firstDay.AddDate(0, 0, i)
		default:
			return true
		}
	}
	return false
}
