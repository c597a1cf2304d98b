package schedule

import (
	"fmt"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
	"github.com/storagebench/storagebench/internal/regression"
)

// Asked reads, from a schedule's annotations, what users ask to be left out of regressions.
func Asked(s *v1alpha1.StorageBenchmarkSchedule) (options regression.Options, err error) {
	for key, into := range map[string]*time.Time{v1alpha1.AnnotationAcknowledged: &options.Acknowledged, v1alpha1.AnnotationBaselineFrom: &options.BaselineFrom} {
		text := s.Annotations[key]
		if text == "" {
			continue
		}
		if *into, err = time.Parse(time.RFC3339, text); err != nil {
			return options, fmt.Errorf("annotation %s is %q: give a time such as %s", key, legible.Excerpt(text), "2026-11-24T03:00:00Z")
		}
	}
	return options, nil
}
