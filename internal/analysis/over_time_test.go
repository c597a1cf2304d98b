package analysis

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestRateFell(t *testing.T) {
	for name, tt := range map[string]struct {
		over  *v1alpha1.OverTime
		mixed bool
		want  string
	}{
		"no series": {nil, false, ""},
		"drops":     {&v1alpha1.OverTime{SlowPercent: 10}, false, ""},
		"a fall":    {&v1alpha1.OverTime{Fall: &v1alpha1.RateFall{AtSeconds: 212, BeforeIOPS: 3000, AfterIOPS: 300}}, false, "3000 IOPS until second 212, then 300"},
		"of both": {
			&v1alpha1.OverTime{Fall: &v1alpha1.RateFall{AtSeconds: 212, BeforeIOPS: 1000, AfterIOPS: 300}}, true,
			"1000 IOPS until second 212, then 300, reads and writes together",
		},
	} {
		got := ""
		result := v1alpha1.Result{OverTime: tt.over}
		if tt.mixed {
			result.Read, result.Write = &v1alpha1.IOResult{}, &v1alpha1.IOResult{}
		}
		for _, w := range everyWarning([]v1alpha1.Result{result}, nil, nil, Client{}) {
			if w.Reason == v1alpha1.WarningRateFell {
				got = w.Message
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
