package report

import (
	"bytes"
	"strings"
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
			&v1alpha1.OverTime{SteadySeconds: new(int32(212)), FirstTenthMilliIOPS: 3_001_000, LastTenthMilliIOPS: 300_000, Fall: &v1alpha1.RateFall{AtSeconds: 212, BeforeMilliIOPS: 3_000_000, AfterMilliIOPS: 300_000}},
			"3000 IOPS until second 212, then 300; steady after 212 s.",
		},
		"a slow start": {
			&v1alpha1.OverTime{SteadySeconds: new(int32(12)), FirstTenthMilliIOPS: 500_000, LastTenthMilliIOPS: 3_000_000},
			"500 IOPS in the first tenth of the time, 3000 in the last; steady after 12 s.",
		},
		"bursts": {
			&v1alpha1.OverTime{FirstTenthMilliIOPS: 3_000_000, LastTenthMilliIOPS: 2_000_000, SlowPercent: 20, Drops: []v1alpha1.RateDrop{{AtSeconds: 30, DurationSeconds: 4, MilliIOPS: 100_000}, {AtSeconds: 60, DurationSeconds: 5}}},
			"3000 IOPS in the first tenth of the time, 2000 in the last; it was not steady at the end either; down to 100 IOPS from second 30 on, for 4 s; " +
				"down to 0 IOPS from second 60 on, for 5 s; below half of its usual best rate for 20 % of the time.",
		},
		"steady": {&v1alpha1.OverTime{SteadySeconds: new(int32(0))}, "0 IOPS in the first tenth of the time, 0 in the last; steady from the start."},
	} {
		if got := overTimeInWords(&v1alpha1.Result{OverTime: test.over}); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	both := &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationRead}, {Name: v1alpha1.OperationWrite}}, OverTime: &v1alpha1.OverTime{
		SteadySeconds: new(int32(212)), SlowPercent: 65,
		Fall:  &v1alpha1.RateFall{AtSeconds: 212, BeforeMilliIOPS: 1_000_000, AfterMilliIOPS: 300_000},
		Drops: []v1alpha1.RateDrop{{AtSeconds: 100, DurationSeconds: 5}, {AtSeconds: 212, DurationSeconds: 388, MilliIOPS: 300_000}},
	}}
	want := "1000 IOPS until second 212, then 300, reads and writes together; steady after 212 s; down to 0 IOPS from second 100 on, for 5 s; " +
		"below half of its usual best rate for 65 % of the time."
	if got := overTimeInWords(both); got != want {
		t.Errorf("of both: %q, want %q", got, want)
	}
}

// TestExplainOverTime: what happened during a run is told of it, and of all of the same together.
func TestExplainOverTime(t *testing.T) {
	sb := largest()
	run := &sb.Status.Runs[0]
	run.Result.OverTime = &v1alpha1.OverTime{SteadySeconds: new(int32(212)), Fall: &v1alpha1.RateFall{AtSeconds: 212, BeforeMilliIOPS: 3_000_000, AfterMilliIOPS: 300_000}}
	for of, want := range map[string]string{
		run.Name: "\n  Over time 3000 IOPS until second 212, then 300; steady after 212 s.\n",
		"":       "\n  Over time It was not the same all the time in run " + run.Name + ": 3000 IOPS until second 212, then 300; steady after 212 s.\n",
	} {
		var out bytes.Buffer
		if err := Explain(&out, sb, of, Style{}); err != nil {
			t.Fatal(err)
		}
		if strings.Count(out.String(), "Over time") != 1 || !strings.Contains(out.String(), want) {
			t.Errorf("%q is explained without %q:\n%.2000s", of, want, out.String())
		}
	}
}
