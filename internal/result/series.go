package result

import (
	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
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
	return analysis.OverTime(summary)
}
