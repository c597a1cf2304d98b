package v1alpha1

import "iter"

// Measured yields what a run measured, and what held it back: its one result, which has no name, or those of its sections.
func (r *Run) Measured() iter.Seq[*SectionResult] {
	return func(yield func(*SectionResult) bool) {
		if r.Result != nil && !yield(&SectionResult{Result: *r.Result, LimitedBy: r.LimitedBy}) {
			return
		}
		for i := range r.Sections {
			if !yield(&r.Sections[i]) {
				return
			}
		}
	}
}

// MeasuredIn returns what a run measured in a section, nil if it has none of that name. The name is "" where the job file gives one result. Sections may share
// a name: before is how many of these come first.
func (r *Run) MeasuredIn(section string, before int) *SectionResult {
	for measured := range r.Measured() {
		if measured.Name != section {
			continue
		}
		if before == 0 {
			return measured
		}
		before--
	}
	return nil
}

// Results returns all results of a run, none of one that has failed.
func (r *Run) Results() []*Result {
	var all []*Result
	for measured := range r.Measured() {
		all = append(all, &measured.Result)
	}
	return all
}
