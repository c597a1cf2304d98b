package schedule

import (
	"fmt"
	"time"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/regression"
)

// userSkew is how far a user's clock may be ahead.
const userSkew = 5 * time.Minute

// Asked reads what users ask to be left out of regressions, by annotations of a schedule, and how many points it keeps. A time that has not come yet is refused: it would leave out what nobody has
// seen.
func Asked(s *v1alpha1.StorageBenchmarkSchedule, now time.Time) (options regression.Options, err error) {
	options.Limit = int(ptr.Deref(s.Spec.HistoryLimit, 0))
	for _, a := range []struct {
		key  string
		into *time.Time
	}{{v1alpha1.AnnotationAcknowledged, &options.Acknowledged}, {v1alpha1.AnnotationBaselineFrom, &options.BaselineFrom}} {
		text := s.Annotations[a.key]
		if text == "" {
			continue
		}
		if *a.into, err = time.Parse(time.RFC3339, text); err != nil {
			return options, fmt.Errorf("annotation %s is %q: give a time such as %s", a.key, humanize.Excerpt(text), "2026-11-24T03:00:00Z")
		}
		if a.into.After(now.Add(userSkew)) {
			return options, fmt.Errorf("annotation %s is %q, which has not come yet: give a time up to now, as date -u +%%FT%%TZ prints it", a.key, humanize.Excerpt(text))
		}
	}
	return options, nil
}
