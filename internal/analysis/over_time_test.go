package analysis

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestRateFell(t *testing.T) {
	for name, tt := range map[string]struct {
		over *v1alpha1.OverTime
		want string
	}{
		"no series": {nil, ""},
		"drops":     {&v1alpha1.OverTime{SlowPercent: 10}, ""},
		"a fall":    {&v1alpha1.OverTime{Fall: &v1alpha1.RateFall{AtSeconds: 212, BeforeIOPS: 3000, AfterIOPS: 300}}, "3000 IOPS for 212 s, then 300"},
	} {
		got := ""
		for _, w := range everyWarning([]v1alpha1.Result{{OverTime: tt.over}}, nil, nil, Client{}) {
			if w.Reason == v1alpha1.WarningRateFell {
				got = w.Message
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
