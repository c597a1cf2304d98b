package schedule

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/regression"
)

// What has not come yet cannot have been seen: such a time would silence all that is ever found.
func TestAsked(t *testing.T) {
	now := at(t, "2026-11-24T03:00:00Z")
	const acknowledged, from = v1alpha1.AnnotationAcknowledged, v1alpha1.AnnotationBaselineFrom
	for name, row := range map[string]struct {
		annotations map[string]string
		want        regression.Options
		err         string
	}{
		"nothing":                      {nil, regression.Options{}, ""},
		"empty":                        {map[string]string{acknowledged: ""}, regression.Options{}, ""},
		"both":                         {map[string]string{acknowledged: "2026-11-24T12:00:00+09:00", from: "2026-11-01T00:00:00Z"}, regression.Options{Acknowledged: now, BaselineFrom: at(t, "2026-11-01T00:00:00Z")}, ""},
		"by a clock that is ahead":     {map[string]string{acknowledged: "2026-11-24T03:05:00Z"}, regression.Options{Acknowledged: now.Add(5 * time.Minute)}, ""},
		"no time":                      {map[string]string{from: "yes"}, regression.Options{}, `annotation storagebench.dev/baseline-from is "yes": give a time such as 2026-11-24T03:00:00Z`},
		"in the future":                {map[string]string{acknowledged: "2099-01-01T00:00:00Z"}, regression.Options{}, `annotation storagebench.dev/acknowledged is "2099-01-01T00:00:00Z", which has not come yet: give a time up to now, as date -u +%FT%TZ prints it`},
		"a baseline in the future":     {map[string]string{from: "2026-11-25T00:00:00Z"}, regression.Options{}, `baseline-from is "2026-11-25T00:00:00Z", which has not come yet`},
		"both are wrong, always first": {map[string]string{acknowledged: "x", from: "y"}, regression.Options{}, `acknowledged is "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Asked(&v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Annotations: row.annotations}}, now)
			switch {
			case row.err == "" && err != nil, row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)):
				t.Errorf("error %v, want %q", err, row.err)
			case row.err == "" && (!got.Acknowledged.Equal(row.want.Acknowledged) || !got.BaselineFrom.Equal(row.want.BaselineFrom)):
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}
