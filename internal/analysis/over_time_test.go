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

func TestWarmUp(t *testing.T) {
	over := func(first, last int64, steady int32) *v1alpha1.OverTime {
		return &v1alpha1.OverTime{FirstTenthIOPS: first, LastTenthIOPS: last, SteadySeconds: new(steady)}
	}
	fell := over(300, 3000, 20)
	fell.Fall = &v1alpha1.RateFall{AtSeconds: 30, BeforeIOPS: 4000, AfterIOPS: 3000}
	for name, tt := range map[string]struct {
		result v1alpha1.Result
		want   string
	}{
		"no series":       {v1alpha1.Result{}, ""},
		"warm after 12 s": {v1alpha1.Result{OverTime: over(300, 3000, 12)}, "300 IOPS in the first tenth of the time, 3000 in the last; steady after 12 s"},
		"of both":         {v1alpha1.Result{OverTime: over(300, 3000, 12), Read: &v1alpha1.IOResult{}, Write: &v1alpha1.IOResult{}}, "300 IOPS in the first tenth of the time, 3000 in the last, reads and writes together; steady after 12 s"},
		"a little less":   {v1alpha1.Result{OverTime: over(2700, 3000, 12)}, ""},
		"from the start":  {v1alpha1.Result{OverTime: over(300, 3000, 0)}, ""},
		"never steady":    {v1alpha1.Result{OverTime: &v1alpha1.OverTime{FirstTenthIOPS: 300, LastTenthIOPS: 3000}}, ""},
		"it fell":         {v1alpha1.Result{OverTime: fell}, ""},
		"left out":        {v1alpha1.Result{OverTime: over(300, 3000, 12), SteadyState: &v1alpha1.SteadyState{Attained: true}}, ""},
	} {
		got := ""
		for _, w := range everyWarning([]v1alpha1.Result{tt.result}, nil, nil, Client{}) {
			if w.Reason == v1alpha1.WarningWarmUp {
				got = w.Message
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
