package result

import (
	"math"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/series"
)

// AddSeries notes in the results how their rates went during the run. A series of other results than these says nothing.
func (m *Measured) AddSeries(s *series.Series) {
	if s == nil || len(s.Sections) != len(m.results) {
		return
	}
	for i := range m.results {
		over := overTime(s, &s.Sections[i])
		m.results[i].OverTime = over
		if m.Result == nil {
			m.Sections[i].OverTime = over
		}
	}
}

// overTime returns how a rate went; nil where there is nothing to tell.
func overTime(s *series.Series, section *series.Section) *v1alpha1.OverTime {
	summary := s.Summarize(section)
	if summary == nil || !summary.IsEventful(s.Seconds(section, section.Points())-s.Seconds(section, 0)) {
		return nil
	}
	over := &v1alpha1.OverTime{FirstTenthMilliIOPS: milli(summary.FirstTenth), LastTenthMilliIOPS: milli(summary.LastTenth), SlowPercent: seconds(summary.SlowPercent)}
	summary = summary.SinceMeasured()
	if summary.SteadySeconds >= 0 {
		over.SteadySeconds = new(seconds(summary.SteadySeconds))
	}
	if f := summary.Fall; f != nil {
		over.Fall = &v1alpha1.RateFall{AtSeconds: seconds(f.Seconds), BeforeMilliIOPS: milli(f.Before), AfterMilliIOPS: milli(f.After)}
	}
	if r := summary.Rise; r != nil {
		over.Rise = &v1alpha1.RateRise{AtSeconds: seconds(r.Seconds), BeforeMilliIOPS: milli(r.Before), AfterMilliIOPS: milli(r.After)}
	}
	for _, d := range summary.Drops {
		over.Drops = append(over.Drops, v1alpha1.RateDrop{AtSeconds: seconds(d.Seconds), DurationSeconds: seconds(d.Length), MilliIOPS: milli(d.Rate)})
	}
	return over
}

// maxOverTimeIOPS bounds what a series can say, which comes from a pod, and with it the room that it takes in the status.
const maxOverTimeIOPS = 99_999_999

// milli returns a rate in thousandths.
func milli(f float64) int64 { return int64(math.Round(1000 * min(max(f, 0), maxOverTimeIOPS))) }

func seconds(f float64) int32 { return int32(math.Round(min(max(f, 0), v1alpha1.MaxRunSeconds))) }
