package wording

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestOverTimeInWords(t *testing.T) {
	for name, test := range map[string]struct {
		over *v1alpha1.OverTime
		want string
	}{
		"the same all the time": {nil, ""},
		"credits end": {
			&v1alpha1.OverTime{SteadySeconds: new(int32(212)), FirstTenthMilliIOPS: 3001000, LastTenthMilliIOPS: 300000, Fall: &v1alpha1.RateFall{AtSeconds: 212, BeforeMilliIOPS: 3000000, AfterMilliIOPS: 300000}},
			"3000 IOPS until second 212, then 300; steady after 212 s.",
		},
		"a slow start": {
			&v1alpha1.OverTime{SteadySeconds: new(int32(12)), FirstTenthMilliIOPS: 500000, LastTenthMilliIOPS: 3000000},
			"500 IOPS in the first tenth of the time, 3000 in the last; steady after 12 s.",
		},
		"bursts": {
			&v1alpha1.OverTime{FirstTenthMilliIOPS: 3000000, LastTenthMilliIOPS: 2000000, SlowPercent: 20, Drops: []v1alpha1.RateDrop{{AtSeconds: 30, DurationSeconds: 4, MilliIOPS: 100000}, {AtSeconds: 60, DurationSeconds: 5}}},
			"3000 IOPS in the first tenth of the time, 2000 in the last; it was not steady at the end either; down to 100 IOPS from second 30 on, for 4 s; " +
				"down to 0 IOPS from second 60 on, for 5 s; below half of its usual best rate for 20 % of the time.",
		},
		"steady": {&v1alpha1.OverTime{SteadySeconds: new(int32(0))}, "0 IOPS in the first tenth of the time, 0 in the last; steady from the start."},
	} {
		if got := OverTime(&v1alpha1.Result{OverTime: test.over}); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	both := &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead}, {Name: v1alpha1.OperationWrite}}, OverTime: &v1alpha1.OverTime{
		SteadySeconds: new(int32(212)), SlowPercent: 65,
		Fall:  &v1alpha1.RateFall{AtSeconds: 212, BeforeMilliIOPS: 1000000, AfterMilliIOPS: 300000},
		Drops: []v1alpha1.RateDrop{{AtSeconds: 100, DurationSeconds: 5}, {AtSeconds: 212, DurationSeconds: 388, MilliIOPS: 300000}},
	}}
	want := "1000 IOPS until second 212, then 300, reads and writes together; steady after 212 s; down to 0 IOPS from second 100 on, for 5 s; " +
		"below half of its usual best rate for 65 % of the time."
	if got := OverTime(both); got != want {
		t.Errorf("of both: %q, want %q", got, want)
	}
}
