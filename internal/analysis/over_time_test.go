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
		"a fall":    {&v1alpha1.OverTime{Fall: &v1alpha1.RateFall{AtSeconds: 212, BeforeMilliIOPS: 3_000_000, AfterMilliIOPS: 300_000}}, false, "3000 IOPS until second 212, then 300"},
		"of both": {
			&v1alpha1.OverTime{Fall: &v1alpha1.RateFall{AtSeconds: 212, BeforeMilliIOPS: 1_000_000, AfterMilliIOPS: 300_000}}, true,
			"1000 IOPS until second 212, then 300, reads and writes together",
		},
	} {
		got := ""
		result := v1alpha1.Result{OverTime: tt.over}
		if tt.mixed {
			result.Set(v1alpha1.OperationRead, &v1alpha1.Figures{})
			result.Set(v1alpha1.OperationWrite, &v1alpha1.Figures{})
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
	rose := &v1alpha1.OverTime{Rise: &v1alpha1.RateRise{AtSeconds: 12, BeforeMilliIOPS: 300_000, AfterMilliIOPS: 3_000_000}}
	const words = "300 IOPS until second 12, then 3000"
	for name, tt := range map[string]struct {
		result v1alpha1.Result
		load   Load
		want   string
	}{
		"no series":     {want: ""},
		"it fell":       {result: v1alpha1.Result{OverTime: &v1alpha1.OverTime{Fall: &v1alpha1.RateFall{AtSeconds: 12}}}},
		"it rose":       {result: v1alpha1.Result{OverTime: rose}, want: words},
		"of both":       {result: v1alpha1.Result{OverTime: rose, Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead}, {Name: v1alpha1.OperationWrite}}}, want: words + ", reads and writes together"},
		"as if warm":    {result: v1alpha1.Result{OverTime: rose, SteadyState: &v1alpha1.SteadyState{Attained: true}}, want: "steady before it was measured, and not then: " + words},
		"not yet":       {result: v1alpha1.Result{OverTime: rose, SteadyState: &v1alpha1.SteadyState{}}, want: words},
		"by fio's rule": {result: v1alpha1.Result{OverTime: rose, SteadyState: &v1alpha1.SteadyState{Attained: true, Criterion: "iops:10%"}}, want: words},
		"begun later":   {result: v1alpha1.Result{OverTime: rose}, load: Load{Staggered: true}},
		"a window":      {result: v1alpha1.Result{OverTime: rose, SteadyState: &v1alpha1.SteadyState{Attained: true}}, load: Load{SteadyWindow: true}},
		"by a search":   {result: v1alpha1.Result{OverTime: rose}, load: Load{LatencyTarget: true}},
	} {
		got := ""
		for _, w := range everyWarning([]v1alpha1.Result{tt.result}, nil, []Load{tt.load}, Client{}) {
			if w.Reason == v1alpha1.WarningWarmUp {
				got = w.Message
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
